"""Database work of the event loop, done in a few threads.

The ORM's async methods would pin one connection to every open stream. Here at most ``THREADS``
connections exist, and each is closed when its work is done.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from django.db import connections

THREADS = 8

P = ParamSpec("P")
R = TypeVar("R")

_executor = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="chat-rows")


async def in_thread(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run ``function`` in one of the threads, even when the caller is cancelled, and close its connection."""
    call = partial(_and_close, partial(function, *args, **kwargs))
    return await asyncio.shield(asyncio.get_running_loop().run_in_executor(_executor, call))


def _and_close(function: Callable[[], R]) -> R:
    try:
        return function()
    finally:
        connections.close_all()
