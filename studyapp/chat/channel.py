"""Deltas on their way between processes: one Valkey list per attempt, gone soon after its end.

Valkey only carries; the row is the record. While it does not answer, listeners of other processes read
the row, and nobody waits for it.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import redis.asyncio as redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

KEEP_S = 300
KEEP_ENDED_S = 5
# How long it is left alone after it did not answer.
REST_S = 2.0


@dataclass(frozen=True)
class Piece:
    """Part of an attempt's text and the offset it starts at, by which a reader sees that one went missing."""

    start: int
    text: str


# The entry after which nothing follows.
_END = "end"


class Channel:
    """The connection of one process. No method raises because Valkey is away."""

    def __init__(self, url: str) -> None:
        pool = redis.BlockingConnectionPool.from_url(
            url,
            max_connections=16,
            timeout=1,
            decode_responses=True,
            socket_timeout=1,
            socket_connect_timeout=0.5,
            retry=Retry(NoBackoff(), 0),
        )
        self._client = redis.Redis.from_pool(pool)
        self._rest_until = 0.0

    async def push(self, pieces: Sequence[tuple[int, int, Piece]]) -> None:
        """Append (message id, attempt number, piece) each, all in one round trip."""
        await self._write(
            [
                (key(message_id, number), f"{piece.start}:{piece.text}", KEEP_S)
                for message_id, number, piece in pieces
            ]
        )

    async def end(self, message_id: int, number: int) -> None:
        """Say that the row now tells the rest."""
        await self._write([(key(message_id, number), _END, KEEP_ENDED_S)])

    async def read(self, message_id: int, number: int, index: int) -> list[Piece | None] | None:
        """Entries from ``index`` on, a None among them marking the end; None alone while Valkey is away."""
        if time.monotonic() < self._rest_until:
            return None
        try:
            entries = await self._client.lrange(key(message_id, number), index, -1)
        except RedisError:
            self._rest_until = time.monotonic() + REST_S
            return None
        return [_piece(str(entry)) for entry in entries]

    async def close(self) -> None:
        """Let go of all connections."""
        await self._client.aclose(close_connection_pool=True)

    async def _write(self, entries: Sequence[tuple[str, str, int]]) -> None:
        if time.monotonic() < self._rest_until:
            return
        pipeline = self._client.pipeline(transaction=False)
        for name, text, keep_s in entries:
            pipeline.rpush(name, text)
            pipeline.expire(name, keep_s)
        try:
            await pipeline.execute()
        except RedisError:
            self._rest_until = time.monotonic() + REST_S


def _piece(entry: str) -> Piece | None:
    start, _, text = entry.partition(":")
    return None if start == _END else Piece(int(start), text)


def key(message_id: int, number: int) -> str:
    """The name of an attempt's list."""
    return f"turn:{message_id}:{number}"
