"""What a page says when it is handed in and cannot go on."""

import pytest
from django.test import Client

from studyapp.participation.models import Session
from tests import cast

pytestmark = pytest.mark.django_db


def at(step: str) -> tuple[Session, Client, str]:
    """Ada's session at ``step``, her browser, and the address of her page."""
    session = cast.arrives(cast.study(), recruitment_id=cast.ADA)
    client = Client()
    client.get(f"/s/{session.study.slug}/", {"PROLIFIC_PID": cast.ADA})
    cast.walk(session, to=step)
    return session, client, f"/s/{session.study.slug}/{session.position}/"


def test_a_value_that_cannot_be_is_refused_with_its_reason_at_the_question() -> None:
    session, client, address = at("lonely_before")
    answer = client.post(address, {"i-lonely": "500"})
    assert answer.status_code == 200
    assert "Please enter a number from 0 up to 100." in answer.content.decode()
    session.refresh_from_db()
    assert address.endswith(f"/{session.position}/")
    assert client.post(address, {"i-lonely": "50"}).status_code == 302


def test_a_page_handed_in_empty_is_asked_for_once() -> None:
    _, client, address = at("lonely_before")
    first = client.post(address, {})
    assert "Still open. You may also leave it." in first.content.decode()
    second = client.post(address, {})
    assert second.status_code == 302 and second.url != address


def test_consent_says_what_is_missing_and_keeps_the_rest() -> None:
    _, client, address = at("consent")
    text = client.post(address, {"share_words": "yes"}).content.decode()
    assert 'role="alert" tabindex="-1" autofocus' in text
    assert 'name="share_words" value="yes" checked' in text
    assert 'name="share_words" value="no" checked' not in text


def test_a_conversation_left_too_early_says_how_far_it_is() -> None:
    _, client, address = at("talk")
    assert "0 of 2 messages so far." in client.post(address, {}).content.decode()


def test_the_last_page_handed_in_stays_the_last_page() -> None:
    session, client, address = at("code")
    answer = client.post(address, {})
    assert answer.status_code == 200 and session.completion_code in answer.content.decode()


def test_a_page_from_before_the_deletion_of_cookies_offers_to_carry_on() -> None:
    session, _, address = at("lonely_before")
    stranger = Client(enforce_csrf_checks=True)
    answer = stranger.post(address, {"i-lonely": "50"})
    assert answer.status_code == 403
    assert f'href="/s/{session.study.slug}/"' in answer.content.decode()
    assert f'href="/s/{session.study.slug}/support/"' in answer.content.decode()
