"""Table ``responses``: a row an item that was answered or left missing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from studyapp.exports.columns import Column, Table
from studyapp.exports.plan import Plan
from studyapp.exports.selection import Selection
from studyapp.exports.tables.shared import Row, leading_columns, session_row
from studyapp.participation.models import Session, Visit
from surveys.models import Response
from surveys.scale_file import TEXT_KINDS
from surveys.scoring import reversed_value


@dataclass(frozen=True)
class _Answer:
    step: str
    scale: str
    shown: Mapping[str, Any]
    response: Response
    scored: float | None
    may_share: bool


def table(plan: Plan) -> Table:
    columns = (
        *leading_columns(plan),
        Column("step", "string", "Step at which the item was asked", lambda r: r.of.step),
        Column(
            "scale",
            "string",
            "The asking: the scale's key, or the step's where asked twice",
            lambda r: r.of.scale,
        ),
        Column("item", "string", "Item", lambda r: r.of.response.item),
        Column(
            "state", "string", "answered, missing, prefer_not or does_not_fit", lambda r: r.of.response.state
        ),
        Column("value", "number", "The number given", lambda r: r.of.response.number),
        Column("scored", "number", "The number in the direction of the scale", lambda r: r.of.scored),
        Column("ticked", "string", "Of several choices those ticked, joined by commas", _ticked),
        Column("text_characters", "integer", "Length of the text given", _text_characters),
        Column(
            "text",
            "string",
            "The text given, of sessions that opted in",
            lambda r: _text(r) if r.of.may_share else None,
            text=True,
        ),
        Column("order", "integer", "Place on the page, from 0", lambda r: r.of.shown["position"]),
        Column("side", "string", "positive_left or positive_right", lambda r: r.of.shown["side"] or None),
        Column("first_ms", "integer", "Page shown to first touch, ms", lambda r: r.of.response.first_ms),
        Column("last_ms", "integer", "Page shown to last change, ms", lambda r: r.of.response.last_ms),
        Column("changes", "integer", "How often the answer was changed", lambda r: r.of.response.changes),
    )

    def rows(selection: Selection) -> Iterator[Row]:
        for chunk in selection.chunks():
            for session, visits in answered_visits(chunk):
                for visit in visits:
                    yield from _answer_rows(plan, selection, session, visit)

    return Table("responses", "an item that was answered or left missing", columns, rows)


def _ticked(row: Row) -> str | None:
    answer: _Answer = row.of
    return answer.response.text if answer.shown["kind"] == "choices" else None


def _text(row: Row) -> str | None:
    answer: _Answer = row.of
    return answer.response.text if answer.shown["kind"] in TEXT_KINDS else None


def _text_characters(row: Row) -> int | None:
    text = _text(row)
    return None if text is None else len(text)


def _answer_rows(plan: Plan, selection: Selection, session: Session, visit: Visit) -> Iterator[Row]:
    asking = plan.of_version[session.version_id].askings.get(visit.step_key)
    shown = {item["key"]: item for item in visit.administration.rendered["items"]}
    ordered = sorted(visit.administration.responses.all(), key=lambda each: shown[each.item]["position"])
    for response in ordered:
        number = response.number
        scored = (
            number
            if asking is None or number is None
            else reversed_value(asking.scale, response.item, number)
        )
        yield session_row(
            selection,
            session,
            _Answer(
                step=visit.step_key,
                scale=asking.name if asking else visit.step_kind,
                shown=shown[response.item],
                response=response,
                scored=scored,
                may_share=bool(session.share_words),
            ),
        )


def answered_visits(chunk: Sequence[Session]) -> Iterator[tuple[Session, list[Visit]]]:
    by_session: dict[UUID, list[Visit]] = {session.id: [] for session in chunk}
    visits = (
        Visit.objects.filter(session__in=chunk, administration__isnull=False)
        .select_related("administration")
        .prefetch_related("administration__responses")
        .order_by("position")
    )
    for visit in visits:
        by_session[visit.session_id].append(visit)
    return ((session, by_session[session.id]) for session in chunk)
