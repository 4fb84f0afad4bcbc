from pathlib import Path

import pytest
from django.conf import settings

from studyapp.participation import allocating, cards, draws, entry, invariants, progress
from studyapp.participation.models import Session
from studyapp.studies import drafts, study_file
from tests import cast

pytestmark = pytest.mark.django_db


def test_a_session_goes_from_consent_to_code() -> None:
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="code")
    session.refresh_from_db()
    assert visit.step_kind == "code"
    assert session.status == Session.Status.COMPLETE
    assert session.completion_code == "CASTDONE"
    assert session.finished_at is not None
    keys = list(session.visits.order_by("position").values_list("step_key", flat=True))
    assert keys == [step["key"] for step in session.version.document["steps"]]
    assert not session.visits.filter(completed_at=None).exclude(step_kind="code").exists()


def test_the_solomon_share_sees_neither_ratings_nor_cards() -> None:
    session = cast.arrives(cast.study(), seed=cast.SOLOMON_SEED)
    assert draws.solomon(session)
    cast.walk(session, to="code")
    kinds = set(session.visits.values_list("step_kind", flat=True))
    assert kinds & {"ratings", "cards", "right"} == set()
    assert cards.rated(session) == []
    session.refresh_from_db()
    assert session.status == Session.Status.COMPLETE


def test_ratings_ask_the_drawn_claims_and_right_those_discussed() -> None:
    session = cast.arrives(cast.study())
    before = cast.walk(session, to="ratings_before").administration
    asked = {item["key"] for item in before.rendered["items"]}
    assert asked == {card.key for card in cards.rated(session)}
    right = cast.walk(session, to="right").administration
    assert {item["key"] for item in right.rendered["items"]} == {c.key for c in cards.discussed(session)}


def test_cards_are_put_in_their_stated_words_and_continue_the_conversation() -> None:
    session = cast.arrives(cast.study())
    talk = cast.walk(session, to="talk").conversation
    visit = cast.walk(session, to="live_cards")
    assert visit.conversation.continues == talk
    tasks = {task.key: task for task in visit.conversation.tasks.all()}
    for card in cards.discussed(session):
        claim = cards.claim(session, card.key)
        template = session.version.document["cards"]["stated"][card.stated]
        assert tasks[card.key].text == template.replace("{claim}", claim["claim"])
        assert tasks[card.key].context["claim"]["truth"] is claim["truth"]


def test_a_truth_handed_in_reaches_the_demo_agent_of_the_conversation() -> None:
    session = cast.arrives(cast.study())
    cast.walk(session, to="support")
    fresh = cast.arrives(session.study, seed=3)
    visit = progress.current(fresh)
    while visit.step_kind != "conversation":
        cast.take_step(fresh, visit)
        visit = progress.current(fresh, truth={"steadiness": 0.9})
    assert visit.conversation.brief["context"]["truth"] == {"steadiness": 0.9}
    assert "truth" not in session.visits.get(step_key="talk").conversation.brief["context"]


@pytest.mark.parametrize("path", sorted((settings.BASE_DIR / "studies").glob("*.yaml")), ids=lambda p: p.stem)
def test_every_study_that_ships_can_be_walked_to_its_end(path: Path) -> None:
    study = drafts.load(file=study_file.read(path))
    for seed in range(1, 5):
        session = entry.enter(study=study, kind="simulated", source="tests", seed=seed)
        cast.walk(session, to="code")
        session.refresh_from_db()
        assert session.status == Session.Status.COMPLETE
    assert allocating.verify(study=study) == []
    assert invariants.broken() == []
