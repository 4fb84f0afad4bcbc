"""Which condition is next: permuted blocks of random size, or simple randomisation. Pure.

A draw is a function of the rule, the log's seed, the position in the log, the counts seen and the
draw before it, so that every row of the log can be computed again from the rows above it.

Who counts: everybody allocated, dropouts included; caps are on the same count.

Permuted blocks of varying size: Efird (2011), https://doi.org/10.3390/ijerph8010015.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from studyapp.seeds import rng

PERMUTED_BLOCKS = "permuted_blocks"
SIMPLE = "simple"
PREVIEW = "preview"


class RuleProblem(ValueError):
    """The allocation rule cannot be carried out; the message says what to change."""


class StudyFull(Exception):
    """Every condition has reached its cap."""


@dataclass(frozen=True)
class Rule:
    """How conditions are drawn.

    Attributes
    ----------
    name: ``permuted_blocks`` or ``simple``.
    weights: condition slug to whole weight, in the order of the study.
    caps: condition slug to the most that may be allocated; no entry, no cap.
    block_sizes: lengths a block may have; each a multiple of the sum of weights.
    """

    name: str
    weights: Mapping[str, int]
    caps: Mapping[str, int]
    block_sizes: Sequence[int] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "weights": [[slug, weight] for slug, weight in self.weights.items()],
            "caps": dict(self.caps),
            "block_sizes": list(self.block_sizes),
        }

    @staticmethod
    def from_json(stored: Mapping[str, Any]) -> "Rule":
        return Rule(
            name=stored["name"],
            weights=dict(stored["weights"]),
            caps=stored["caps"],
            block_sizes=tuple(stored["block_sizes"]),
        )


@dataclass(frozen=True)
class DrawResult:
    """What was drawn and all that is needed to draw on.

    Attributes
    ----------
    condition: slug of the condition drawn.
    block_start: log position the block began at (None under ``simple``).
    block: the whole block, in order.
    used: how many of the block are used up, this draw and entries passed over included.
    passed_over: entries of the block passed over because their condition was full.
    """

    condition: str
    block_start: int | None = None
    block: tuple[str, ...] = ()
    used: int = 0
    passed_over: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "block": list(self.block), "passed_over": list(self.passed_over)}


@dataclass(frozen=True)
class Before:
    """The draw before this one in the log, as far as the next one depends on it."""

    rule: Mapping[str, Any]
    draw: Mapping[str, Any]


def check(rule: Rule) -> None:
    """Raise RuleProblem when no draw could ever be made by ``rule``."""
    if rule.name not in {PERMUTED_BLOCKS, SIMPLE}:
        raise RuleProblem(f"allocation rule '{rule.name}' is unknown; choose {PERMUTED_BLOCKS} or {SIMPLE}")
    if not rule.weights:
        raise RuleProblem("there is no condition to allocate to; name at least one under 'conditions'")
    for slug, weight in rule.weights.items():
        if weight < 1:
            raise RuleProblem(f"condition '{slug}' has weight {weight}; weights are whole numbers from 1")
    if rule.name == PERMUTED_BLOCKS:
        if not rule.block_sizes:
            raise RuleProblem("permuted blocks need 'block_sizes' under 'allocation', for example [2, 4]")
        whole = _smallest_block(rule.weights)
        for size in rule.block_sizes:
            if size < 1 or size % whole:
                raise RuleProblem(
                    f"block size {size} cannot hold the conditions in proportion to their weights; "
                    f"use multiples of {whole}"
                )


def draw(
    rule: Rule, *, seed: str, position: int, counts: Mapping[str, int], before: Before | None
) -> DrawResult:
    """The condition at ``position`` (from 1) of a log.

    Parameters
    ----------
    rule: as frozen in the version of the session to be allocated.
    seed: the log's seed.
    counts: allocations so far by condition slug; conditions of other versions may be among them.
    before: the log's last row, None for the first draw.

    Raises
    ------
    StudyFull: every condition is at its cap.
    RuleProblem: see ``check``.
    """
    check(rule)
    room = [slug for slug in rule.weights if slug not in rule.caps or counts.get(slug, 0) < rule.caps[slug]]
    if not room:
        raise StudyFull("every condition has reached its cap")
    if rule.name == SIMPLE:
        random = rng(int(seed, 16), "simple", position)
        return DrawResult(random.choices(room, weights=[rule.weights[slug] for slug in room])[0])
    if before is not None and before.rule == rule.as_json():
        going_on = _from_block(
            block_start=before.draw["block_start"],
            block=tuple(before.draw["block"]),
            used=before.draw["used"],
            room=room,
        )
        if going_on is not None:
            return going_on
    fresh = _from_block(
        block_start=position, block=_new_block(rule, room, seed=seed, position=position), used=0, room=room
    )
    assert fresh is not None, "a new block holds only conditions with room"
    return fresh


def _from_block(
    *, block_start: int, block: tuple[str, ...], used: int, room: Sequence[str]
) -> DrawResult | None:
    for index in range(used, len(block)):
        if block[index] in room:
            return DrawResult(
                condition=block[index],
                block_start=block_start,
                block=block,
                used=index + 1,
                passed_over=block[used:index],
            )
    return None


def _new_block(rule: Rule, room: Sequence[str], *, seed: str, position: int) -> tuple[str, ...]:
    """A shuffled block over the conditions that still have room, its size drawn from those that fit."""
    weights = {slug: rule.weights[slug] for slug in room}
    whole = _smallest_block(weights)
    random = rng(int(seed, 16), "block", position)
    # With a condition full, the stated sizes may no longer fit; the smallest whole block always does.
    size = random.choice([size for size in rule.block_sizes if size % whole == 0] or [whole])
    share = sum(weights.values())
    block = [slug for slug, weight in weights.items() for _ in range(weight * size // share)]
    random.shuffle(block)
    return tuple(block)


def _smallest_block(weights: Mapping[str, int]) -> int:
    """Fewest places that hold the conditions in proportion to their weights."""
    return sum(weights.values()) // math.gcd(*weights.values())
