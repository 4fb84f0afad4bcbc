"""Starting and ending a conversation, and what was said in it."""

from collections.abc import Iterable, Sequence

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from studyapp.agents.protocol import Turn

from . import signals
from .brief import Brief, TaskSpec
from .models import Conversation, Message, Task
from .prompting import system_prompt


@transaction.atomic
def start(
    *,
    kind: str,
    brief: Brief,
    seed: int,
    tasks: Sequence[TaskSpec] = (),
    continues: Conversation | None = None,
    continues_until: int | None = None,
) -> Conversation:
    """Make a conversation with its tasks; an authored opening becomes the agent's message 0.

    ``continues`` hands over the history of another conversation, up to and including the message at
    position ``continues_until`` (None: all of it). Raises ValueError for a persona that cannot be composed.
    """
    system_prompt(brief)
    now = timezone.now()
    conversation = Conversation.objects.create(
        kind=kind,
        brief=brief.model_dump(mode="json"),
        seed=seed,
        continues=continues,
        continues_until=continues_until,
        created_at=now,
    )
    Task.objects.bulk_create(
        Task(
            conversation=conversation,
            key=task.key,
            position=position,
            text=task.text,
            context=dict(task.context),
        )
        for position, task in enumerate(tasks)
    )
    if brief.opening:
        Message.objects.create(
            conversation=conversation,
            position=0,
            role=Message.Role.AGENT,
            state=Message.State.COMPLETE,
            text=brief.opening,
            created_at=now,
            completed_at=now,
        )
    return conversation


@transaction.atomic
def end(*, conversation: Conversation, reason: str) -> None:
    """End a conversation; ending an ended one changes nothing. ``conversation`` is brought up to date."""
    locked = Conversation.objects.select_for_update().get(pk=conversation.pk)
    if locked.state == Conversation.State.OPEN:
        locked.state = Conversation.State.ENDED
        locked.end_reason = reason
        locked.ended_at = timezone.now()
        locked.save(update_fields=["state", "end_reason", "ended_at"])
        signals.conversation_ended.send(sender=Conversation, conversation=locked)
    for name in ("state", "end_reason", "ended_at"):
        setattr(conversation, name, getattr(locked, name))


def brief_of(conversation: Conversation) -> Brief:
    """The brief the conversation was made with."""
    return Brief.model_validate(conversation.brief)


def history(conversation: Conversation, *, until: int | None = None) -> list[Turn]:
    """What was said: the history handed over, then its own messages up to position ``until``."""
    handed_over = (
        history(conversation.continues, until=conversation.continues_until) if conversation.continues else []
    )
    own = conversation.messages.order_by("position")
    if until is not None:
        own = own.filter(position__lte=until)
    return joined([*handed_over, *said(own)])


def said(messages: Iterable[Message]) -> list[Turn]:
    """The complete messages among ``messages`` as turns."""
    return [
        Turn(role=message.role, text=message.text)
        for message in messages
        if message.state == Message.State.COMPLETE
    ]


def joined(turns: Iterable[Turn]) -> list[Turn]:
    """Turns of one side in a row made one, because model servers may insist that the sides take turns.

    They come about when a reply failed and the participant wrote again; the same words sent again
    count once.
    """
    result: list[Turn] = []
    for turn in turns:
        if result and result[-1].role == turn.role:
            if result[-1].text != turn.text:
                result[-1] = Turn(role=turn.role, text=f"{result[-1].text}\n\n{turn.text}")
        else:
            result.append(turn)
    return result


def turns_done(conversation: Conversation) -> int:
    """How many messages of the participant have a whole reply."""
    return replies(conversation).filter(state=Message.State.COMPLETE).count()


def may_leave(conversation: Conversation) -> bool:
    """Whether the participant may go on: after enough turns, at the end, or when a reply failed."""
    if conversation.state == Conversation.State.ENDED:
        return True
    if turns_done(conversation) >= brief_of(conversation).min_turns:
        return True
    return replies(conversation).filter(state=Message.State.FAILED).exists()


def replies(conversation: Conversation) -> QuerySet[Message]:
    """The agent's messages without the authored opening, the only one that can stand at position 0."""
    return conversation.messages.filter(role=Message.Role.AGENT, position__gt=0)
