"""Keeps children running: restarts the one that ends, stops all in the reverse order of their start."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from launcher import child
from launcher.interrupts import Interrupts
from launcher.refusal import Refusal

FIRST_DELAY_S, LONGEST_DELAY_S = 0.2, 10.0
# A child that ran this long before it ended is taken to be sound: its next delay is the first again.
STEADY_S = 30.0
LOOK_EVERY_S = 5.0


@dataclass
class _Place:
    command: child.Command
    child: child.Child | None
    delay_s: float = FIRST_DELAY_S
    due: float = 0.0


class Supervisor:
    """``tell`` is called with a line for whoever watches the terminal."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._places: list[_Place] = []

    def start(self, command: child.Command) -> child.Child:
        started = child.start(command)
        self._places.append(_Place(command, started))
        return started

    def ended(self) -> child.Child | None:
        """The first child that is over, if any."""
        return next((place.child for place in self._places if place.child and place.child.has_ended()), None)

    def watch(self, interrupts: Interrupts) -> None:
        """Restart whatever ends, until told to stop."""
        while not interrupts.count:
            now = time.monotonic()
            for place in self._places:
                self._tend(place, now)
            dues = [place.due for place in self._places if place.child is None]
            interrupts.wait(min([LOOK_EVERY_S, *(due - now for due in dues)]))

    def _tend(self, place: _Place, now: float) -> None:
        if place.child is not None and place.child.has_ended():
            lived = now - place.child.started_at
            place.delay_s = FIRST_DELAY_S if lived >= STEADY_S else place.delay_s
            place.due = now + place.delay_s
            self._tell(
                f"{place.command.name} ended ({_why(place.child.code)}); "
                f"it starts again in {place.delay_s:.1f} s. Log: {place.command.log}"
            )
            place.delay_s = min(LONGEST_DELAY_S, place.delay_s * 2)
            place.child = None
        if place.child is None and now >= place.due:
            try:
                place.child = child.start(place.command)
            except Refusal as refusal:
                self._tell(str(refusal))
                place.due = now + place.delay_s
                place.delay_s = min(LONGEST_DELAY_S, place.delay_s * 2)

    def stop(self, interrupts: Interrupts) -> None:
        """Stop all, last started first. Told once more, kill what still runs."""
        before = interrupts.count
        while self._places:
            place = self._places.pop()
            if place.child is not None:
                place.child.stop(is_hurried=lambda: interrupts.count > before)


def _why(code: int | None) -> str:
    return f"killed by signal {-code}" if code is not None and code < 0 else f"exit code {code}"
