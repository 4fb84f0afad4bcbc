"""One call to a provider, with its time-outs. Whatever happens, something is told: an Outcome."""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from studyapp.agents.protocol import Finished, ProviderFailure, ReplyRequest

from .providers import provider
from .storable import Pieces

# Far above any reply a conversation needs; a server that never stops is stopped here.
MOST_CHARACTERS = 20_000
# Asking again would bring the same: the key is wrong, or the model declines these words.
_FINAL = {"unauthorised", "refused"}
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 20.0


@dataclass(frozen=True)
class Outcome:
    """What came of a call. ``failure`` is "" or a kind of ``ProviderFailure``; ``text`` is what arrived."""

    text: str
    failure: str
    started_at: datetime
    first_token_at: datetime | None
    ended_at: datetime
    finished: Finished | None = None
    detail: str = ""
    retry_after_s: float | None = None

    @property
    def may_be_repeated(self) -> bool:
        """Whether another call could bring a reply."""
        return bool(self.failure) and self.failure not in _FINAL


def _ignore(piece: str) -> None:
    pass


async def call(
    name: str,
    request: ReplyRequest,
    *,
    first_token_s: float,
    whole_s: float,
    heard: Callable[[str], None] = _ignore,
) -> Outcome:
    """Ask provider ``name`` for one reply; ``heard`` is given every piece as it comes."""
    started_at = timezone.now()
    began = asyncio.get_running_loop().time()
    first_token_at = None
    finished = None
    failure = detail = ""
    retry_after_s = None
    parts: list[str] = []
    length = 0
    pieces = Pieces()
    try:
        async with asyncio.timeout(min(first_token_s, whole_s)) as limit:
            stream = provider(name).reply(request)
            try:
                async for event in stream:
                    if isinstance(event, Finished):
                        finished = event
                        continue
                    if first_token_at is None:
                        first_token_at = timezone.now()
                        limit.reschedule(began + whole_s)
                    if piece := pieces.add(event.text):
                        parts.append(piece)
                        length += len(piece)
                        heard(piece)
                    if length > MOST_CHARACTERS:
                        failure, detail = "cut", f"stopped after {MOST_CHARACTERS:,} characters"
                        break
            finally:
                if isinstance(stream, AsyncGenerator):
                    await stream.aclose()
    except TimeoutError:
        failure = "timed_out"
        detail = "no first token in time" if first_token_at is None else "the reply took too long"
    except ProviderFailure as problem:
        failure, detail, retry_after_s = problem.kind, problem.message, problem.retry_after_s
    text = "".join(parts)
    if not failure and finished is None:
        failure, detail = "broken", "the reply ended without saying so"
    if not failure and not text.strip():
        failure, detail = "empty", "the reply has no words"
    return Outcome(
        text=text,
        failure=failure,
        started_at=started_at,
        first_token_at=first_token_at,
        ended_at=timezone.now(),
        finished=finished,
        detail=detail,
        retry_after_s=retry_after_s,
    )


def pause_s(outcome: Outcome, number: int) -> float:
    """How long to wait before attempt ``number + 1``: what the server asks for, else doubling with jitter."""
    if outcome.retry_after_s is not None:
        return min(outcome.retry_after_s, _LONGEST_PAUSE_S)
    # Jitter decides nothing about the study, so it needs no seed.
    return min(_FIRST_PAUSE_S * 2 ** (number - 1), _LONGEST_PAUSE_S) * random.uniform(0.5, 1.5)
