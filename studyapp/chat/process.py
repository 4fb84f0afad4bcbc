"""This web process as a generator of replies: what it has in hand, its beat, and its orderly end."""

import asyncio
import contextlib
import logging

from django.conf import settings
from django.db import InterfaceError, OperationalError

from . import beating, recording
from .beating import Pulse
from .channel import Channel, Piece
from .generating import generate
from .live import LiveTurn
from .providers import close_providers
from .threads import in_thread

logger = logging.getLogger(__name__)

# Deltas are passed on in batches: often enough for the eye, seldom enough for the processor.
BATCH_S = 0.05
ROW_S = 1.0


class ChatServer:
    """Lives from the start to the stop of an event loop."""

    def __init__(self) -> None:
        self.pulse = Pulse()
        self.channel = Channel(settings.REDIS_URL)
        self.live: dict[int, LiveTurn] = {}
        self.accepting = True
        self._loop = asyncio.get_running_loop()
        self._turns: set[asyncio.Task[None]] = set()
        self._stir = asyncio.Event()
        self._stack = contextlib.AsyncExitStack()
        self._movers: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        """Begin to beat and to pass on what replies bring."""
        await self._stack.enter_async_context(self.pulse.beating())
        self._movers = [asyncio.create_task(self._pass_on()), asyncio.create_task(self._keep_rows())]

    async def drain(self) -> None:
        """Claim nothing more, let replies under way end for up to ``DRAIN_S``, let go of the rest."""
        self.accepting = False
        if self._turns:
            _, late = await asyncio.wait(self._turns, timeout=settings.DRAIN_S)
            for turn in late:
                turn.cancel()
            if late:
                await asyncio.wait(late)
        for mover in self._movers:
            mover.cancel()
        await self._stack.aclose()
        await self.channel.close()
        await close_providers()
        with contextlib.suppress(OperationalError, InterfaceError):
            await in_thread(beating.leave, self.pulse.id)

    def take(self, message_id: int) -> LiveTurn | None:
        """Work on a turn if nobody does; the turn as it grows here, or None while shutting down.

        A turn that another process holds closes at once. Call on the event loop.
        """
        if message_id in self.live:
            return self.live[message_id]
        if not self.accepting:
            return None
        live = self.live[message_id] = LiveTurn(message_id)
        task = asyncio.create_task(
            generate(live, pulse=self.pulse, channel=self.channel, stir=self._stir), name=f"turn {message_id}"
        )
        self._turns.add(task)
        task.add_done_callback(lambda done: self._finished(done, message_id))
        return live

    def wake(self, message_id: int) -> None:
        """``take`` from any thread, without waiting."""
        self._loop.call_soon_threadsafe(self.take, message_id)

    def _finished(self, task: asyncio.Task[None], message_id: int) -> None:
        self._turns.discard(task)
        self.live.pop(message_id, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("turn %s was let go of", message_id, exc_info=error)

    async def _pass_on(self) -> None:
        while True:
            await self._stir.wait()
            self._stir.clear()
            fresh = []
            for live in self.live.values():
                if len(live.text) > live.sent:
                    fresh.append((live.message_id, live.number, Piece(live.sent, live.text[live.sent :])))
                    live.sent = len(live.text)
                    live.tell()
            if fresh:
                await self.channel.push(fresh)
            await asyncio.sleep(BATCH_S)

    async def _keep_rows(self) -> None:
        while True:
            await asyncio.sleep(ROW_S)
            grown = [live for live in self.live.values() if len(live.text) > live.written]
            if not grown:
                continue
            texts = [(live.message_id, live.number, live.text) for live in grown]
            try:
                await in_thread(recording.write_texts, texts)
            except (OperationalError, InterfaceError):
                # The reply is in memory still and is written whole at its end.
                logger.warning("replies under way could not be kept: the database does not answer")
                continue
            for live, (_, number, text) in zip(grown, texts, strict=True):
                if live.number == number:
                    live.written = len(text)


_current: ChatServer | None = None


async def start() -> None:
    """To be run when the web process starts."""
    global _current
    _current = ChatServer()
    await _current.open()


async def stop() -> None:
    """To be run when the web process stops."""
    global _current
    if _current is not None:
        await _current.drain()
    _current = None


def current() -> ChatServer | None:
    """The generator of this process; None where no event loop serves (commands, workers, plain tests)."""
    return _current
