"""When replies are finished, coding them is owed."""

from typing import Any

from django.dispatch import receiver

from studyapp.chat.models import Message
from studyapp.chat.signals import turn_finished
from studyapp.verdicts.coding import KIND
from studyapp.work.queue import enqueue


@receiver(turn_finished)
def owe_codes(sender: object, messages: list[Message], **kwargs: Any) -> None:
    """One row of work for all replies of a signal that answer a task; chat without tasks is not coded."""
    ids = sorted(message.pk for message in messages if message.task_id is not None)
    if not ids:
        return
    conversations = {message.conversation_id for message in messages}
    # The rows of forks hold numbers of many conversations; when these are gone, so is their work.
    subject = f"conversation:{conversations.pop()}" if len(conversations) == 1 else ""
    # A message is finished once, so its number says which signal this is.
    enqueue(kind=KIND, key=f"{ids[0]}-{ids[-1]}", subject=subject, payload={"messages": ids})
