"""The columns that every table begins with."""

from dataclasses import dataclass
from typing import Any

from studyapp.exports.columns import Column
from studyapp.exports.plan import Plan
from studyapp.exports.selection import Selection
from studyapp.participation.models import Session


@dataclass(frozen=True)
class Row:
    """A row of any table: the session it belongs to (None for batteries) and what the table adds."""

    session: Session | None
    condition: Any
    version: int
    of: Any = None


def session_row(selection: Selection, session: Session, of: Any = None) -> Row:
    return Row(
        session=session,
        condition=session.condition,
        version=selection.version_numbers[session.version_id],
        of=of,
    )


def leading_columns(plan: Plan) -> tuple[Column, ...]:
    """Session, condition, one column per factor, study version and kind."""

    def level(name: str):
        return lambda row: row.condition.factors.get(name) if row.condition else None

    return (
        Column("session", "string", "Session identifier", lambda row: row.session and row.session.id),
        Column(
            "condition",
            "string",
            "Condition allocated; empty before allocation",
            lambda row: row.condition and row.condition.slug,
        ),
        *(Column(name, "string", f"Level of the factor {name}", level(name)) for name in plan.factors),
        Column("study_version", "integer", "Number of the frozen study version", lambda row: row.version),
        Column(
            "kind",
            "string",
            "live, pilot, preview or simulated; empty for batteries",
            lambda row: row.session and row.session.kind,
        ),
    )
