"""Forks in bulk."""

import time

import pytest
from django.utils import timezone

from studyapp.agents.protocol import Turn
from studyapp.chat import signals
from studyapp.chat.exchanges import ExchangeSpec, run_exchanges
from studyapp.chat.models import Attempt, Conversation, Message
from tests.chat.briefs import CARD, brief, started
from tests.fakes.model_server import REPLY, ModelServer

pytestmark = pytest.mark.django_db

HISTORY = [Turn("agent", "Hello."), Turn("participant", "I lost my keys."), Turn("agent", "Where?")]


def spec(seed: int = 3, **changes: object) -> ExchangeSpec:
    return ExchangeSpec(
        brief=brief(**changes), seed=seed, history=HISTORY, task=CARD, created_at=timezone.now()
    )


def test_a_fork_is_an_ended_conversation_with_one_question_and_one_reply() -> None:
    origin = started()
    asked = ExchangeSpec(
        brief=brief(),
        seed=3,
        history=HISTORY,
        task=CARD,
        created_at=timezone.now(),
        continues=origin,
        continues_until=2,
    )
    (fork,) = run_exchanges([asked], parallel=4)
    fork = Conversation.objects.get(pk=fork.pk)
    question, reply = fork.messages.order_by("position")
    assert (fork.kind, fork.state, fork.continues, fork.continues_until) == ("fork", "ended", origin, 2)
    assert (question.text, question.task.key, reply.task.key) == (CARD.text, "honey", "honey")
    assert reply.state == "complete" and reply.attempts.get().ended_at is not None


def test_replies_stay_with_their_questions_in_the_order_given(models: ModelServer) -> None:
    models.script("say", "401", "say")
    forks = run_exchanges([spec(provider="fake", model="say", attempts=1) for _ in range(3)], parallel=1)
    states = [fork.messages.get(position=1).state for fork in forks]
    assert states == ["complete", "failed", "complete"]


def test_the_model_is_asked_with_the_history_and_failed_calls_are_repeated(models: ModelServer) -> None:
    models.script("500", "say")
    (fork,) = run_exchanges([spec(provider="fake", model="say", attempts=2)], parallel=1)
    sent = [message["content"] for message in models.requests[-1]["messages"] if message["role"] != "system"]
    assert sent == [*(turn.text for turn in HISTORY), CARD.text]
    reply = fork.messages.get(position=1)
    assert reply.text == REPLY
    assert list(reply.attempts.values_list("failure", flat=True)) == ["broken", ""]


def test_the_same_seed_brings_the_same_reply_as_ever() -> None:
    first, second = run_exchanges([spec(), spec()], parallel=2)
    assert first.messages.get(position=1).text == second.messages.get(position=1).text


def test_a_thousand_forks_are_asked_and_written_in_seconds_and_told_of_once() -> None:
    calls = []

    def hear(sender: object, messages: list[Message], **_: object) -> None:
        calls.append(len(messages))

    signals.turn_finished.connect(hear)
    began = time.monotonic()
    try:
        forks = run_exchanges([spec(seed) for seed in range(1000)], parallel=32)
    finally:
        signals.turn_finished.disconnect(hear)
    assert time.monotonic() - began < 20
    assert calls == [1000] and len(forks) == 1000
    assert Attempt.objects.filter(message__conversation__in=forks).count() == 1000


def test_no_forks_are_no_work() -> None:
    assert run_exchanges([], parallel=4) == []
