"""What a conversation with an agent is made with: plain data that its caller fixes and that stays with it.

It lies here, below both, because studies make briefs and chat holds conversations by them.
"""

from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Brief(BaseModel):
    """All that shapes the agent's side of a conversation, stored as JSON with the conversation.

    ``persona`` is what ``agents.prompt.compose`` reads. ``first_token_s`` and ``whole_s`` bound one call to
    the provider, ``attempts`` the calls for one turn. ``start_ms`` and ``ms_per_char`` pace what the
    participant sees. ``context`` is plain data for scripted agents and never reaches a hosted model.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    agent_name: str
    persona: dict[str, Any]
    provider: str
    model: str = ""
    parameters: dict[str, Any] = Field(default_factory=dict)
    opening: str = ""
    min_turns: int = Field(default=1, ge=0)
    max_turns: int = Field(default=20, ge=1)
    max_characters: int = Field(default=4000, ge=1)
    first_token_s: float = Field(default=20.0, gt=0)
    whole_s: float = Field(default=60.0, gt=0)
    attempts: int = Field(default=3, ge=1)
    start_ms: int = Field(default=0, ge=0)
    ms_per_char: float = Field(default=0.0, ge=0)
    context: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _turns_fit(self) -> "Brief":
        if self.min_turns > self.max_turns:
            raise ValueError(f"min_turns ({self.min_turns}) is above max_turns ({self.max_turns})")
        return self

    @cached_property
    def schedule(self) -> dict[str, float]:
        """When the participant sees what of a reply, counted from the reply's ``created_at``."""
        return {"start_ms": self.start_ms, "ms_per_char": self.ms_per_char}
