import pytest

from studyapp.chat import turns
from studyapp.chat.models import Message
from studyapp.participation import cards, debrief, progress, withdrawal
from tests import cast

pytestmark = pytest.mark.django_db


def test_each_claim_discussed_is_told_with_what_the_partner_said_and_what_is_so() -> None:
    session = cast.arrives(cast.study())
    cast.walk(session, to="debrief")
    told = debrief.statement(session)
    assert [each.key for each in told.claims] == [card.key for card in cards.discussed(session)]
    replies = {
        message.task.key: message.text
        for message in Message.objects.filter(role="agent", task__isnull=False).select_related("task")
    }
    for each in told.claims:
        claim = cards.claim(session, each.key)
        assert each.told == replies[each.key] != ""
        assert (each.truth, each.explanation, each.source) == (
            claim["truth"],
            claim["explanation"],
            claim["source"],
        )
        assert claim["claim"] in each.asked


def test_it_names_the_persons_own_condition_among_all() -> None:
    session = cast.arrives(cast.study())
    cast.walk(session, to="debrief")
    told = debrief.statement(session)
    assert told.conditions == ("Plain", "Warm")
    assert told.condition == {"plain": "Plain", "warm": "Warm"}[session.condition.slug]
    assert told.varied.startswith("How warmly the AI spoke")


def test_it_says_the_partner_may_have_been_wrong_elsewhere_and_was_a_demonstration() -> None:
    session = cast.arrives(cast.study())
    cast.walk(session, to="debrief")
    told = debrief.statement(session)
    assert "wrong elsewhere" in told.elsewhere
    assert "on purpose" in told.demonstration


def test_a_real_partner_is_not_called_a_demonstration(settings) -> None:
    session = cast.arrives(cast.study())
    cast.walk(session, to="debrief")
    settings.PROVIDERS = {"demo": {"kind": "openai"}}
    assert debrief.statement(session).demonstration == ""


def test_who_stops_among_the_cards_is_told_only_about_those_that_were_asked() -> None:
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="live_cards")
    first = visit.conversation.tasks.first()
    turns.say(conversation=visit.conversation, client_key="tap", task_key=first.key)
    withdrawal.withdraw(session=session, keep=True)
    assert [each.key for each in debrief.statement(session).claims] == [first.key]


def test_a_claim_whose_answer_never_came_is_still_corrected() -> None:
    session = cast.arrives(cast.study())
    cast.walk(session, to="debrief")
    reply = Message.objects.filter(role="agent", task__isnull=False).first()
    Message.objects.filter(pk=reply.pk).update(state="failed", failure="cut", text="half a")
    told = {each.key: each for each in debrief.statement(session).claims}[reply.task.key]
    assert (told.failed, told.told) == (True, "")
    assert told.explanation


def test_who_stops_before_being_allocated_is_told_what_is_varied_and_nothing_of_a_partner() -> None:
    session = cast.arrives(cast.study())
    cast.walk(session, to="lonely_before")
    withdrawal.withdraw(session=session, keep=True)
    told = debrief.statement(session)
    assert (told.condition, told.claims, told.elsewhere, told.demonstration) == (None, (), "", "")
    assert told.intro


def test_the_solomon_share_has_no_claims_to_be_told_about() -> None:
    session = cast.arrives(cast.study(), seed=cast.SOLOMON_SEED)
    cast.walk(session, to="debrief")
    told = debrief.statement(session)
    assert told.claims == ()
    assert told.elsewhere
    assert progress.current(session).step_kind == "debrief"
    assert told.rated == ()
    assert told.asked_nothing


def test_claims_that_were_rated_and_not_discussed_are_corrected_too() -> None:
    session = cast.arrives(cast.study())
    cast.walk(session, to="debrief")
    told = debrief.statement(session)
    discussed = {each.key for each in told.claims}
    rated = {card.key for card in cards.rated(session)}
    assert {fact.key for fact in told.rated} == rated - discussed
    assert all(fact.truth == cards.claim(session, fact.key)["truth"] for fact in told.rated)
    assert told.asked_nothing == ""
