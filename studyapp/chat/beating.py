"""A process shows that it lives: its row is touched every few seconds, and what it holds stays its own."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import UUID, uuid4

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from .models import ChatProcess
from .threads import in_thread

logger = logging.getLogger(__name__)

# Rows of processes that are long gone tell nothing any more; attempts keep the plain id.
KEPT = timedelta(hours=1)


class Pulse:
    """The beat of one process. ``id`` is what its attempts carry."""

    def __init__(self) -> None:
        self.id: UUID = uuid4()
        self._beaten_at = float("-inf")

    @contextlib.asynccontextmanager
    async def beating(self) -> AsyncIterator[None]:
        """Beat once before and then every ``PROCESS_BEAT_S`` while inside."""
        if time.monotonic() - self._beaten_at >= settings.PROCESS_BEAT_S:
            await self._beat()
        task = asyncio.create_task(self._keep_beating())
        try:
            yield
        finally:
            task.cancel()

    async def _keep_beating(self) -> None:
        while True:
            await asyncio.sleep(settings.PROCESS_BEAT_S)
            await self._beat()

    async def _beat(self) -> None:
        try:
            await in_thread(beat, self.id)
        except (OperationalError, InterfaceError):
            # The next beat may find the database again; until then others may take over what we hold,
            # and the final writes are conditional on still holding it.
            logger.warning("the chat process could not beat: the database does not answer")
        else:
            self._beaten_at = time.monotonic()


def beat(process_id: UUID) -> None:
    """Touch the row of a process, making it if need be."""
    now = timezone.now()
    ChatProcess.objects.bulk_create(
        [ChatProcess(id=process_id, started_at=now, beat_at=now)],
        update_conflicts=True,
        unique_fields=["id"],
        update_fields=["beat_at"],
    )


def leave(process_id: UUID) -> None:
    """Remove the row of a process: what it still held is anybody's from now on."""
    ChatProcess.objects.filter(pk=process_id).delete()


def living() -> list[UUID]:
    """The processes whose beat is young enough for their leases to hold."""
    since = timezone.now() - timedelta(seconds=settings.PROCESS_DEAD_S)
    return list(ChatProcess.objects.filter(beat_at__gt=since).values_list("pk", flat=True))


def sweep() -> int:
    """Remove rows of processes that stopped beating long ago; returns how many."""
    return ChatProcess.objects.filter(beat_at__lt=timezone.now() - KEPT).delete()[0]
