"""The allocation log: one locked service draws and writes, one function draws it all again."""

from collections import Counter
from dataclasses import dataclass

from django.db import connection
from django.utils import timezone

from studyapp.participation import allocation, events
from studyapp.participation.draws import forced_condition
from studyapp.participation.models import Allocation, Session
from studyapp.seeds import derive
from studyapp.studies.models import FrozenCondition, Study


@dataclass(frozen=True)
class Discrepancy:
    """A row of the log that does not follow from the rows above it."""

    kind: str
    position: int
    what: str


@dataclass(frozen=True)
class Tally:
    """How many of a condition were allocated, and how many of those completed."""

    condition: str
    allocated: int
    completed: int


def allocate(*, session: Session) -> FrozenCondition:
    """Give ``session`` (locked by the caller, in a transaction) its condition, once.

    One allocation at a time per study and kind: the lock is held to the end of the transaction,
    so counts and position are those of committed rows. Raises allocation.StudyFull.
    """
    if session.condition_id is not None:
        return session.condition
    _lock(session.study_id, session.kind)
    log = Allocation.objects.filter(study_id=session.study_id, kind=session.kind)
    last = log.order_by("position").last()
    position = 1 if last is None else last.position + 1
    seed = last.seed if last else f"{derive(session.seed, 'allocation log'):016x}"
    counts = {} if last is None else _count_on(last)
    forced = forced_condition(session)
    if forced is None:
        rule = rule_of(session)
        drawn = allocation.draw(rule, seed=seed, position=position, counts=counts, before=_before(last))
        stored_rule = rule.as_json()
    else:
        drawn = allocation.DrawResult(condition=forced)
        stored_rule = {"name": allocation.PREVIEW}
    condition = session.version.conditions.get(slug=drawn.condition)
    Allocation.objects.create(
        study_id=session.study_id,
        kind=session.kind,
        position=position,
        session=session,
        rule=stored_rule,
        seed=seed,
        counts=counts,
        draw=drawn.as_json(),
        condition_slug=condition.slug,
        at=timezone.now(),
    )
    session.condition = condition
    session.save(update_fields=["condition"])
    events.record(session=session, kind="allocated", detail={"position": position})
    return condition


def rule_of(session: Session) -> allocation.Rule:
    """The rule frozen in the session's version, with the weights and caps of its conditions."""
    stated = session.version.document["allocation"]
    conditions = list(session.version.conditions.order_by("position"))
    return allocation.Rule(
        name=stated["rule"],
        weights={condition.slug: condition.weight for condition in conditions},
        caps={c.slug: c.cap for c in conditions if c.cap is not None},
        block_sizes=tuple(stated.get("block_sizes") or ()),
    )


def verify(*, study: Study) -> list[Discrepancy]:
    """Draw the study's whole log again, row by row; what does not come out the same, in order."""
    found = []
    logs: dict[str, list[Allocation]] = {}
    for row in Allocation.objects.filter(study=study).order_by("kind", "position"):
        logs.setdefault(row.kind, []).append(row)
    for kind, rows in logs.items():
        counts: Counter[str] = Counter()
        before: Allocation | None = None
        for position, row in enumerate(rows, start=1):
            found += [
                Discrepancy(kind, row.position, what) for what in _differences(row, position, counts, before)
            ]
            counts[row.condition_slug] += 1
            before = row
    return found


def tallies(*, study: Study, kind: str) -> list[Tally]:
    """Entered and completed by condition, in the order of slugs.

    A person erased since still counts as allocated (the log keeps the draw), not as completed.
    """
    log = Allocation.objects.filter(study=study, kind=kind)
    allocated = Counter(log.values_list("condition_slug", flat=True))
    completed = Counter(
        log.filter(session__status=Session.Status.COMPLETE).values_list("condition_slug", flat=True)
    )
    return [Tally(slug, allocated[slug], completed[slug]) for slug in sorted(allocated)]


def _differences(
    row: Allocation, position: int, counts: Counter[str], before: Allocation | None
) -> list[str]:
    wrong = []
    if row.position != position:
        wrong.append(f"its position should be {position}: a row is missing")
    if row.counts != dict(counts):
        wrong.append(f"it saw counts {row.counts}, the rows above it say {dict(counts)}")
    if before is not None and row.seed != before.seed:
        wrong.append("its seed is not the log's")
    if row.rule["name"] == allocation.PREVIEW:
        if row.draw["condition"] != row.condition_slug:
            wrong.append(f"forced {row.draw['condition']}, stored {row.condition_slug}")
        return wrong
    drawn = allocation.draw(
        allocation.Rule.from_json(row.rule),
        seed=row.seed,
        position=row.position,
        counts=counts,
        before=_before(before),
    )
    if drawn.condition != row.condition_slug or drawn.as_json() != row.draw:
        wrong.append(f"drawn again it is {drawn.condition}, stored {row.condition_slug}")
    return wrong


def _count_on(last: Allocation) -> dict[str, int]:
    # From the last row alone: the log may be long, and verify() shows that it adds up.
    return {**last.counts, last.condition_slug: last.counts.get(last.condition_slug, 0) + 1}


def _before(row: Allocation | None) -> allocation.Before | None:
    # A forced row has no block to go on with.
    if row is None or row.rule["name"] == allocation.PREVIEW:
        return None
    return allocation.Before(rule=row.rule, draw=row.draw)


def _lock(study_id: int, kind: str) -> None:
    # An advisory lock, not the study's row: entries insert rows that point to the study, and a row
    # lock strong enough to keep allocations apart would keep those waiting too.
    key = derive(0, "allocation", study_id, kind)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [key])
