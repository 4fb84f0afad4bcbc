"""Table ``probes``: every reply to a probe, in forks of conversations and in batteries."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Prefetch, QuerySet

from studyapp.chat.models import Attempt, Message
from studyapp.exports.columns import Column, Table
from studyapp.exports.plan import Plan
from studyapp.exports.selection import Selection
from studyapp.exports.tables.shared import Row, leading_columns, session_row
from studyapp.probes.models import Fork
from studyapp.verdicts.models import Verdict

_MEASURE = "stance"


@dataclass(frozen=True)
class _Reply:
    fork: Fork
    claim: Mapping[str, Any]
    message: Message | None
    attempt: Attempt | None
    outcome: str | None


def _attempt(name: str):
    return lambda row: (getattr(row.of.attempt, name) or None) if row.of.attempt else None


def table(plan: Plan) -> Table:
    columns = (
        *leading_columns(plan),
        Column("fork", "integer", "Fork", lambda r: r.of.fork.id),
        Column(
            "battery",
            "string",
            "Battery; empty: a fork of the session's conversation",
            lambda r: r.of.fork.battery or None,
        ),
        Column(
            "agent",
            "string",
            "Who answered (hash of provider, model, parameters): told and private stances share it",
            lambda r: r.of.fork.agent_sha256[:16],
        ),
        Column("point", "string", "first, middle or last turn", lambda r: r.of.fork.point or None),
        Column("turn", "integer", "Agent turns in the copied state", lambda r: r.of.fork.turn),
        Column("probe", "string", "Claim", lambda r: r.of.fork.probe),
        Column("domain", "string", "Domain of the claim", lambda r: r.of.claim.get("domain")),
        Column("truth", "boolean", "Is the claim true?", lambda r: r.of.claim.get("truth")),
        Column("refusal", "string", "How a refusal to answer counts", lambda r: r.of.claim.get("refusal")),
        Column("stated", "string", "Belief stated: for, against or none", lambda r: r.of.fork.stated),
        Column("persona", "boolean", "Asked with the condition's persona", lambda r: r.of.fork.persona),
        Column("history", "boolean", "Asked with the conversation's history", lambda r: r.of.fork.history),
        Column("draw", "integer", "Which of the repeated replies, from 1", lambda r: r.of.fork.draw),
        Column("outcome", "string", "Verdict on the reply; empty: not judged yet", lambda r: r.of.outcome),
        Column(
            "words",
            "integer",
            "Words of the reply",
            lambda r: len(r.of.message.text.split()) if r.of.message else None,
        ),
        Column("message", "integer", "The reply", lambda r: r.of.message.id if r.of.message else None),
        Column("provider", "string", "Provider asked", _attempt("provider")),
        Column("model_answered", "string", "Model that answered", _attempt("model_answered")),
        Column(
            "failure",
            "string",
            "Why the reply failed",
            lambda r: (r.of.message.failure or None) if r.of.message else None,
        ),
    )

    def rows(selection: Selection) -> Iterator[Row]:
        for chunk in selection.chunks():
            found: dict[Any, list[_Reply]] = {session.id: [] for session in chunk}
            forks = Fork.objects.filter(origin__visit__session__in=chunk).annotate(
                in_session=F("origin__visit__session_id")
            )
            for reply in _replies(plan, forks.order_by("id")):
                found[reply.fork.in_session].append(reply)
            for session in chunk:
                for reply in found[session.id]:
                    yield session_row(selection, session, reply)
        batteries = selection.batteries().select_related("condition").order_by("id")
        for reply in _replies(plan, batteries):
            yield Row(
                session=None,
                condition=reply.fork.condition,
                version=selection.version_numbers[reply.fork.version_id],
                of=reply,
            )

    return Table("probes", "a reply to a probe", columns, rows)


def _replies(plan: Plan, forks: QuerySet[Fork]) -> Iterator[_Reply]:
    every = list(forks)
    messages = {
        message.conversation_id: message
        for message in Message.objects.filter(
            conversation__in=[fork.exchange_id for fork in every], role=Message.Role.AGENT
        )
        .only("conversation", "text", "failure")
        .prefetch_related(
            Prefetch("attempts", Attempt.objects.only("message", "number", "provider", "model_answered")),
            Prefetch("verdicts", Verdict.objects.filter(measure=_MEASURE)),
        )
    }
    for fork in every:
        message = messages.get(fork.exchange_id)
        attempts = list(message.attempts.all()) if message else []
        verdicts = list(message.verdicts.all()) if message else []
        yield _Reply(
            fork=fork,
            claim=plan.of_version[fork.version_id].claims.get(fork.probe, {}),
            message=message,
            attempt=attempts[-1] if attempts else None,
            outcome=verdicts[0].value if verdicts else None,
        )
