import pytest

from studyapp.participation import draws, entry, recruitment_id
from studyapp.participation.models import Participant, Session, Tombstone
from studyapp.studies.models import Study, StudyVersion
from tests import cast
from tests.participation.racing import at_once


@pytest.mark.django_db
def test_the_same_person_comes_back_to_their_session_whatever_the_case_and_blanks() -> None:
    study = cast.study()
    first = cast.arrives(study, recruitment_id=cast.ADA, seed=None)
    for given in (cast.ADA, cast.ADA.upper(), f"  {cast.ADA}\t"):
        assert cast.arrives(study, recruitment_id=given, seed=None) == first
    assert (Participant.objects.count(), Session.objects.count()) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_the_same_person_twenty_times_at_one_instant_is_one_participant() -> None:
    study = cast.study()
    sessions = at_once(
        lambda _: cast.arrives(Study.objects.get(pk=study.pk), recruitment_id=cast.ADA, seed=None),
        times=20,
        threads=10,
    )
    assert len({session.pk for session in sessions}) == 1
    assert (Participant.objects.count(), Session.objects.count()) == (1, 1)
    # One draw of the share, and one of cards where it dealt any.
    assert Session.objects.get().draws.count() == (1 if draws.solomon(sessions[0]) else 2)


@pytest.mark.django_db
def test_the_id_is_kept_encrypted_and_found_by_its_hash_only() -> None:
    participant = cast.arrives(cast.study(), recruitment_id=cast.ADA).participant
    assert cast.ADA not in f"{participant.recruitment_id}{participant.recruitment_hash}{participant.code}"
    assert recruitment_id.decrypt(participant.recruitment_id) == cast.ADA


@pytest.mark.django_db
def test_people_on_a_plain_link_are_each_somebody_new() -> None:
    study = cast.study()
    one, two = cast.arrives(study), cast.arrives(study)
    assert one.participant != two.participant
    assert one.participant.recruitment_hash is None


@pytest.mark.django_db
def test_an_arrival_draws_and_logs_before_anything_is_shown() -> None:
    session = cast.arrives(cast.study())
    assert set(session.draws.values_list("name", flat=True)) == {"solomon", "cards"}
    assert list(session.events.values_list("kind", flat=True)) == ["arrived"]
    assert session.app_version
    assert session.status == Session.Status.ARRIVED


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("status", "code"),
    [(Study.Status.DRAFT, "not_open"), (Study.Status.PAUSED, "paused"), (Study.Status.CLOSED, "closed")],
)
def test_a_study_that_is_not_open_lets_nobody_in_and_says_so(status: str, code: str) -> None:
    study = cast.study(status=status)
    with pytest.raises(entry.EntryRefused) as refused:
        cast.arrives(study, recruitment_id=cast.ADA)
    assert refused.value.code == code
    assert not Participant.objects.exists()


@pytest.mark.django_db
def test_who_came_before_a_pause_still_finds_their_session() -> None:
    study = cast.study()
    session = cast.arrives(study, recruitment_id=cast.ADA)
    study.status = Study.Status.PAUSED
    study.save()
    assert cast.arrives(study, recruitment_id=cast.ADA) == session


@pytest.mark.django_db
def test_the_status_of_the_study_says_what_a_session_is_for() -> None:
    study = cast.study()
    assert cast.arrives(study).kind == "pilot"
    with pytest.raises(entry.EntryRefused):
        entry.enter(study=study, kind="live", source="plain")


@pytest.mark.django_db
def test_a_preview_opens_a_draft_in_the_condition_asked_for() -> None:
    study = cast.study(status=Study.Status.DRAFT)
    session = entry.enter(study=study, kind="preview", source="preview", condition="warm", seed=cast.SEED)
    assert session.version.kind == StudyVersion.Kind.REHEARSAL
    cast.walk(session, to="talk")
    session.refresh_from_db()
    assert session.condition.slug == "warm"
    assert session.allocation.rule == {"name": "preview"}
    assert session.allocation.kind == "preview"


@pytest.mark.django_db
def test_a_preview_of_a_condition_that_is_not_there_is_refused() -> None:
    with pytest.raises(entry.EntryRefused) as refused:
        entry.enter(study=cast.study(), kind="preview", source="preview", condition="icy")
    assert refused.value.code == "unknown_condition"


@pytest.mark.django_db
def test_an_edited_draft_is_frozen_anew_and_sessions_under_way_stay_on_theirs() -> None:
    study = cast.study()
    before = cast.arrives(study)
    study.title = "Another title"
    study.save()
    after = cast.arrives(study)
    before.refresh_from_db()
    assert after.version != before.version
    assert before.version.document["title"] == "A short conversation"


@pytest.mark.django_db
def test_who_was_erased_cannot_come_in_again() -> None:
    study = cast.study()
    hashed = recruitment_id.hashed(study_slug=study.slug, recruitment_id=cast.ADA)
    Tombstone.objects.create(study=study, kind="pilot", recruitment_hash=hashed, at=study.created_at)
    with pytest.raises(entry.EntryRefused) as refused:
        cast.arrives(study, recruitment_id=cast.ADA.upper())
    assert refused.value.code == "erased"
