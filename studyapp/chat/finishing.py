"""Replies brought to their end here and now, without a listener: for ``say``, and for what others left."""

import asyncio

from . import claiming, recording
from .calling import Outcome, call, pause_s
from .claiming import Claim
from .ground import Ground, ground
from .models import Message


def finish_here(message_id: int) -> Message:
    """Generate an owed reply in the calling thread and return the message, complete or failed.

    A message that another process holds is returned as it stands. All rows are written on the caller's
    connection, so this also works inside the caller's transaction.
    """
    base = ground()
    with base.lock:
        ours = message_id not in base.in_hand
        base.in_hand.add(message_id)
    if ours:
        try:
            _finish(base, message_id)
        finally:
            with base.lock:
                base.in_hand.discard(message_id)
    return Message.objects.select_related("conversation", "task").get(pk=message_id)


def _finish(base: Ground, message_id: int) -> None:
    while held := claiming.claim(message_id, base.pulse.id):
        outcome = base.run(_ask(base, held))
        last = not (outcome.may_be_repeated and held.calls_left)
        if not recording.record(held, outcome, last=last) or last:
            return
        base.run(asyncio.sleep(pause_s(outcome, held.number)))


async def _ask(base: Ground, held: Claim) -> Outcome:
    async with base.pulse.beating():
        return await call(
            held.brief.provider,
            held.request,
            first_token_s=held.brief.first_token_s,
            whole_s=held.brief.whole_s,
        )
