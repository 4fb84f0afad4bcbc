"""Table ``sessions``: one row a session, from arrival to end."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import Count

from studyapp.chat.models import Conversation, Message
from studyapp.exports.columns import Column, Table
from studyapp.exports.plan import Plan
from studyapp.exports.selection import Selection
from studyapp.exports.tables.shared import Row, leading_columns, session_row
from studyapp.participation import recruitment_id
from studyapp.participation.models import Draw, Session, Visit
from surveys.quality import Asking, Given, indices


@dataclass
class _Facts:
    solomon: bool | None = None
    quality: dict[str, float | int | None] = field(default_factory=dict)
    turns: int = 0
    participant_words: int = 0
    agent_words: int = 0
    reports: int = 0


def table(plan: Plan) -> Table:
    def dose(row: Row) -> float | None:
        assert row.session is not None
        return row.condition and plan.of_version[row.session.version_id].doses[row.condition.slug]

    columns = (
        *leading_columns(plan),
        Column(
            "participant",
            "string",
            "Pseudonymous code of the participant",
            lambda r: r.session.participant.code,
        ),
        Column(
            "recruitment_id",
            "string",
            "Identifier given by the recruitment platform",
            _recruited_as,
            identifying=True,
        ),
        Column("status", "string", "How the session stands or ended", lambda r: r.session.status),
        Column("wave", "integer", "Which session of this participant, from 1", lambda r: r.session.wave),
        Column("arrived_at", "datetime", "First page opened (UTC)", lambda r: r.session.arrived_at),
        Column("consented_at", "datetime", "Consent given (UTC)", lambda r: r.session.consented_at),
        Column("finished_at", "datetime", "Session ended (UTC)", lambda r: r.session.finished_at),
        Column("minutes", "number", "Minutes from arrival to the end", _minutes),
        Column(
            "solomon",
            "boolean",
            "In the share that neither rates nor discusses claims (drawn at entry)",
            lambda r: r.of.solomon,
        ),
        Column(
            "share_words",
            "boolean",
            "Opted in to sharing words; empty: not asked",
            lambda r: r.session.share_words,
        ),
        Column("app_version", "string", "Version of the platform", lambda r: r.session.app_version),
        Column("app_commit", "string", "Commit of the platform", lambda r: r.session.app_commit or None),
        Column("warmth_dose", "number", "Dose of warmth of the condition, -1 to 1", dose),
        Column(
            "missing_items", "integer", "Items that wanted an answer and have none", _quality("missing_items")
        ),
        Column(
            "longstring_max",
            "integer",
            "Longest run of one place on one page of scales",
            _quality("longstring_max"),
        ),
        Column(
            "median_item_ms",
            "number",
            "Median ms between first touches of successive items",
            _quality("median_item_ms"),
        ),
        Column("turns", "integer", "Complete replies in the main conversation", lambda r: r.of.turns),
        Column(
            "participant_words",
            "integer",
            "Words the participant wrote in the main conversation",
            lambda r: r.of.participant_words,
        ),
        Column(
            "agent_words",
            "integer",
            "Words the agent wrote in the main conversation, opening included",
            lambda r: r.of.agent_words,
        ),
        Column("reports", "integer", "Problems the participant reported", lambda r: r.of.reports),
    )
    return Table("sessions", "a session", columns, _rows)


def _recruited_as(row: Row) -> str | None:
    assert row.session is not None
    stored = row.session.participant.recruitment_id
    return recruitment_id.decrypt(stored) if stored else None


def _minutes(row: Row) -> float | None:
    assert row.session is not None
    if row.session.finished_at is None:
        return None
    return round((row.session.finished_at - row.session.arrived_at).total_seconds() / 60, 3)


def _quality(name: str):
    return lambda row: row.of.quality.get(name)


def _rows(selection: Selection) -> Iterator[Row]:
    for chunk in selection.chunks():
        facts = _facts(chunk)
        for session in chunk:
            yield session_row(selection, session, facts[session.id])


def _facts(chunk: Sequence[Session]) -> dict[UUID, _Facts]:
    facts = {session.id: _Facts() for session in chunk}
    for draw in Draw.objects.filter(session__in=chunk, name="solomon"):
        facts[draw.session_id].solomon = draw.result["solomon"]
    for pk, reports in (
        Session.objects.filter(pk__in=facts).annotate(n=Count("problem_reports")).values_list("pk", "n")
    ):
        facts[pk].reports = reports
    askings: dict[UUID, list[Asking]] = {session.id: [] for session in chunk}
    visits = (
        Visit.objects.filter(session__in=chunk, administration__isnull=False)
        .select_related("administration")
        .prefetch_related("administration__responses")
        .order_by("position")
    )
    for visit in visits:
        if visit.administration.completed_at is None and not visit.administration.responses.all():
            continue
        askings[visit.session_id].append(
            Asking(
                visit.administration.rendered,
                {
                    response.item: Given(response.state, response.number, response.first_ms)
                    for response in visit.administration.responses.all()
                },
            )
        )
    for pk, asked in askings.items():
        facts[pk].quality = indices(asked)
    messages = Message.objects.filter(
        conversation__visit__session__in=chunk, conversation__kind=Conversation.Kind.MAIN, state="complete"
    ).values_list("conversation__visit__session_id", "role", "position", "text")
    for pk, role, position, text in messages:
        words = len(text.split())
        if role == Message.Role.PARTICIPANT:
            facts[pk].participant_words += words
        else:
            facts[pk].agent_words += words
            # The opening is not a turn: nobody had spoken before it.
            facts[pk].turns += position > 0
    return facts
