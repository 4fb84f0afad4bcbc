"""Which handler runs which kind of work; rooms register theirs in ``ready()``."""

from collections.abc import Callable
from typing import Any

Handler = Callable[[dict[str, Any]], None]

_handlers: dict[str, Handler] = {}


def register(kind: str, handler: Handler) -> None:
    """Let ``handler(payload)`` run work of ``kind``. A second handler for one kind is a bug: ValueError."""
    if _handlers.get(kind, handler) is not handler:
        raise ValueError(f"work of kind '{kind}' already has a handler: {_handlers[kind]!r}")
    _handlers[kind] = handler


def handler(kind: str) -> Handler | None:
    return _handlers.get(kind)


def kinds() -> list[str]:
    return sorted(_handlers)
