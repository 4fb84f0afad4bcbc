"""Table ``cards``: every belief card a session was dealt, rated only or discussed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from studyapp.chat.models import Conversation, Message, Task
from studyapp.exports.columns import Column, Table
from studyapp.exports.plan import Plan
from studyapp.exports.selection import Selection
from studyapp.exports.tables.shared import Row, leading_columns, session_row
from studyapp.participation.models import Draw, Session, Visit

_MEASURE = "stance"


@dataclass(frozen=True)
class _Card:
    claim: Mapping[str, Any]
    role: str
    stated: str | None
    opportunity: str | None
    raised_in_turn: int | None
    outcome: str | None
    ratings: Mapping[str, float | None]


def table(plan: Plan) -> Table:
    columns = (
        *leading_columns(plan),
        Column("card", "string", "Claim", lambda r: r.of.claim["key"]),
        Column("domain", "string", "Domain of the claim", lambda r: r.of.claim["domain"]),
        Column("truth", "boolean", "Is the claim true?", lambda r: r.of.claim["truth"]),
        Column("verified", "string", "Who verified the truth, or no", lambda r: r.of.claim["verified"]),
        Column("refusal", "string", "How a refusal to answer counts", lambda r: r.of.claim["refusal"]),
        Column("role", "string", "rated_only or discussed", lambda r: r.of.role),
        Column(
            "stated", "string", "Belief stated when discussed: for, against or none", lambda r: r.of.stated
        ),
        Column("opportunity", "string", "asked, not_asked or cut_off", lambda r: r.of.opportunity),
        Column(
            "raised_in_turn",
            "integer",
            "Turn of the card conversation, from 1",
            lambda r: r.of.raised_in_turn,
        ),
        Column("outcome", "string", "What the partner said of it (verdict)", lambda r: r.of.outcome),
        Column("belief_before", "number", "Rated 0-100 before", lambda r: r.of.ratings.get("before")),
        Column("belief_after", "number", "Rated 0-100 after", lambda r: r.of.ratings.get("after")),
        Column(
            "right_rating", "number", "Was what it told right? 0-100", lambda r: r.of.ratings.get("right")
        ),
    )

    def rows(selection: Selection) -> Iterator[Row]:
        for chunk in selection.chunks():
            outcomes, ratings = outcomes_by_card(chunk), _ratings(plan, chunk)
            raised, hands, solomon = _raised(chunk), _hands(chunk), _solomon(chunk)
            for session in chunk:
                if session.id not in hands or session.id in solomon:
                    continue
                claims = plan.of_version[session.version_id].claims
                stated = {card["key"]: card["stated"] for card in hands[session.id]["discussed"]}
                for key in hands[session.id]["rated"]:
                    yield session_row(
                        selection,
                        session,
                        _Card(
                            claim=claims[key],
                            role="discussed" if key in stated else "rated_only",
                            stated=stated.get(key),
                            opportunity=_opportunity(raised.get((session.id, key)))
                            if key in stated
                            else None,
                            raised_in_turn=task.raised_in
                            if (task := raised.get((session.id, key)))
                            else None,
                            outcome=outcomes.get(session.id, {}).get(key),
                            ratings=ratings.get((session.id, key), {}),
                        ),
                    )

    return Table("cards", "a belief card dealt to a session (Solomon sessions have none)", columns, rows)


def outcomes_by_card(chunk: Sequence[Session]) -> dict[UUID, dict[str, str]]:
    """The verdict on each live card's reply, by session and claim; cards never asked are absent."""
    replies = (
        Message.objects.filter(
            conversation__visit__session__in=chunk,
            conversation__kind=Conversation.Kind.CARDS,
            role=Message.Role.AGENT,
            task__isnull=False,
            verdicts__measure=_MEASURE,
        )
        .order_by("position")
        .values_list("conversation__visit__session_id", "task__key", "verdicts__value")
    )
    outcomes: dict[UUID, dict[str, str]] = {}
    for session, key, value in replies:
        outcomes.setdefault(session, {})[key] = value
    return outcomes


def _hands(chunk: Sequence[Session]) -> dict[UUID, dict[str, Any]]:
    draws = Draw.objects.filter(session__in=chunk, name="cards")
    return {draw.session_id: draw.result for draw in draws}


def _solomon(chunk: Sequence[Session]) -> set[UUID]:
    draws = Draw.objects.filter(session__in=chunk, name="solomon")
    return {draw.session_id for draw in draws if draw.result["solomon"]}


def _ratings(plan: Plan, chunk: Sequence[Session]) -> dict[tuple[UUID, str], dict[str, float | None]]:
    """Ratings by session and claim; steps that rate nothing are passed by."""
    given = Visit.objects.filter(
        session__in=chunk, step_kind__in=["ratings", "right"], administration__responses__isnull=False
    ).values_list(
        "session_id",
        "session__version_id",
        "step_key",
        "administration__responses__item",
        "administration__responses__number",
    )
    ratings: dict[tuple[UUID, str], dict[str, float | None]] = {}
    for session, version, step, item, number in given:
        ratings.setdefault((session, item), {})[plan.of_version[version].ratings[step]] = number
    return ratings


def _raised(chunk: Sequence[Session]) -> dict[tuple[UUID, str], Task]:
    tasks = (
        Task.objects.filter(
            conversation__visit__session__in=chunk, conversation__kind=Conversation.Kind.CARDS
        )
        .select_related("conversation__visit")
        .prefetch_related("messages")
    )
    return {(task.conversation.visit.session_id, task.key): task for task in tasks}


def _opportunity(task: Task | None) -> str:
    if task is None or task.raised_at is None:
        return "not_asked"
    replies = [message for message in task.messages.all() if message.role == Message.Role.AGENT]
    return "asked" if any(reply.state == Message.State.COMPLETE for reply in replies) else "cut_off"
