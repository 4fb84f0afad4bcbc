"""Replies generated here and now, and what becomes of calls that fail."""

from decimal import Decimal

import pytest

from studyapp.agents.protocol import Turn
from studyapp.chat import conversations, signals, turns
from studyapp.chat.calling import MOST_CHARACTERS
from studyapp.chat.models import Attempt, Conversation, Message
from tests.chat.briefs import CARD, key, started
from tests.fakes.model_server import BEHAVIOURS, REPLY, ModelServer

pytestmark = pytest.mark.django_db

# What the participant gets of each behaviour that ends in a reply; all others end in this kind of failure.
REPLIES = {"say", "slow", "crumbs", "length", "no-usage"}
FAILURES = {
    "hang": "timed_out",
    "hold": "timed_out",
    "long": "cut",
    "refusal": "refused",
    "filtered": "refused",
    "empty": "empty",
    "429": "rate_limited",
    "401": "unauthorised",
    "403": "unauthorised",
}


def test_the_demo_agent_replies_and_the_attempt_is_recorded() -> None:
    conversation = started()
    reply = turns.say(conversation=conversation, client_key="one", text="I lost my keys.")
    attempt = reply.attempts.get()
    assert reply.state == "complete" and reply.text
    assert (attempt.number, attempt.failure, attempt.provider, attempt.model_asked) == (1, "", "demo", "demo")
    assert attempt.started_at <= attempt.first_token_at <= attempt.ended_at
    assert "Robin" in attempt.system_prompt and len(attempt.prompt_sha256) == 64
    assert attempt.price_usd == Decimal(0)


def test_the_same_seed_and_words_bring_the_same_reply() -> None:
    first, second = (
        turns.say(conversation=started(tasks=[CARD]), client_key="one", task_key="honey") for _ in range(2)
    )
    assert first.text == second.text


def test_parameters_of_zero_reach_the_model_and_the_record(models: ModelServer) -> None:
    conversation = started(provider="fake", model="say", parameters={"temperature": 0})
    reply = turns.say(conversation=conversation, client_key="one", text="Hello")
    assert models.requests[-1]["temperature"] == 0
    assert reply.attempts.get().parameters == {"temperature": 0}


def test_data_for_scripted_agents_never_leaves_for_a_hosted_model(models: ModelServer) -> None:
    conversation = started(provider="fake", model="say", tasks=[CARD], context={"secret": "planted-secret"})
    turns.say(conversation=conversation, client_key="one", task_key="honey")
    assert "planted-secret" not in str(models.requests[-1])
    assert "stated" not in models.requests[-1]


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_whatever_the_model_does_the_outcome_is_recorded_and_the_participant_has_a_next_step(
    models: ModelServer, behaviour: str
) -> None:
    conversation = started(provider="fake", model=behaviour, min_turns=4, whole_s=4.0)
    if behaviour == "hold":
        conversation = started(provider="fake", model=behaviour, min_turns=4, whole_s=0.8)
    reply = turns.say(conversation=conversation, client_key="one", text="Hello")
    attempt = reply.attempts.get()
    assert attempt.ended_at is not None
    if behaviour in REPLIES:
        assert (reply.state, reply.failure, attempt.failure) == ("complete", "", "")
        return
    kind = FAILURES.get(behaviour, "broken")
    assert (reply.state, reply.failure, attempt.failure) == ("failed", kind, kind)
    assert len(reply.text) <= MOST_CHARACTERS + 10
    assert conversations.may_leave(conversation)
    # Another message may be sent, and a model that has recovered answers it.
    models.script("say")
    assert turns.say(conversation=conversation, client_key="two", text="Are you there?").text == REPLY


def test_a_reply_cut_at_the_models_limit_is_kept_and_known_by_its_reason(models: ModelServer) -> None:
    conversation = started(provider="fake", model="length")
    reply = turns.say(conversation=conversation, client_key="one", text="Hello")
    assert reply.text == "Thank you for"
    assert reply.attempts.get().finish_reason == "length"


