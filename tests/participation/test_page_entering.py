"""The door, without a browser: who is let in by which kind of request."""

import pytest

from studyapp.participation.models import Session
from tests import cast

pytestmark = pytest.mark.django_db


def test_a_plain_link_makes_nobody_until_the_button_is_pressed(client):
    study = cast.study()
    page = client.get(f"/s/{study.slug}/")
    assert b"Begin" in page.content
    assert not Session.objects.exists()
    client.post(f"/s/{study.slug}/")
    assert Session.objects.count() == 1


def test_a_recruitment_id_enters_at_once_and_leaves_a_clean_address(client):
    study = cast.study()
    answer = client.get(f"/s/{study.slug}/?PROLIFIC_PID=5f2abc")
    assert answer.status_code == 302
    assert "5f2abc" not in answer["Location"]
    assert Session.objects.count() == 1


def test_a_program_that_only_looks_makes_nobody(client):
    study = cast.study()
    assert client.head(f"/s/{study.slug}/?PROLIFIC_PID=5f2abc").status_code == 200
    assert not Session.objects.exists()


def test_participants_see_the_title_meant_for_them(client):
    study = cast.study()
    study.texts = {**study.texts, "title": "Talking with an AI"}
    study.save()
    assert "Talking with an AI" in client.get(f"/s/{study.slug}/").content.decode()


def test_the_last_page_shows_the_number_that_erasure_later_needs(client):
    study = cast.study()
    client.post(f"/s/{study.slug}/")
    session = Session.objects.get()
    visit = cast.walk(session, to="code")
    page = client.get(f"/s/{study.slug}/{visit.position}/").content.decode()
    assert session.participant.code in page


@pytest.mark.parametrize("body", [b"[" * 100_000, b"{", b"\xff"])
def test_a_save_that_cannot_be_read_is_refused_and_nothing_breaks(client, body):
    study = cast.study()
    client.post(f"/s/{study.slug}/")
    session = Session.objects.get()
    answer = client.post(
        f"/s/{study.slug}/{session.position}/save", data=body, content_type="application/json"
    )
    assert answer.status_code == 422
    assert "could not be read" in answer.json()["message"]


def test_a_save_that_is_too_large_is_refused(client, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    study = cast.study()
    client.post(f"/s/{study.slug}/")
    session = Session.objects.get()
    answer = client.post(
        f"/s/{study.slug}/{session.position}/save", data=b" " * 2000, content_type="application/json"
    )
    assert answer.status_code == 413
