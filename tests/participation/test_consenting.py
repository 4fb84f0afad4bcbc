import pytest

from studyapp.participation import consent, progress, transitions
from studyapp.participation.models import Session
from tests import cast

pytestmark = pytest.mark.django_db


def test_consent_needs_every_statement() -> None:
    session = cast.arrives(cast.study())
    with pytest.raises(consent.ConsentIncomplete) as refused:
        consent.give(session=session, statements={1}, share_words=True)
    assert refused.value.missing == [0]
    session.refresh_from_db()
    assert (session.status, session.consented_at) == (Session.Status.ARRIVED, None)


def test_the_page_is_told_which_statement_is_open() -> None:
    session = cast.arrives(cast.study())
    result = progress.submit(session=session, position=0, data={"statement-0": "on"})
    assert (result.kind, result.missing) == ("missing", ("1",))


def test_giving_consent_records_it_and_goes_on() -> None:
    session = cast.arrives(cast.study())
    consent.give(session=session, statements={0, 1}, share_words=False)
    assert session.status == Session.Status.ACTIVE
    assert session.consented_at is not None
    assert session.share_words is False
    assert progress.current(session).step_key == "lonely_before"


def test_consent_cannot_be_given_twice() -> None:
    session = cast.arrives(cast.study())
    consent.give(session=session, statements={0, 1}, share_words=False)
    with pytest.raises(consent.NotAsked):
        consent.give(session=session, statements={0, 1}, share_words=True)


def test_declining_ends_with_the_code_for_it_and_keeps_no_answers() -> None:
    session = cast.arrives(cast.study())
    visit = progress.current(session)
    assert progress.submit(session=session, position=visit.position, data={"decline": ""}).kind == "moved"
    assert session.status == Session.Status.DECLINED
    assert session.completion_code == "CASTNO"
    assert progress.current(session).step_kind == "code"
    assert session.share_words is None


def test_where_the_study_names_no_code_one_is_made_up_once() -> None:
    study = cast.study(recruitment={"codes": {"complete": "CASTDONE"}})
    codes = set()
    for _ in range(2):
        session = cast.arrives(study)
        consent.decline(session=session)
        codes.add(session.completion_code)
        progress.current(session)
        assert session.completion_code in codes
    assert len(codes) == 2
    assert "CASTDONE" not in codes


def test_a_move_that_is_not_in_the_table_is_refused() -> None:
    session = cast.arrives(cast.study())
    consent.decline(session=session)
    with pytest.raises(transitions.MoveRefused, match="is declined and cannot become active"):
        transitions.move(session=session, to=Session.Status.ACTIVE)
    assert set(transitions.MOVES) == set(Session.Status.values)
