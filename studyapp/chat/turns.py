"""A participant speaks: the message is stored and a reply is owed, in one transaction."""

import re
import unicodedata
from dataclasses import dataclass, field

from django.db import transaction
from django.utils import timezone

from studyapp.safety.notice import Hit, notice

from . import finishing, signals
from .conversations import brief_of, replies
from .models import Conversation, Message, Task
from .storable import storable

_CLIENT_KEY = re.compile(r"[A-Za-z0-9_.:-]{1,64}")


class Refused(Exception):
    """A message that was not taken. ``code`` is for programs, the text for the participant.

    Codes: ``empty``, ``too_long``, ``busy``, ``ended``, ``full``, ``unknown_task``, ``bad_key``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True)
class Posted:
    """What came of a message: itself, the reply owed for it, and what was noticed in it."""

    message: Message
    reply: Message
    repeated: bool = False
    distress: list[Hit] = field(default_factory=list)


@transaction.atomic
def post(
    *, conversation: Conversation, client_key: str, text: str | None = None, task_key: str | None = None
) -> Posted:
    """Store a message and the pending reply to it. The same ``client_key`` again returns the first.

    Give either the participant's own ``text`` or the ``task_key`` of a task of this conversation, whose
    wording is fixed. A task whose reply failed may be raised again. Raises Refused.
    """
    if not _CLIENT_KEY.fullmatch(client_key):
        raise Refused("bad_key", "This message came without a usable key. Please reload and send it again.")
    # The lock makes racing posts of one conversation take turns; the unique constraints stand behind it.
    locked = Conversation.objects.select_for_update().get(pk=conversation.pk)
    first = locked.messages.filter(client_key=client_key).first()
    if first is not None:
        reply = locked.messages.get(position=first.position + 1)
        return Posted(message=first, reply=reply, repeated=True)

    brief = brief_of(locked)
    task = None
    words, removed = storable(text or "")
    if task_key is None:
        _check_length(words, brief.max_characters)
    if locked.state == Conversation.State.ENDED:
        raise Refused("ended", "This conversation has ended.")
    owed = replies(locked)
    if owed.filter(state__in=[Message.State.PENDING, Message.State.STREAMING]).exists():
        raise Refused("busy", f"{brief.agent_name} is still replying. Please wait for the reply.")
    if owed.filter(state=Message.State.COMPLETE).count() >= brief.max_turns:
        raise Refused("full", "This conversation has reached its last message.")
    if task_key is not None:
        task = _raisable(locked, task_key)
        words = task.text

    now = timezone.now()
    last = locked.messages.order_by("-position").values_list("position", flat=True).first()
    position = 0 if last is None else last + 1
    message = Message.objects.create(
        conversation=locked,
        position=position,
        role=Message.Role.PARTICIPANT,
        state=Message.State.COMPLETE,
        text=words,
        client_key=client_key,
        task=task,
        created_at=now,
        completed_at=now,
    )
    reply = Message.objects.create(
        conversation=locked,
        position=position + 1,
        role=Message.Role.AGENT,
        state=Message.State.PENDING,
        task=task,
        schedule=brief.schedule,
        created_at=now,
    )
    if task is not None:
        task.raised_at = now
        task.raised_in = locked.messages.filter(role=Message.Role.PARTICIPANT).count()
        task.save(update_fields=["raised_at", "raised_in"])
    if removed and task is None:
        signals.text_cleaned.send(sender=Message, conversation=locked, message=message, removed=removed)
    # A task's wording is ours; only the participant's own words can show distress.
    distress = notice(words) if task is None else []
    if distress:
        signals.distress_noticed.send(
            sender=Conversation, conversation=locked, message=message, hits=distress
        )
    return Posted(message=message, reply=reply, distress=distress)


def say(
    *, conversation: Conversation, client_key: str, text: str | None = None, task_key: str | None = None
) -> Message:
    """Post a message and wait for the reply, here and now and without pacing. Returns the agent's message,
    complete or failed. For callers without a browser: simulated participants, forks. Raises Refused.
    """
    posted = post(conversation=conversation, client_key=client_key, text=text, task_key=task_key)
    return finishing.finish_here(posted.reply.pk)


def _check_length(text: str, most: int) -> None:
    # Zero-width and other format characters are nothing to see either.
    if not any(unicodedata.category(letter)[0] not in "CZ" for letter in text):
        raise Refused("empty", "Please write something before you send it.")
    if len(text) > most:
        raise Refused(
            "too_long",
            f"This message has {len(text):,} characters; at most {most:,} can be sent at once. "
            "Please shorten it. Nothing you wrote has been lost.",
        )


def _raisable(conversation: Conversation, key: str) -> Task:
    task = next((task for task in conversation.tasks.all() if task.key == key), None)
    if task is None:
        raise Refused("unknown_task", f"There is no '{key}' to ask about in this conversation.")
    answered = task.messages.filter(role=Message.Role.AGENT).exclude(state=Message.State.FAILED)
    if answered.exists():
        raise Refused("unknown_task", "This has been asked already.")
    return task
