"""Events are read whole, however their bytes were cut."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studyapp.agents import event_stream
from studyapp.agents.event_stream import NotAnEventStream, data_of

STREAM = (
    'data: {"a": "é👩‍👧"}\r\n\r\n: beat\n\nevent: x\nid: 3\ndata:one\ndata: two\n\ndata: [DONE]\n\n'.encode()
)
EXPECTED = ['{"a": "é👩‍👧"}', "one\ntwo", "[DONE]"]


async def read(*chunks: bytes) -> list[str]:
    async def source():
        for chunk in chunks:
            yield chunk

    return [data async for data in data_of(source())]


@given(st.lists(st.integers(0, len(STREAM)), max_size=12).map(sorted))
async def test_any_cut_gives_the_same_events(cuts: list[int]) -> None:
    edges = [0, *cuts, len(STREAM)]
    chunks = [STREAM[start:end] for start, end in itertools.pairwise(edges)]
    assert await read(*chunks) == EXPECTED


async def test_an_event_without_its_blank_line_was_cut_and_is_not_given() -> None:
    assert await read(b"data: one\n\ndata: tw") == ["one"]
    assert await read(b"data: one\n\ndata: two\n") == ["one"]


async def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(NotAnEventStream):
        await read(b"data: \xff\xfe\n\n")


async def test_a_line_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "LONGEST_LINE", 100)
    with pytest.raises(NotAnEventStream):
        await read(*[b"x" * 60] * 2)
