"""Conversations for tests."""

import uuid
from collections.abc import Sequence
from typing import Any

from studyapp.chat import conversations
from studyapp.chat.brief import Brief, TaskSpec
from studyapp.chat.models import Conversation

PERSONA = {
    "agent_name": "Robin",
    "warmth": 0.5,
    "prompt_mode": "recipe",
    "prompt_text": "",
    "base": "plain",
    "notes": "",
}
CARD = TaskSpec(
    key="honey",
    text="I think honey never spoils. Is that right?",
    context={
        "claim": {"key": "honey", "text": "honey never spoils", "truth": True},
        "stated": "for",
        "draw": 0,
    },
)


def brief(**changes: Any) -> Brief:
    """A brief for the demo agent, quick to fail, without pacing."""
    fields = {
        "agent_name": "Robin",
        "persona": PERSONA,
        "provider": "demo",
        "model": "demo",
        "first_token_s": 0.5,
        "whole_s": 2.0,
        "attempts": 1,
        "context": {"dose": 0.5},
    }
    return Brief(**{**fields, **changes})


def started(*, tasks: Sequence[TaskSpec] = (), kind: str = "main", **changes: Any) -> Conversation:
    """A conversation of its own for a test."""
    return conversations.start(kind=kind, brief=brief(**changes), seed=11, tasks=tasks)


def key() -> str:
    """A client key as a browser makes one."""
    return str(uuid.uuid4())
