"""What a conversation is made with: its brief, and the tasks raised in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from studyapp.agents.brief import Brief

__all__ = ["Brief", "TaskSpec"]


@dataclass(frozen=True)
class TaskSpec:
    """Something to be raised with fixed wording: key, the participant's words, data for scripted agents."""

    key: str
    text: str
    context: Mapping[str, Any] = field(default_factory=dict)
