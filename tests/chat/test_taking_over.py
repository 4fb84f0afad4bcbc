"""Processes that die, hang or stop in the middle of a reply, and the others that take over."""

import os
import signal
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from studyapp.chat import claiming, turns
from studyapp.chat.beating import Pulse, beat
from studyapp.chat.models import ChatProcess, Conversation, Message
from studyapp.chat.tasks import finish_abandoned
from tests.chat.briefs import key, started
from tests.chat.conftest import StartSite
from tests.chat.listening import Page, told
from tests.fakes.model_server import REPLY, ModelServer
from tests.live import LiveSite
from tests.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)


def posted(site: LiveSite, **changes: object) -> tuple[Conversation, Page, str]:
    conversation = started(**{"provider": "fake", "model": "slow", "whole_s": 20, **changes})
    page = Page(site.url, conversation)
    status, answer = page.post(client_key=key(), text="I lost my keys.")
    assert status == 201
    return conversation, page, answer["stream"]


def reply_of(conversation: Conversation) -> Message:
    return conversation.messages.get(position=1)


def state_is(conversation: Conversation, state: str) -> Callable[[], bool]:
    return lambda: reply_of(conversation).state == state


def test_another_process_takes_over_when_one_is_killed_in_mid_reply(
    start_site: StartSite, site: LiveSite, fake_models: ModelServer
) -> None:
    dying = start_site()
    fake_models.script("hold", "slow")
    conversation, page, stream = posted(dying)
    next(event for event in page.listen(stream) if event.name == "token")
    os.kill(dying.process.pid, signal.SIGKILL)
    events = list(Page(site.url, conversation).listen(stream, last_event_id="1:5"))
    assert events[-1].name == "done" and events[-1].data["text"] == REPLY
    assert told(events) == REPLY, "the second attempt was not told from its start"
    attempts = reply_of(conversation).attempts.values_list("number", "failure")
    assert list(attempts) == [(1, "lost"), (2, "")]


def test_a_process_that_comes_back_after_it_was_given_up_writes_nothing(
    start_site: StartSite, site: LiveSite, fake_models: ModelServer
) -> None:
    frozen = start_site()
    fake_models.script("hold", "say")
    conversation, page, stream = posted(frozen, whole_s=3)
    next(event for event in page.listen(stream) if event.name == "token")
    os.kill(frozen.process.pid, signal.SIGSTOP)
    assert list(Page(site.url, conversation).listen(stream))[-1].data["text"] == REPLY
    before = [
        Message.objects.filter(conversation=conversation).values().order_by("pk")[:],
        reply_of(conversation).attempts.values().order_by("pk")[:],
    ]
    before = [list(rows) for rows in before]
    os.kill(frozen.process.pid, signal.SIGCONT)
    # Its call times out, it tries to write that, and finds that a newer attempt exists.
    until(lambda: "attempt 1: timed_out" in frozen.log("web"), 10, lambda: frozen.log("web"))
    conversation_2, _, stream_2 = posted(frozen)
    list(Page(frozen.url, conversation_2).listen(stream_2))
    assert list(Message.objects.filter(conversation=conversation).values().order_by("pk")) == before[0]
    assert list(reply_of(conversation).attempts.values().order_by("pk")) == before[1]


def test_a_listener_at_another_process_hears_the_reply_as_it_comes(
    start_site: StartSite, site: LiveSite, fake_models: ModelServer
) -> None:
    other = start_site()
    before = len(fake_models.requests)
    conversation, _, stream = posted(other)
    events = list(Page(site.url, conversation).listen(stream))
    assert told(events) == REPLY
    assert len([event for event in events if event.name == "token"]) > 4
    assert len(fake_models.requests) - before == 1


def test_without_valkey_replies_are_still_told_by_every_process(
    start_site: StartSite, fake_models: ModelServer
) -> None:
    away = {"REDIS_URL": "redis://127.0.0.1:9/0"}
    first, second = start_site(**away), start_site(**away)
    fake_models.reply = REPLY + " Take your time." * 6
    try:
        conversation, page, stream = posted(first)
        elsewhere = Page(second.url, conversation).listen(stream)
        here = list(page.listen(stream))
        there = list(elsewhere)
        assert told(here) == told(there) == fake_models.reply
        assert len([event for event in there if event.name == "token"]) > 1
    finally:
        fake_models.reply = REPLY


def test_term_in_mid_reply_leaves_a_whole_reply(start_site: StartSite, fake_models: ModelServer) -> None:
    site = start_site()
    conversation, page, stream = posted(site)
    next(event for event in page.listen(stream) if event.name == "token")
    site.process.stop()
    assert reply_of(conversation).state == "complete"
    assert reply_of(conversation).text == REPLY
    assert reply_of(conversation).attempts.count() == 1


def test_a_reply_that_outlasts_the_stop_is_let_go_of_at_once(
    start_site: StartSite, site: LiveSite, fake_models: ModelServer
) -> None:
    stopping = start_site(DRAIN_S="0.5")
    fake_models.script("hold", "say")
    conversation, page, stream = posted(stopping)
    next(event for event in page.listen(stream) if event.name == "token")
    stopping.process.stop()
    assert reply_of(conversation).attempts.get().failure == "lost"
    assert ChatProcess.objects.filter(pk=reply_of(conversation).attempts.get().process).count() == 0
    assert list(Page(site.url, conversation).listen(stream))[-1].data["text"] == REPLY


def test_beat_finishes_what_no_web_process_took() -> None:
    conversation = started()
    turns.post(conversation=conversation, client_key="one", text="Hello")
    assert finish_abandoned() == 0, "a fresh message is left to the web process"
    Message.objects.update(created_at=timezone.now() - timedelta(seconds=30))
    assert finish_abandoned() == 1
    assert reply_of(conversation).state == "complete"


def test_a_turn_is_held_as_long_as_its_process_beats(settings: object) -> None:
    conversation = started()
    reply = turns.post(conversation=conversation, client_key="one", text="Hello").reply
    holder, other = Pulse(), Pulse()
    beat(holder.id)
    assert claiming.claim(reply.pk, holder.id) is not None
    assert claiming.claim(reply.pk, other.id) is None
    assert not claiming.unowned().exists()
    ChatProcess.objects.update(beat_at=timezone.now() - timedelta(seconds=settings.PROCESS_DEAD_S + 1))
    assert claiming.unowned().get() == reply
    taken = claiming.claim(reply.pk, other.id)
    assert taken is not None and taken.number == 2


def test_a_turn_that_kills_every_process_ends_as_lost() -> None:
    conversation = started()
    reply = turns.post(conversation=conversation, client_key="one", text="Hello").reply
    for _ in range(claiming.MOST_LOSSES):
        assert claiming.claim(reply.pk, Pulse().id) is not None
    assert claiming.claim(reply.pk, Pulse().id) is None
    reply.refresh_from_db()
    assert (reply.state, reply.failure) == ("failed", "lost")


def test_a_finished_or_erased_reply_cannot_be_claimed() -> None:
    conversation = started()
    reply = turns.say(conversation=conversation, client_key="one", text="Hello")
    assert claiming.claim(reply.pk, Pulse().id) is None
    conversation.delete()
    assert claiming.claim(reply.pk, Pulse().id) is None
