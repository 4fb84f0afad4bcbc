"""What a provider of replies is asked for and what it gives back: plain data, no database, no Django."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

FailureKind = Literal["refused", "cut", "empty", "rate_limited", "timed_out", "broken", "unauthorised"]
FAILURE_KINDS: tuple[FailureKind, ...] = (
    "refused",
    "cut",
    "empty",
    "rate_limited",
    "timed_out",
    "broken",
    "unauthorised",
)


@dataclass(frozen=True)
class Turn:
    """One thing said."""

    role: Literal["participant", "agent"]
    text: str


@dataclass(frozen=True)
class ReplyRequest:
    """All that decides a reply.

    ``context`` is plain data for scripted agents and never leaves the process; ``seed`` reaches a hosted
    model only where ``parameters`` asks for one by holding the key ``seed`` itself.
    """

    system: str
    turns: tuple[Turn, ...]
    model: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    context: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Delta:
    """The next piece of a reply, to be appended to what came before."""

    text: str


@dataclass(frozen=True)
class Finished:
    """The end of a reply, always last and only once.

    ``reason`` is ``stop`` or ``length`` (cut at the model's limit: kept, and known by its reason), or what
    else the provider names. ``model`` is the model that answered, which need not be the one asked for.
    Token counts are None where the provider did not say.
    """

    reason: str
    model: str
    input_tokens: int | None
    output_tokens: int | None
    request_id: str


class ProviderFailure(Exception):
    """No whole reply came. ``message`` is for logs and researchers and holds no key and no words."""

    def __init__(self, kind: FailureKind, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.kind: FailureKind = kind
        self.message = message
        self.retry_after_s = retry_after_s


class Provider(Protocol):
    """Something that replies."""

    def reply(self, request: ReplyRequest) -> AsyncIterator[Delta | Finished]:
        """Stream one reply: deltas, then Finished. Raises ProviderFailure. Time-outs are the caller's."""
        ...

    async def aclose(self) -> None:
        """Let go of connections. The provider may be used again: it opens new ones."""
        ...
