"""An event loop for callers that have none: workers, commands, simulated participants.

One loop in one thread per process, made when first needed, so that providers keep their connections
between calls.
"""

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from .beating import Pulse
from .providers import close_providers

R = TypeVar("R")


class Ground:
    """The loop, its thread and the identity under which the process claims turns."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.pulse = Pulse()
        self.in_hand: set[int] = set()
        self.lock = threading.Lock()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="chat-ground", daemon=True).start()
        atexit.register(self._stop)

    def run(self, coroutine: Coroutine[Any, Any, R]) -> R:
        """Run a coroutine on the loop and wait for it, in the calling thread."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def _stop(self) -> None:
        if os.getpid() == self.pid:
            self.run(close_providers())
            self._loop.call_soon_threadsafe(self._loop.stop)


_ground: Ground | None = None
_making = threading.Lock()


def ground() -> Ground:
    """This process's loop; a forked child gets its own."""
    global _ground
    with _making:
        if _ground is None or _ground.pid != os.getpid():
            _ground = Ground()
        return _ground
