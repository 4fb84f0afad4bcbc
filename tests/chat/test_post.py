"""Saying something: what is stored, and what is refused."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from studyapp.chat import conversations, signals, turns
from studyapp.chat.models import Conversation, Message
from tests.chat.briefs import CARD, key, started

pytestmark = pytest.mark.django_db


def refusal(conversation: Conversation, **said: str) -> turns.Refused:
    with pytest.raises(turns.Refused) as caught:
        turns.post(conversation=conversation, client_key=key(), **said)
    return caught.value


def test_a_message_is_stored_with_the_reply_that_is_owed_for_it() -> None:
    conversation = started(opening="Hello.", start_ms=800, ms_per_char=12.5)
    posted = turns.post(conversation=conversation, client_key="one", text="I lost my keys.")
    rows = conversation.messages.order_by("position").values_list("position", "role", "state", "text")
    assert list(rows) == [
        (0, "agent", "complete", "Hello."),
        (1, "participant", "complete", "I lost my keys."),
        (2, "agent", "pending", ""),
    ]
    assert posted.reply.schedule == {"start_ms": 800, "ms_per_char": 12.5}
    assert not posted.repeated and posted.distress == []


def test_the_same_key_again_returns_the_first_even_after_the_end() -> None:
    conversation = started()
    first = turns.post(conversation=conversation, client_key="one", text="Hello")
    conversations.end(conversation=conversation, reason="done")
    again = turns.post(conversation=conversation, client_key="one", text="Hello, edited")
    assert again.repeated
    assert (again.message.pk, again.reply.pk) == (first.message.pk, first.reply.pk)
    assert conversation.messages.count() == 2


@pytest.mark.django_db(transaction=True)
def test_ten_racing_posts_of_one_key_store_one_message_and_owe_one_reply() -> None:
    conversation = started()

    def post(_: int) -> turns.Posted:
        try:
            return turns.post(conversation=conversation, client_key="one", text="Hello")
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as threads:
        posts = list(threads.map(post, range(10)))
    assert sum(not posted.repeated for posted in posts) == 1
    assert {posted.message.pk for posted in posts} == {conversation.messages.get(position=0).pk}
    assert conversation.messages.count() == 2


@pytest.mark.django_db(transaction=True)
def test_of_ten_racing_posts_with_keys_of_their_own_one_is_taken() -> None:
    conversation = started()

    def post(number: int) -> str:
        try:
            turns.post(conversation=conversation, client_key=f"key-{number}", text="Hello")
        except turns.Refused as refused:
            return refused.code
        finally:
            connection.close()
        return "taken"

    with ThreadPoolExecutor(10) as threads:
        results = sorted(threads.map(post, range(10)))
    assert results == ["busy"] * 9 + ["taken"]


def test_the_database_itself_allows_one_reply_in_flight() -> None:
    conversation = started()
    turns.post(conversation=conversation, client_key="one", text="Hello")
    with pytest.raises(IntegrityError), transaction.atomic():
        Message.objects.create(
            conversation=conversation, position=9, role="agent", state="pending", created_at=timezone.now()
        )


@pytest.mark.parametrize("text", ["", "\u200b\u2060", "   ", "\n\t", "\x00", "\u2003"])
def test_an_empty_message_is_refused(text: str) -> None:
    conversation = started()
    assert refusal(conversation, text=text).code == "empty"
    assert not conversation.messages.exists()


def test_a_message_of_20_kb_is_refused_with_the_limit_named() -> None:
    conversation = started(max_characters=2000)
    refused = refusal(conversation, text="a" * 20_000)
    assert refused.code == "too_long"
    assert "20,000" in refused.message and "2,000" in refused.message
    assert not conversation.messages.exists()


def test_a_message_of_exactly_the_limit_is_taken() -> None:
    conversation = started(max_characters=200)
    posted = turns.post(conversation=conversation, client_key="one", text="é" * 200)
    assert len(posted.message.text) == 200


def test_nothing_is_taken_after_the_end_or_the_last_message() -> None:
    conversation = started(max_turns=1)
    turns.say(conversation=conversation, client_key="one", text="Hello")
    assert refusal(conversation, text="More").code == "full"
    conversations.end(conversation=conversation, reason="done")
    assert refusal(conversation, text="More").code == "ended"


@pytest.mark.parametrize("bad", ["", "a b", "k" * 65, "\x00", "é"])
def test_a_message_without_a_usable_key_is_refused(bad: str) -> None:
    with pytest.raises(turns.Refused) as caught:
        turns.post(conversation=started(), client_key=bad, text="Hello")
    assert caught.value.code == "bad_key"


@pytest.mark.parametrize(
    "text",
    [
        'two\nlines, "quoted"\tand a tab',
        "a lone\rcarriage return and \u2028 a line separator",
        "👩‍👩‍👧 מה שלומך e\u0301",
        "=1+1",
        "  spaces around  ",
        "x" * 3999 + "😀",
    ],
)
def test_what_was_written_reads_back_equal(text: str) -> None:
    posted = turns.post(conversation=started(), client_key="one", text=text)
    assert Message.objects.get(pk=posted.message.pk).text == text


def test_what_postgresql_cannot_hold_is_taken_out_and_said() -> None:
    said = []

    def hear(sender: object, removed: int, **_: object) -> None:
        said.append(removed)

    signals.text_cleaned.connect(hear)
    try:
        posted = turns.post(conversation=started(), client_key="one", text="a\x00b\x00c\ud83d")
    finally:
        signals.text_cleaned.disconnect(hear)
    assert Message.objects.get(pk=posted.message.pk).text == "abc\ufffd"
    assert said == [2]


def test_words_of_distress_are_told_to_the_caller_and_to_the_rooms_above() -> None:
    heard = []

    def hear(sender: object, conversation: Conversation, hits: list, **_: object) -> None:
        heard.append((conversation.pk, hits))

    conversation = started()
    signals.distress_noticed.connect(hear)
    try:
        posted = turns.post(conversation=conversation, client_key="one", text="I want to kill myself")
    finally:
        signals.distress_noticed.disconnect(hear)
    assert posted.distress
    assert heard == [(conversation.pk, posted.distress)]


def test_a_task_is_raised_once_with_its_fixed_words() -> None:
    conversation = started(tasks=[CARD])
    turns.say(conversation=conversation, client_key="one", text="Hello")
    reply = turns.say(conversation=conversation, client_key="two", task_key="honey", text="something else")
    task = conversation.tasks.get()
    assert conversation.messages.get(position=2).text == CARD.text
    assert (reply.task, task.raised_in) == (task, 2) and task.raised_at is not None
    assert refusal(conversation, task_key="honey").code == "unknown_task"


@pytest.mark.parametrize("unknown", ["nothing", "", "\x00"])
def test_a_task_that_is_not_of_this_conversation_is_refused(unknown: str) -> None:
    assert refusal(started(tasks=[CARD]), task_key=unknown).code == "unknown_task"
