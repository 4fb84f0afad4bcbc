"""The providers this process talks to: one of each per event loop, because their connections belong to it."""

import asyncio
import os
from weakref import WeakKeyDictionary

from django.conf import settings

from studyapp.agents import registry
from studyapp.agents.protocol import Provider, ProviderFailure
from studyapp.canonical import canonical_json

_of_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, str], Provider]] = WeakKeyDictionary()


def provider(name: str) -> Provider:
    """The provider of that name in the server's settings. Raises ProviderFailure when it cannot be used."""
    config = settings.PROVIDERS.get(name)
    if config is None:
        raise ProviderFailure("unauthorised", f"provider '{name}' is not in the server's PROVIDERS")
    ours = _of_loop.setdefault(asyncio.get_running_loop(), {})
    key = (name, canonical_json(config))
    if key not in ours:
        try:
            ours[key] = registry.build(name, config, os.environ)
        except ValueError as problem:
            raise ProviderFailure("unauthorised", str(problem)) from problem
    return ours[key]


async def close_providers() -> None:
    """Let go of the connections of the running loop."""
    for each in _of_loop.pop(asyncio.get_running_loop(), {}).values():
        await each.aclose()
