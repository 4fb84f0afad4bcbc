"""Table ``events``: what happened to a session."""

from collections.abc import Iterator

from studyapp.canonical import canonical_json
from studyapp.exports.columns import Column, Table
from studyapp.exports.plan import Plan
from studyapp.exports.selection import Selection
from studyapp.exports.tables.shared import Row, leading_columns, session_row
from studyapp.participation.models import Event


def table(plan: Plan) -> Table:
    columns = (
        *leading_columns(plan),
        Column("event_kind", "string", "What happened", lambda r: r.of.kind),
        Column("at", "datetime", "When (UTC)", lambda r: r.of.at),
        Column("detail", "json", "Keys and numbers, never words", lambda r: canonical_json(r.of.detail)),
    )
    return Table("events", "an event of a session", columns, _rows)


def _rows(selection: Selection) -> Iterator[Row]:
    for chunk in selection.chunks():
        events: dict = {session.id: [] for session in chunk}
        for event in Event.objects.filter(session__in=chunk).order_by("id"):
            events[event.session_id].append(event)
        for session in chunk:
            for event in events[session.id]:
                yield session_row(selection, session, event)
