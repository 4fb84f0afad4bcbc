"""Replies generated on the event loop of the web process, one detached task per turn."""

import asyncio
import logging

from django.db import InterfaceError, OperationalError

from . import claiming, recording
from .beating import Pulse
from .calling import Outcome, call, pause_s
from .channel import Channel
from .claiming import Claim
from .live import LiveTurn
from .threads import in_thread

logger = logging.getLogger(__name__)

# How long a whole reply waits for a database that does not answer before it is let go of.
PATIENCE_S = 30.0


async def generate(live: LiveTurn, *, pulse: Pulse, channel: Channel, stir: asyncio.Event) -> None:
    """Claim the turn, if it is owed by nobody, and bring it to its end; ``stir`` wakes who passes deltas on.

    However this ends, cancelled included, ``live`` is closed and a turn without its end is let go of.
    """
    held: Claim | None = None
    try:
        while held := await in_thread(claiming.claim, live.message_id, pulse.id):
            live.restart(held.number)
            outcome = await _ask(held, live, stir)
            if outcome.failure:
                logger.warning(
                    "turn %s attempt %s: %s: %s",
                    live.message_id,
                    held.number,
                    outcome.failure,
                    outcome.detail,
                )
            last = not (outcome.may_be_repeated and held.calls_left)
            kept = await _record(held, outcome, last=last)
            await channel.end(held.message_id, held.number)
            ended, held = held, None
            if last or not kept:
                return
            await asyncio.sleep(pause_s(outcome, ended.number))
    finally:
        if held is not None:
            await in_thread(claiming.release, held)
        live.close()


async def _ask(held: Claim, live: LiveTurn, stir: asyncio.Event) -> Outcome:
    def heard(piece: str) -> None:
        live.append(piece)
        stir.set()

    return await call(
        held.brief.provider,
        held.request,
        first_token_s=held.brief.first_token_s,
        whole_s=held.brief.whole_s,
        heard=heard,
    )


async def _record(held: Claim, outcome: Outcome, *, last: bool) -> bool:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + PATIENCE_S
    while True:
        try:
            return await in_thread(recording.record, held, outcome, last=last)
        except (OperationalError, InterfaceError):
            if loop.time() >= deadline:
                raise
            await asyncio.sleep(1.0)
