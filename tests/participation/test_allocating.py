from collections import Counter

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from studyapp.participation import allocating, entry, progress
from studyapp.participation.models import Allocation, Session
from studyapp.studies.models import Study
from tests import cast
from tests.participation.racing import at_once


@pytest.mark.django_db(transaction=True)
def test_a_hundred_arrivals_at_once_all_get_a_condition_in_balance_and_without_gaps() -> None:
    study = cast.study()

    def come(_: int) -> Session:
        session = cast.arrives(Study.objects.get(pk=study.pk), seed=None)
        cast.walk(session, to="talk")
        return session

    sessions = at_once(come, times=100, threads=12)
    counts = Counter(Session.objects.get(pk=session.pk).condition.slug for session in sessions)
    assert sum(counts.values()) == 100
    # The largest block is four: at most two more of one than of the other.
    assert abs(counts["plain"] - counts["warm"]) <= 2
    positions = list(Allocation.objects.order_by("position").values_list("position", flat=True))
    assert positions == list(range(1, 101))
    assert allocating.verify(study=study) == []


@pytest.mark.django_db
def test_allocating_twice_draws_once() -> None:
    session = cast.arrives(cast.study())
    cast.walk(session, to="talk")
    session.refresh_from_db()
    assert allocating.allocate(session=session) == session.condition
    assert Allocation.objects.count() == 1


@pytest.mark.django_db
def test_each_kind_has_a_log_of_its_own() -> None:
    study = cast.study()
    cast.walk(cast.arrives(study), to="talk")
    for seed in (3, 6):
        made = entry.enter(study=study, kind="simulated", source="simulation", seed=seed)
        cast.walk(made, to="talk")
    preview = entry.enter(study=study, kind="preview", source="preview", condition="warm", seed=7)
    cast.walk(preview, to="talk")
    logs = {
        kind: list(Allocation.objects.filter(kind=kind).values_list("position", flat=True))
        for kind in ("pilot", "simulated", "preview")
    }
    assert logs == {"pilot": [1], "simulated": [1, 2], "preview": [1]}
    assert allocating.verify(study=study) == []


@pytest.mark.django_db
def test_counts_go_by_condition_across_versions() -> None:
    study = cast.study()
    cast.walk(cast.arrives(study), to="talk")
    study.title = "Another title"
    study.save()
    cast.walk(cast.arrives(study), to="talk")
    assert sum(Allocation.objects.get(position=2).counts.values()) == 1


@pytest.mark.django_db
def test_simulated_sessions_of_one_seed_are_allocated_alike() -> None:
    def conditions(slug_of_study: str) -> list[str]:
        study = cast.study(slug=slug_of_study)
        for seed in range(20, 30):
            made = entry.enter(study=study, kind="simulated", source="simulation", seed=seed)
            cast.walk(made, to="talk")
        return list(Allocation.objects.filter(study=study).values_list("condition_slug", flat=True))

    assert conditions("cast-one") == conditions("cast-two")


@pytest.mark.django_db
def test_when_every_place_is_taken_the_person_leaves_kindly_with_a_code() -> None:
    file_conditions = [
        {"slug": "plain", "label": "Plain", "factors": {"warmth": "plain"}, "warmth": 0, "cap": 1},
        {"slug": "warm", "label": "Warm", "factors": {"warmth": "warm"}, "warmth": 1, "cap": 1},
    ]
    study = cast.study(conditions=file_conditions)
    for _ in range(2):
        cast.walk(cast.arrives(study), to="talk")
    late = cast.arrives(study)
    visit = cast.walk(late, to="code")
    late.refresh_from_db()
    assert late.status == Session.Status.STUDY_FULL
    assert late.completion_code
    assert visit.step_kind == "code"
    assert not late.visits.filter(step_kind__in=["debrief", "conversation"]).exists()
    assert Allocation.objects.count() == 2


@pytest.mark.django_db
def test_a_log_that_was_tampered_with_does_not_verify() -> None:
    study = cast.study()
    for _ in range(3):
        cast.walk(cast.arrives(study), to="talk")
    call_command("verify_allocation", study.slug)
    row = Allocation.objects.get(position=2)
    other = {"plain": "warm", "warm": "plain"}[row.condition_slug]
    with connection.cursor() as cursor:
        # The trigger refuses it in earnest; somebody with the database's own account could do it.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE participation_allocation DISABLE TRIGGER USER")
        cursor.execute(
            "UPDATE participation_allocation SET condition_slug = %s WHERE id = %s", [other, row.pk]
        )
        cursor.execute("ALTER TABLE participation_allocation ENABLE TRIGGER USER")
    found = allocating.verify(study=study)
    assert {each.position for each in found} >= {2}
    with pytest.raises(CommandError, match="do not follow"):
        call_command("verify_allocation", study.slug)


@pytest.mark.django_db
def test_entered_and_completed_are_both_told() -> None:
    study = cast.study()
    cast.walk(cast.arrives(study), to="code")
    cast.walk(cast.arrives(study), to="talk")
    tallies = allocating.tallies(study=study, kind="pilot")
    assert sum(tally.allocated for tally in tallies) == 2
    assert sum(tally.completed for tally in tallies) == 1


@pytest.mark.django_db
def test_nothing_before_allocation_differs_by_condition() -> None:
    study = cast.study(status=Study.Status.DRAFT)
    seen = {}
    for condition in ("plain", "warm"):
        session = entry.enter(
            study=study, kind="preview", source="preview", condition=condition, seed=cast.SEED
        )
        visit, shown = progress.current(session), []
        while visit.step_kind != "conversation":
            rendered = visit.administration.rendered if visit.administration else None
            shown.append((visit.step_key, session.condition, rendered))
            cast.take_step(session, visit)
            visit = progress.current(session)
        seen[condition] = shown
    assert len(seen["plain"]) == 3
    assert seen["plain"] == seen["warm"]
