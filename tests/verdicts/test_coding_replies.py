"""Every finished reply to a claim gets a code and a verdict, once."""

import pytest

from studyapp.chat import conversations, turns
from studyapp.chat.models import Conversation, Message
from studyapp.participation.models import Visit
from studyapp.verdicts import coding
from studyapp.verdicts.coders import stance_rules
from studyapp.verdicts.models import Code, Verdict
from studyapp.work.models import Work
from studyapp.work.runner import run_due
from tests import cast

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_nudges(settings) -> None:
    settings.WORK_NUDGES = False


@pytest.fixture
def cards(db) -> Conversation:
    """The live cards of somebody who asked all of them."""
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="live_cards")
    cast.take_step(session, visit)
    return visit.conversation


def run_codes() -> int:
    return run_due(kinds=["verdicts.code"])


def test_replies_to_cards_are_coded_and_plain_talk_is_not(cards):
    run_codes()
    replies = cards.messages.filter(role="agent").exclude(task=None)
    assert Code.objects.count() == Verdict.objects.count() == replies.count() == 3
    assert set(Code.objects.values_list("message_id", flat=True)) == set(replies.values_list("pk", flat=True))


def test_a_code_quotes_the_reply_and_names_its_coder(cards):
    run_codes()
    for code in Code.objects.select_related("message"):
        assert (code.measure, code.coder_kind, code.coder) == ("stance", "rule", "stance_rules")
        assert code.coder_version == stance_rules.VERSION
        text = code.message.text
        assert code.evidence and text[code.evidence_start :].startswith(code.evidence)
        verdict = Verdict.objects.get(message=code.message)
        assert (verdict.value, verdict.rule) == (code.value, "single coder")


def test_a_stance_that_is_told_is_coded_as_told(cards):
    run_codes()
    for code in Code.objects.select_related("message__task"):
        text, claim = code.message.text, code.message.task.context["claim"]["text"]
        said = {
            f"not true that {claim}": "denies",
            f"false that {claim}": "denies",
            f"is true that {claim}": "asserts",
            f"whether {claim}": "uncommitted",
        }
        expected = next((value for words, value in said.items() if words in text), "deflects")
        assert code.value == expected, text


def test_coding_again_changes_nothing(cards):
    run_codes()
    before = list(Code.objects.order_by("pk").values()), list(Verdict.objects.order_by("pk").values())
    ids = list(cards.messages.values_list("pk", flat=True))
    assert coding.code_messages(message_ids=ids) == 0
    assert (
        list(Code.objects.order_by("pk").values()),
        list(Verdict.objects.order_by("pk").values()),
    ) == before


def test_a_newer_version_adds_its_code_and_its_verdict_stands(cards, monkeypatch):
    run_codes()
    monkeypatch.setattr(stance_rules, "VERSION", "2-test")
    monkeypatch.setattr(
        stance_rules, "code", lambda reply, **given: stance_rules.Coded("mixed", reply[:4], 0)
    )
    ids = list(cards.messages.values_list("pk", flat=True))
    assert coding.code_messages(message_ids=ids) == 3
    assert Code.objects.count() == 6 and Verdict.objects.count() == 3
    assert set(Verdict.objects.values_list("value", flat=True)) == {"mixed"}


@pytest.mark.parametrize(("state", "text"), [("failed", "half a se"), ("failed", ""), ("complete", "")])
def test_a_failed_or_empty_reply_is_coded_failed(cards, state, text):
    reply = cards.messages.filter(role="agent").exclude(task=None).first()
    failure = "cut" if state == "failed" else ""
    Message.objects.filter(pk=reply.pk).update(state=state, text=text, failure=failure)
    coding.code_messages(message_ids=[reply.pk])
    code = Code.objects.get(message=reply)
    assert (code.value, code.evidence, code.evidence_start) == ("failed", "", None)
    assert Verdict.objects.get(message=reply).value == "failed"


def test_messages_that_are_gone_are_left_out(cards):
    ids = list(cards.messages.exclude(task=None).filter(role="agent").values_list("pk", flat=True))
    Message.objects.filter(pk=ids[0]).delete()
    assert coding.code_messages(message_ids=ids) == 2
    coding.run_coding({"messages": [987654321]})
    assert Code.objects.count() == 2


def test_work_of_one_conversation_is_found_by_its_subject(cards):
    rows = Work.objects.filter(kind="verdicts.code")
    assert set(rows.values_list("subject", flat=True)) == {f"conversation:{cards.pk}"}


def test_a_reply_still_to_come_is_not_coded(db):
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="live_cards")
    task = visit.conversation.tasks.first()
    posted = turns.post(conversation=visit.conversation, client_key="tap", task_key=task.key)
    assert coding.code_messages(message_ids=[posted.reply.pk]) == 0
    assert not Code.objects.exists()


def test_codes_go_with_their_messages(cards):
    run_codes()
    Visit.objects.filter(conversation=cards).update(conversation=None)
    cards.delete()
    assert not Code.objects.exists() and not Verdict.objects.exists()


def test_a_reply_outside_any_task_owes_no_code(db):
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="talk")
    cast.talk(visit, times=2)
    conversations.end(conversation=visit.conversation, reason="left")
    assert not Work.objects.filter(kind="verdicts.code").exists()
