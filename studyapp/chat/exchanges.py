"""Forks in bulk: one question each, asked of a copied state, thousands per minute with the demo agent."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from studyapp.agents.protocol import Turn

from . import signals
from .asking import Question, attempt_at, question
from .brief import Brief, TaskSpec
from .calling import Outcome, call, pause_s
from .conversations import joined
from .ground import ground
from .models import Attempt, Conversation, Message, Task
from .recording import describe

_ROWS = 1000


@dataclass(frozen=True)
class ExchangeSpec:
    """A fork to be asked: the state handed over (``history``), where it comes from, and what is put to it."""

    brief: Brief
    seed: int
    history: Sequence[Turn]
    task: TaskSpec
    created_at: datetime
    continues: Conversation | UUID | None = None
    continues_until: int | None = None


def run_exchanges(specs: Sequence[ExchangeSpec], *, parallel: int) -> list[Conversation]:
    """Ask all, at most ``parallel`` at a time, then write all rows in one transaction; the order is kept.

    Every exchange becomes an ended conversation of kind ``fork`` with its task, the participant's message
    (position 0), the reply (position 1, complete or failed) and every attempt. ``turn_finished`` and
    ``spend_recorded`` are sent once with all; ``conversation_ended`` is not sent, since nobody had it.
    """
    asked = [
        question(
            brief=spec.brief,
            turns=joined([*spec.history, Turn(role="participant", text=spec.task.text)]),
            seed=spec.seed,
            position=1,
            task_context=spec.task.context,
        )
        for spec in specs
    ]
    outcomes = ground().run(_ask_all(specs, asked, parallel))
    return _write(specs, asked, outcomes)


async def _ask_all(
    specs: Sequence[ExchangeSpec], asked: Sequence[Question], parallel: int
) -> list[list[Outcome]]:
    results: list[list[Outcome]] = [[] for _ in specs]
    waiting = iter(range(len(specs)))

    async def ask_in_turn() -> None:
        # The lanes share one iterator, so that each takes the next that nobody has.
        for index in waiting:
            results[index] = await _ask(specs[index].brief, asked[index])

    async with asyncio.TaskGroup() as lanes:
        for _ in range(min(parallel, len(specs))):
            lanes.create_task(ask_in_turn())
    return results


async def _ask(brief: Brief, asked: Question) -> list[Outcome]:
    outcomes: list[Outcome] = []
    while True:
        outcome = await call(
            brief.provider, asked.request, first_token_s=brief.first_token_s, whole_s=brief.whole_s
        )
        outcomes.append(outcome)
        if not outcome.may_be_repeated or len(outcomes) >= brief.attempts:
            return outcomes
        await asyncio.sleep(pause_s(outcome, len(outcomes)))


@transaction.atomic
def _write(
    specs: Sequence[ExchangeSpec], asked: Sequence[Question], outcomes: Sequence[Sequence[Outcome]]
) -> list[Conversation]:
    now = timezone.now()
    conversations = [
        Conversation(
            kind=Conversation.Kind.FORK,
            brief=spec.brief.model_dump(mode="json"),
            seed=spec.seed,
            continues_id=spec.continues.pk if isinstance(spec.continues, Conversation) else spec.continues,
            continues_until=spec.continues_until,
            state=Conversation.State.ENDED,
            end_reason="asked",
            created_at=spec.created_at,
            ended_at=now,
        )
        for spec in specs
    ]
    tasks = [
        Task(
            conversation=conversation,
            key=spec.task.key,
            position=0,
            text=spec.task.text,
            context=dict(spec.task.context),
            raised_at=spec.created_at,
            raised_in=1,
        )
        for spec, conversation in zip(specs, conversations, strict=True)
    ]
    questions = [
        Message(
            conversation=task.conversation,
            position=0,
            role=Message.Role.PARTICIPANT,
            state=Message.State.COMPLETE,
            text=task.text,
            task=task,
            created_at=task.raised_at,
            completed_at=task.raised_at,
        )
        for task in tasks
    ]
    replies = [_reply(task, last=tried[-1]) for task, tried in zip(tasks, outcomes, strict=True)]
    attempts = [
        _attempt(spec.brief, question_, reply, number, outcome)
        for spec, question_, reply, tried in zip(specs, asked, replies, outcomes, strict=True)
        for number, outcome in enumerate(tried, start=1)
    ]
    Conversation.objects.bulk_create(conversations, batch_size=_ROWS)
    Task.objects.bulk_create(tasks, batch_size=_ROWS)
    Message.objects.bulk_create([*questions, *replies], batch_size=_ROWS)
    Attempt.objects.bulk_create(attempts, batch_size=_ROWS)
    signals.spend_recorded.send(sender=Attempt, attempts=attempts)
    signals.turn_finished.send(sender=Message, messages=replies)
    return conversations


def _reply(task: Task, *, last: Outcome) -> Message:
    return Message(
        conversation=task.conversation,
        position=1,
        role=Message.Role.AGENT,
        state=Message.State.FAILED if last.failure else Message.State.COMPLETE,
        failure=last.failure,
        text=last.text,
        task=task,
        created_at=task.raised_at,
        completed_at=last.ended_at,
    )


def _attempt(brief: Brief, asked: Question, reply: Message, number: int, outcome: Outcome) -> Attempt:
    attempt = attempt_at(asked, brief=brief, message=reply, number=number)
    describe(attempt, outcome)
    return attempt
