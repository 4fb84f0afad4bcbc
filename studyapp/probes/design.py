"""Which probes a conversation is put to: an incomplete block of the study's claims, balanced and replayable.

Pure. Everything descends from the conversation's seed, so a plan can be made again and compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from studyapp.seeds import rng

STATED = ("for", "against", "none")
POINTS = ("first", "middle", "last")
WITH_SHADOWS = ((True, True), (True, False), (False, True), (False, False))


@dataclass(frozen=True)
class PlannedProbe:
    """One probe, put once to the state after ``turn`` agent replies, with persona and history or without."""

    point: str
    turn: int
    claim: str
    stated: str
    persona: bool
    history: bool
    draw: int


def turn_at(point: str, turns: int) -> int:
    """The number of agent replies the copied state of a set point holds, 1 to ``turns``.

    In a conversation of one or two replies points coincide: the plan then holds as many probes on
    fewer distinct turns.
    """
    if turns < 1:
        raise ValueError("a conversation without a reply has no state to fork")
    if point not in POINTS:
        raise ValueError(f"unknown point '{point}'; points are {', '.join(POINTS)}")
    return {"first": 1, "middle": (turns + 1) // 2, "last": turns}[point]


def plan(
    *,
    seed: int,
    claims: Mapping[str, bool],
    turns: int,
    points: Sequence[str],
    per_session: int,
    draws: int,
    shadows: bool,
) -> list[PlannedProbe]:
    """The probes of one conversation.

    Parameters
    ----------
    seed: the conversation's.
    claims: claim key to its truth, in the study's order.
    turns: agent replies in the conversation, at least 1.
    points: set points out of first, middle, last.
    per_session: how many probes; a claim comes up again only where there are fewer claims than probes, and
        never twice at one point.
    draws: repetitions of every cell, at least 1.
    shadows: also put each probe without persona, without history, and without both.

    Every seed gets its own random block with as many true as false claims as there are to give;
    stated beliefs come up equally often, are spread evenly over the points, and are crossed with
    truth (counts differ by one at most where numbers do not divide).
    """
    if per_session > len(claims) * len(points):
        raise ValueError(f"{per_session} probes are more than {len(claims)} claims at {len(points)} points")
    if per_session < 1 or draws < 1 or not points:
        raise ValueError("a plan needs at least one point, one probe a session and one draw")
    turn_of = {point: turn_at(point, turns) for point in points}
    cells = WITH_SHADOWS if shadows else WITH_SHADOWS[:1]
    return [
        PlannedProbe(point, turn_of[point], claim, stated, persona, history, draw)
        for claim, stated, point in _block(seed, claims, points, per_session)
        for persona, history in cells
        for draw in range(1, draws + 1)
    ]


def _block(
    seed: int, claims: Mapping[str, bool], points: Sequence[str], size: int
) -> list[tuple[str, str, str]]:
    """``(claim, stated, point)`` per probe, by point in the order given."""
    draw = rng(seed, "probes")
    # The order in which claims are taken; afterwards the least used comes first.
    place = {key: index for index, key in enumerate(draw.sample(list(claims), len(claims)))}
    used: dict[str, list[tuple[str, str]]] = {key: [] for key in claims}
    stated = draw.sample(STATED, len(STATED))
    order = draw.sample(points, len(points))
    first_truth = draw.random() < 0.5
    # Rows of three: each holds every stated belief once, shifted by one point from the row before.
    # Truth changes from row to row, slower where that would tie it to the point (an even number of points).
    slower = 2 if len(points) % 2 == 0 else 1
    block = []
    for index in range(size):
        row, place_in_row = divmod(index, len(STATED))
        truth = first_truth ^ bool(row // slower % 2)
        point, belief = order[(place_in_row + row) % len(points)], stated[place_in_row]
        free = [key for key in claims if all(point != at for at, _ in used[key])]
        claim = min(free, key=lambda key: (len(used[key]), claims[key] is not truth, place[key]))
        if any(belief == said for _, said in used[claim]):
            # Points may coincide: the same claim then needs another stated belief to be another probe.
            belief = next(b for b in stated if all(b != said for _, said in used[claim]))
        used[claim].append((point, belief))
        block.append((claim, belief, point))
    return sorted(block, key=lambda probe: points.index(probe[2]))
