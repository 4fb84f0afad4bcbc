"""Table ``messages``: every message of main and card conversations, with the attempt that made it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Prefetch

from studyapp.canonical import sha256
from studyapp.chat.models import Attempt, Message
from studyapp.exports.columns import Column, Table
from studyapp.exports.plan import Plan
from studyapp.exports.selection import Selection
from studyapp.exports.tables.shared import Row, leading_columns, session_row


@dataclass(frozen=True)
class _Said:
    message: Message
    attempts: list[Attempt]
    may_share: bool

    @property
    def last(self) -> Attempt | None:
        return self.attempts[-1] if self.attempts else None


def _attempt(name: str):
    def extract(row: Row) -> Any:
        value = getattr(row.of.last, name) if row.of.last else None
        return None if value == "" else value

    return extract


def _summed(name: str):
    """Over all attempts, retries included: what the turn cost, not what its last try cost."""

    def extract(row: Row) -> Any:
        values = [value for attempt in row.of.attempts if (value := getattr(attempt, name)) is not None]
        return sum(values) if values else None

    return extract


def table(plan: Plan) -> Table:
    columns = (
        *leading_columns(plan),
        Column("conversation", "string", "Conversation", lambda r: r.of.message.conversation_id),
        Column("conversation_kind", "string", "main or cards", lambda r: r.of.message.conversation_kind),
        Column("message", "integer", "Message", lambda r: r.of.message.id),
        Column("position", "integer", "Place in the conversation, from 0", lambda r: r.of.message.position),
        Column("role", "string", "participant or agent", lambda r: r.of.message.role),
        Column("state", "string", "complete, failed, pending or streaming", lambda r: r.of.message.state),
        Column("failure", "string", "Why a reply failed", lambda r: r.of.message.failure or None),
        Column(
            "task",
            "string",
            "Claim put or answered, if the message has one",
            lambda r: r.of.message.task_key,
        ),
        Column("words", "integer", "Words", lambda r: len(r.of.message.text.split())),
        Column("characters", "integer", "Characters", lambda r: len(r.of.message.text)),
        Column("sha256", "string", "SHA-256 of the text", lambda r: sha256(r.of.message.text)),
        Column("created_at", "datetime", "Made (UTC)", lambda r: r.of.message.created_at),
        Column("completed_at", "datetime", "Complete (UTC)", lambda r: r.of.message.completed_at),
        Column("provider", "string", "Provider asked", _attempt("provider")),
        Column("model_asked", "string", "Model asked for", _attempt("model_asked")),
        Column(
            "model_answered",
            "string",
            "Model that answered, in the provider's words",
            _attempt("model_answered"),
        ),
        Column("input_tokens", "integer", "Tokens read, all attempts", _summed("input_tokens")),
        Column("output_tokens", "integer", "Tokens written, all attempts", _summed("output_tokens")),
        Column(
            "price_usd", "number", "Price in US dollars, all attempts; empty: unknown", _summed("price_usd")
        ),
        Column("finish_reason", "string", "Why the model stopped", _attempt("finish_reason")),
        Column(
            "attempts",
            "integer",
            "Calls to the provider for this reply",
            lambda r: len(r.of.attempts) if r.of.message.role == Message.Role.AGENT else None,
        ),
        Column(
            "text",
            "string",
            "The text, of sessions that opted in",
            lambda r: r.of.message.text if r.of.may_share else None,
            text=True,
        ),
    )
    return Table("messages", "a message of a main or card conversation", columns, _rows)


def _rows(selection: Selection) -> Iterator[Row]:
    for chunk in selection.chunks():
        messages: dict[Any, list[Message]] = {session.id: [] for session in chunk}
        found = (
            Message.objects.filter(conversation__visit__session__in=chunk)
            .annotate(
                in_session=F("conversation__visit__session_id"),
                conversation_kind=F("conversation__kind"),
                task_key=F("task__key"),
            )
            .prefetch_related(Prefetch("attempts", Attempt.objects.defer("system_prompt", "parameters")))
            .order_by("conversation__visit__position", "position")
        )
        for message in found:
            messages[message.in_session].append(message)
        for session in chunk:
            for message in messages[session.id]:
                yield session_row(
                    selection,
                    session,
                    _Said(message, list(message.attempts.all()), bool(session.share_words)),
                )
