"""Tables ``codes`` (a judgement) and ``verdicts`` (a consensus), of every judged message."""

from collections.abc import Iterator
from typing import Any

from django.db.models import F, QuerySet

from studyapp.canonical import sha256
from studyapp.exports.columns import Column, Table
from studyapp.exports.plan import Plan
from studyapp.exports.selection import Selection
from studyapp.exports.tables.shared import Row, leading_columns, session_row
from studyapp.studies.models import FrozenCondition
from studyapp.verdicts.models import Code, Verdict

# Where a judgement's message stands: in a session's own conversation, or in a fork of one.
_PLACES = (
    "message__conversation__visit__session",
    "message__conversation__fork__origin__visit__session",
)


def _message_columns() -> tuple[Column, ...]:
    return (
        Column("message", "integer", "Message judged", lambda r: r.of.message_id),
        Column("conversation_kind", "string", "main, cards or fork", lambda r: r.of.conversation_kind),
        Column("task", "string", "Claim the message answers", lambda r: r.of.task),
        Column("measure", "string", "What was judged", lambda r: r.of.measure),
        Column("value", "string", "The judgement", lambda r: r.of.value),
    )


def codes_table(plan: Plan) -> Table:
    columns = (
        *leading_columns(plan),
        *_message_columns(),
        Column("coder_kind", "string", "rules, model or human", lambda r: r.of.coder_kind),
        Column("coder", "string", "Coder", lambda r: r.of.coder),
        Column("coder_version", "string", "Version of the coder", lambda r: r.of.coder_version),
        Column(
            "evidence_start",
            "integer",
            "Where the quoted span begins in the message",
            lambda r: r.of.evidence_start,
        ),
        Column("evidence_characters", "integer", "Length of the quoted span", lambda r: len(r.of.evidence)),
        Column(
            "evidence_sha256",
            "string",
            "SHA-256 of the quoted span",
            lambda r: sha256(r.of.evidence) if r.of.evidence else None,
        ),
        Column(
            "evidence",
            "string",
            "The quoted span, of sessions that opted in",
            lambda r: r.of.evidence if r.session and r.session.share_words else None,
            text=True,
        ),
    )
    return Table(
        "codes", "one coder's judgement of one message", columns, lambda selection: _rows(selection, Code)
    )


def verdicts_table(plan: Plan) -> Table:
    columns = (
        *leading_columns(plan),
        *_message_columns(),
        Column("rule", "string", "How codes became the verdict", lambda r: r.of.rule),
    )
    return Table(
        "verdicts", "the consensus on one message", columns, lambda selection: _rows(selection, Verdict)
    )


def _rows(selection: Selection, model: type[Code] | type[Verdict]) -> Iterator[Row]:
    """Judgements of a session's own replies, then of the forks of its conversation; batteries last."""
    for chunk in selection.chunks():
        found: dict[Any, list[Any]] = {session.id: [] for session in chunk}
        for place in _PLACES:
            rows = _described(model).filter(**{f"{place}__in": chunk}).annotate(in_session=F(f"{place}_id"))
            for judgement in rows.order_by("message_id", "measure", "id"):
                found[judgement.in_session].append(judgement)
        for session in chunk:
            for judgement in found[session.id]:
                yield session_row(selection, session, judgement)
    yield from _battery_rows(selection, model)


def _battery_rows(selection: Selection, model: type[Code] | type[Verdict]) -> Iterator[Row]:
    conditions = {each.pk: each for each in FrozenCondition.objects.filter(version__in=selection.versions)}
    found = (
        _described(model)
        .filter(message__conversation__fork__in=selection.batteries())
        .annotate(
            of_condition=F("message__conversation__fork__condition_id"),
            of_version=F("message__conversation__fork__version_id"),
        )
    )
    for judgement in found.order_by("message_id", "measure", "id").iterator(chunk_size=2000):
        yield Row(
            session=None,
            condition=conditions.get(judgement.of_condition),
            version=selection.version_numbers[judgement.of_version],
            of=judgement,
        )


def _described(model: type[Code] | type[Verdict]) -> QuerySet[Any]:
    """Judgements with the two facts of their message that are exported, and nothing else of it."""
    return model.objects.annotate(
        conversation_kind=F("message__conversation__kind"), task=F("message__task__key")
    )
