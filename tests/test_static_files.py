"""Static files beside Django."""

import asyncio

import pytest

from studyapp.static_files import HashedStaticFiles


@pytest.fixture
def served(tmp_path):
    (tmp_path / "page.0123456789ab.css").write_text("a{}")
    (tmp_path / "page.css").write_text("a{}")
    return HashedStaticFiles(directory=tmp_path)


async def get(app, path, method="GET"):
    sent = []

    async def receive():
        # A client that waits: nothing further comes from it.
        await asyncio.Event().wait()

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "root_path": "",
        "headers": [],
        "query_string": b"",
    }
    await app(scope, receive, send)
    return sent[0]["status"], dict(sent[0]["headers"])


async def test_a_hashed_name_may_be_kept_for_ever(served):
    status, headers = await get(served, "/page.0123456789ab.css")
    assert status == 200 and b"immutable" in headers[b"cache-control"]


async def test_a_plain_name_is_asked_for_again(served):
    status, headers = await get(served, "/page.css")
    assert status == 200 and headers[b"cache-control"] == b"no-cache"


@pytest.mark.parametrize("path", ["/missing.css", "/../conftest.py", "/", "/%00"])
async def test_what_is_not_there_is_an_answer_and_no_error(served, path):
    status, _ = await get(served, path)
    assert status == 404


async def test_only_reading_is_allowed(served):
    status, _ = await get(served, "/page.css", method="POST")
    assert status == 405
