"""A reply told as it comes, by a real web process."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from studyapp.chat.models import Conversation, Message
from studyapp.chat.tokens import stream_token
from tests.chat.briefs import CARD, key, started
from tests.chat.listening import Event, Page, told
from tests.fakes.model_server import REPLY, ModelServer
from tests.live import LiveSite
from tests.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def conversation() -> Conversation:
    """With a model that says a word every tenth of a second."""
    return started(
        provider="fake",
        model="slow",
        whole_s=20,
        opening="Hello.",
        start_ms=500,
        ms_per_char=10,
        tasks=[CARD],
    )


@pytest.fixture
def page(site: LiveSite, conversation: Conversation) -> Page:
    return Page(site.url, conversation)


def say(page: Page, text: str = "I lost my keys.") -> str:
    """Post a message and return where its reply is told."""
    status, answer = page.post(client_key=key(), text=text)
    assert status == 201, answer
    return answer["stream"]


def reply_of(conversation: Conversation) -> Message:
    return conversation.messages.get(position=2)


def assert_one_of_everything(conversation: Conversation, fake_models: ModelServer, asked_before: int) -> None:
    """One message, one reply, one bill."""
    states = conversation.messages.filter(position__gt=0).values_list("role", "state")
    assert list(states) == [("participant", "complete"), ("agent", "complete")]
    assert reply_of(conversation).text == REPLY
    assert reply_of(conversation).attempts.count() == 1
    assert len(fake_models.requests) - asked_before == 1


def test_a_reply_is_told_in_pieces_from_acceptance_to_the_end(page: Page, conversation: Conversation) -> None:
    listener = page.listen(say(page))
    assert listener.status == 200
    assert listener.answer.headers["Content-Type"].startswith("text/event-stream")
    events = list(listener)
    assert events[0] == Event(
        "", "accepted", {"position": 2, "schedule": {"start_ms": 500, "ms_per_char": 10}}
    )
    tokens = [event for event in events if event.name == "token"]
    assert len(tokens) > 4, "the reply came in one piece"
    assert told(events) == REPLY
    assert events[-1].name == "done" and events[-1].data == {"position": 2, "text": REPLY}
    assert reply_of(conversation).text == REPLY


def test_ids_are_offsets_and_a_listener_who_comes_back_is_told_the_rest(page: Page) -> None:
    stream = say(page)
    first = page.listen(stream)
    heard = []
    for event in first:
        heard.append(event)
        if len(told(heard)) > 10:
            break
    first.leave()
    assert heard[-1].id == f"1:{len(told(heard))}"
    rest = list(page.listen(stream, last_event_id=heard[-1].id))
    assert told(heard) + told(rest) == REPLY
    assert rest[-1].data["text"] == REPLY


@pytest.mark.parametrize("start", ["0", "7", "1:7", "1:55", "99999", "nonsense"])
def test_a_finished_reply_read_from_any_offset_is_the_rest_of_the_whole(page: Page, start: str) -> None:
    stream = say(page)
    list(page.listen(stream))
    events = list(page.listen(f"{stream}&from={start}"))
    offset = int(start.rpartition(":")[2]) if start != "nonsense" else 0
    assert told(events) == REPLY[offset:]
    assert events[-1].name == "done" and events[-1].data["text"] == REPLY


@pytest.mark.parametrize("moment", ["before the first word", "in the middle", "after the last"])
def test_a_reload_at_any_moment_costs_and_doubles_nothing(
    page: Page, conversation: Conversation, fake_models: ModelServer, moment: str
) -> None:
    before = len(fake_models.requests)
    listener = page.listen(say(page))
    for event in listener:
        if moment == "before the first word" or (moment == "in the middle" and event.name == "token"):
            break
    listener.leave()
    status, stands = page.read()
    assert status == 200
    if moment == "after the last":
        assert stands["stream"] is None
        assert stands["messages"][-1]["text"] == REPLY
    else:
        assert stands["messages"][-1]["state"] in {"pending", "streaming"}
        assert list(page.listen(stands["stream"]))[-1].data["text"] == REPLY
    assert_one_of_everything(conversation, fake_models, before)


def test_two_listeners_hear_the_same_and_one_reply_is_paid_for(
    page: Page, conversation: Conversation, fake_models: ModelServer
) -> None:
    before = len(fake_models.requests)
    stream = say(page)
    with ThreadPoolExecutor(2) as threads:
        heard = list(threads.map(lambda _: list(page.listen(stream)), range(2)))
    assert [told(events) for events in heard] == [REPLY, REPLY]
    assert_one_of_everything(conversation, fake_models, before)


def test_a_reply_is_whole_though_its_only_listener_left(page: Page, conversation: Conversation) -> None:
    listener = page.listen(say(page))
    next(event for event in listener if event.name == "token")
    listener.leave()
    until(lambda: reply_of(conversation).state == "complete", 10)
    assert reply_of(conversation).text == REPLY


def test_a_reply_is_whole_though_nobody_ever_listened(page: Page, conversation: Conversation) -> None:
    say(page)
    until(lambda: reply_of(conversation).state == "complete", 10)
    assert reply_of(conversation).text == REPLY


def test_the_row_grows_while_the_reply_is_under_way(
    page: Page, conversation: Conversation, fake_models: ModelServer
) -> None:
    fake_models.reply = REPLY + " Take your time." * 6
    try:
        say(page)
        until(lambda: 0 < len(reply_of(conversation).text) < len(fake_models.reply), 10)
        assert reply_of(conversation).state == "streaming"
        until(lambda: reply_of(conversation).state == "complete", 10)
    finally:
        fake_models.reply = REPLY


def test_a_new_attempt_begins_the_text_again(site: LiveSite, fake_models: ModelServer) -> None:
    conversation = started(provider="fake", model="slow", whole_s=20, attempts=2)
    page = Page(site.url, conversation)
    fake_models.script("drop", "slow")
    events = list(page.listen(say(page)))
    assert told(events) == REPLY
    assert [event.name for event in events].count("accepted") == 2
    assert events[-1].name == "done" and events[-1].id.startswith("2:")


def test_a_failed_reply_is_told_as_such_and_the_conversation_goes_on(
    site: LiveSite, fake_models: ModelServer
) -> None:
    conversation = started(provider="fake", model="slow", whole_s=20, attempts=1)
    page = Page(site.url, conversation)
    fake_models.script("500", "say")
    events = list(page.listen(say(page)))
    assert events[-1].name == "failed" and events[-1].data == {"kind": "broken", "retry": True}
    assert page.read()[1]["messages"][-1]["failure"] == {"kind": "broken", "retry": True}
    assert list(page.listen(say(page)))[-1].name == "done"


def test_a_comment_is_sent_while_there_is_nothing_to_tell(start_site, fake_models: ModelServer) -> None:
    site = start_site(DJANGO_SETTINGS_MODULE="tests.chat.chatty_settings")
    conversation = started(provider="fake", model="hang", first_token_s=3, whole_s=3)
    listener = Page(site.url, conversation).listen(say(Page(site.url, conversation)))
    lines = listener.answer.read().decode().split("\n")
    assert ": still here" in lines


def test_the_page_reads_how_the_conversation_stands(page: Page, conversation: Conversation) -> None:
    list(page.listen(say(page)))
    status, stands = page.read()
    assert status == 200
    assert [(m["position"], m["role"], m["state"]) for m in stands["messages"]] == [
        (0, "agent", "complete"),
        (1, "participant", "complete"),
        (2, "agent", "complete"),
    ]
    assert (stands["state"], stands["turns"], stands["stream"]) == ("open", 1, None)
    assert stands["messages"][2]["schedule"] == {"start_ms": 500, "ms_per_char": 10}
    assert 1000 < stands["messages"][2]["created_ms_ago"] < 20_000


def test_posts_are_answered_as_the_contract_says(page: Page, conversation: Conversation) -> None:
    status, first = page.post(client_key="one", text="I want to kill myself")
    assert (status, first["position"], first["reply_position"], first["support"]) == (201, 1, 2, True)
    status, again = page.post(client_key="one", text="I want to kill myself")
    assert (status, again["reply_position"]) == (200, 2)
    assert (page.post(client_key="two", text="More")[0]) == 409
    list(page.listen(first["stream"]))
    assert page.post(client_key="three", text=" ")[0] == 422
    status, refusal = page.post(client_key="four", text="a" * 20_000)
    assert (status, refusal["error"]) == (413, "too_long")
    assert page.post(client_key="five", text="a" * 400_000)[0] == 413
    assert page.post(client_key="six", text=7)[0] == 422
    assert page.post(client_key="seven", task="nothing")[0] == 422
    status, raised = page.post(client_key="eight", task="honey")
    assert (status, raised["support"]) == (201, False)


def test_strangers_are_refused_at_every_door(site: LiveSite, page: Page, conversation: Conversation) -> None:
    stream = say(page)
    assert page.listen(f"/c/{conversation.pk}/stream?token=nonsense").status == 403
    assert page.listen(f"/c/{conversation.pk}/stream").status == 403
    foreign = stream_token(started().pk, reply_of(conversation).pk)
    assert page.listen(f"/c/{conversation.pk}/stream?token={foreign}").status == 403
    page.token = "nonsense"
    assert page.read()[0] == 403
    assert page.post(client_key="one", text="Hello")[0] == 403
    list(Page(site.url, conversation).listen(stream))
