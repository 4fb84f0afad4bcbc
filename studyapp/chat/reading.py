"""How a conversation stands, for the page and for listeners."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse
from django.utils import timezone

from .claiming import IN_FLIGHT
from .conversations import turns_done
from .models import Conversation, Message
from .tokens import stream_token

# Failures that asking again at once cannot mend.
_HOPELESS = {"unauthorised"}


@dataclass(frozen=True)
class Standing:
    """One agent message as its row tells it, and the number of its newest attempt (0: none yet)."""

    position: int
    state: str
    text: str
    failure: str
    schedule: dict[str, float]
    number: int

    @property
    def is_final(self) -> bool:
        return self.state not in IN_FLIGHT


def standing(message_id: int) -> Standing | None:
    """The row of an agent message; None when it is gone."""
    message = Message.objects.filter(pk=message_id).first()
    if message is None:
        return None
    newest = message.attempts.order_by("-number").values_list("number", flat=True).first()
    return Standing(
        position=message.position,
        state=message.state,
        text=message.text,
        failure=message.failure,
        schedule=message.schedule,
        number=newest or 0,
    )


def failed(kind: str) -> dict[str, Any]:
    """What the page is told of a failed reply."""
    return {"kind": kind, "retry": kind not in _HOPELESS}


def page_messages(conversation: Conversation) -> dict[str, Any]:
    """All that the page of a conversation shows, as JSON-ready data.

    ``created_ms_ago`` and ``schedule`` let a reloaded page go on where the clock is; ``stream`` is where
    the reply under way is told, or None.
    """
    now = timezone.now()
    messages = list(conversation.messages.order_by("position"))
    owed = next((m for m in messages if m.role == Message.Role.AGENT and m.state in IN_FLIGHT), None)
    return {
        "messages": [
            {
                "position": message.position,
                "role": message.role,
                "state": message.state,
                "text": message.text,
                "schedule": message.schedule,
                "created_ms_ago": max(0, round((now - message.created_at).total_seconds() * 1000)),
                "failure": failed(message.failure) if message.failure else None,
            }
            for message in messages
        ],
        "state": conversation.state,
        "turns": turns_done(conversation),
        "stream": stream_url(conversation.pk, owed.pk) if owed else None,
    }


def stream_url(conversation_id: UUID, message_id: int) -> str:
    """Where one reply is told."""
    path = reverse("chat:messages", args=[conversation_id]).removesuffix("messages") + "stream"
    return f"{path}?{urlencode({'token': stream_token(conversation_id, message_id)})}"