def test_a_failed_call_is_repeated_and_every_attempt_is_kept(models: ModelServer) -> None:
    models.script("500", "half", "say")
    conversation = started(provider="fake", model="say", attempts=3)
    reply = turns.say(conversation=conversation, client_key="one", text="Hello")
    assert (reply.state, reply.text) == ("complete", REPLY)
    assert list(reply.attempts.values_list("number", "failure")) == [(1, "broken"), (2, "broken"), (3, "")]
    assert len(models.requests) == 3


@pytest.mark.parametrize("behaviour", ["401", "refusal"])
def test_a_call_that_cannot_succeed_is_not_repeated(models: ModelServer, behaviour: str) -> None:
    conversation = started(provider="fake", model=behaviour, attempts=3)
    reply = turns.say(conversation=conversation, client_key="one", text="Hello")
    assert (reply.state, reply.attempts.count()) == ("failed", 1)


def test_a_provider_that_the_server_does_not_know_fails_the_turn_and_no_more() -> None:
    conversation = started(provider="elsewhere", attempts=3)
    reply = turns.say(conversation=conversation, client_key="one", text="Hello")
    assert (reply.state, reply.failure) == ("failed", "unauthorised")


def test_after_a_failure_the_words_are_not_lost_to_the_model_nor_said_twice(models: ModelServer) -> None:
    models.script("500", "500", "say")
    conversation = started(provider="fake", model="say")
    turns.say(conversation=conversation, client_key="one", text="I lost my keys.")
    turns.say(conversation=conversation, client_key="two", text="I lost my keys.")
    turns.say(conversation=conversation, client_key="three", text="Again.")
    assert [m["content"] for m in models.requests[-1]["messages"] if m["role"] == "user"] == [
        "I lost my keys.\n\nAgain."
    ]


def test_a_task_whose_reply_failed_may_be_raised_again(models: ModelServer) -> None:
    models.script("500", "say")
    conversation = started(provider="fake", model="say", tasks=[CARD])
    assert turns.say(conversation=conversation, client_key="one", task_key="honey").state == "failed"
    assert turns.say(conversation=conversation, client_key="two", task_key="honey").state == "complete"
    assert conversation.tasks.get().raised_in == 2


def test_a_continued_conversation_hands_its_history_over_up_to_a_position() -> None:
    first = started(opening="Hello.")
    turns.say(conversation=first, client_key="one", text="A")
    turns.say(conversation=first, client_key="two", text="B")
    until = first.messages.get(position=2)
    second = conversations.start(
        kind=Conversation.Kind.CARDS,
        brief=conversations.brief_of(first).model_copy(update={"opening": ""}),
        seed=1,
        continues=first,
        continues_until=2,
    )
    turns.say(conversation=second, client_key="one", text="C")
    said = conversations.history(second)
    assert said[:4] == [
        Turn("agent", "Hello."),
        Turn("participant", "A"),
        Turn("agent", until.text),
        Turn("participant", "C"),
    ]
    assert conversations.turns_done(second) == 1


def test_the_rooms_above_hear_of_every_finished_turn_and_all_that_was_spent(models: ModelServer) -> None:
    finished: list[Message] = []
    spent: list[Attempt] = []

    def hear_turn(sender: object, messages: list[Message], **_: object) -> None:
        finished.extend(messages)

    def hear_spend(sender: object, attempts: list[Attempt], **_: object) -> None:
        spent.extend(attempts)

    models.script("500", "say", "500", "500")
    conversation = started(provider="fake", model="say", attempts=2)
    signals.turn_finished.connect(hear_turn)
    signals.spend_recorded.connect(hear_spend)
    try:
        turns.say(conversation=conversation, client_key=key(), text="Hello")
        turns.say(conversation=conversation, client_key=key(), text="Hello")
    finally:
        signals.turn_finished.disconnect(hear_turn)
        signals.spend_recorded.disconnect(hear_spend)
    assert [message.state for message in finished] == ["complete", "failed"]
    assert [attempt.failure for attempt in spent] == ["broken", "", "broken", "broken"]
