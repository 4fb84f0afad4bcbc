"""How a conversation begins and ends."""

import pytest
from pydantic import ValidationError

from studyapp.chat import conversations, signals, turns
from tests.chat.briefs import PERSONA, brief, started

pytestmark = pytest.mark.django_db


def test_ending_twice_tells_once_and_keeps_the_first_reason() -> None:
    heard = []

    def hear(sender: object, conversation: object, **_: object) -> None:
        heard.append(conversation)

    conversation = started()
    signals.conversation_ended.connect(hear)
    try:
        conversations.end(conversation=conversation, reason="left")
        conversations.end(conversation=conversation, reason="withdrawn")
    finally:
        signals.conversation_ended.disconnect(hear)
    conversation.refresh_from_db()
    assert (conversation.state, conversation.end_reason, len(heard)) == ("ended", "left", 1)


def test_the_participant_may_go_on_after_enough_turns_and_not_before() -> None:
    conversation = started(min_turns=2)
    turns.say(conversation=conversation, client_key="one", text="Hello")
    assert not conversations.may_leave(conversation)
    turns.say(conversation=conversation, client_key="two", text="Hello")
    assert conversations.may_leave(conversation)


def test_an_opening_is_no_turn() -> None:
    assert conversations.turns_done(started(opening="Hello.")) == 0


def test_a_persona_that_cannot_be_composed_is_refused_at_the_start() -> None:
    with pytest.raises(ValueError, match="nonsense"):
        started(persona={**PERSONA, "base": "nonsense"})


def test_a_brief_with_more_turns_asked_than_allowed_is_refused() -> None:
    with pytest.raises(ValidationError, match="min_turns"):
        brief(min_turns=5, max_turns=4)
