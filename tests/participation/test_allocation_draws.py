from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studyapp.participation.allocation import Before, DrawResult, Rule, RuleProblem, StudyFull, draw

SEED = "00000000075bcd15"


def run(rule: Rule, number: int, *, seed: str = SEED) -> list[DrawResult]:
    """A whole log of ``number`` draws."""
    log: list[DrawResult] = []
    counts: Counter[str] = Counter()
    for position in range(1, number + 1):
        before = Before(rule=rule.as_json(), draw=log[-1].as_json()) if log else None
        log.append(draw(rule, seed=seed, position=position, counts=counts, before=before))
        counts[log[-1].condition] += 1
    return log


def blocks(weights: dict[str, int], *, caps: dict[str, int] | None = None, sizes: Any = (2, 4)) -> Rule:
    return Rule(name="permuted_blocks", weights=weights, caps=caps or {}, block_sizes=sizes)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**63 - 1), number=st.integers(1, 60))
def test_counts_never_differ_by_more_than_half_the_largest_block(seed: int, number: int) -> None:
    counts = Counter({"a": 0, "b": 0})
    counts.update(result.condition for result in run(blocks({"a": 1, "b": 1}), number, seed=f"{seed:016x}"))
    assert abs(counts["a"] - counts["b"]) <= 2


def test_both_block_sizes_come_up() -> None:
    sizes = {len(result.block) for result in run(blocks({"a": 1, "b": 1}), 40)}
    assert sizes == {2, 4}


def test_every_finished_block_holds_the_conditions_in_their_weights() -> None:
    log = run(blocks({"a": 2, "b": 1}, sizes=(3, 6)), 60)
    for result in log:
        counts = Counter(result.block)
        assert counts["a"] == 2 * counts["b"]


def test_the_same_seed_gives_the_same_log_and_another_seed_another() -> None:
    rule = blocks({"a": 1, "b": 1})
    assert run(rule, 30) == run(rule, 30)
    assert [r.condition for r in run(rule, 30)] != [r.condition for r in run(rule, 30, seed="0" * 15 + "7")]


def test_a_full_condition_is_passed_over_and_the_rest_goes_on() -> None:
    log = run(blocks({"a": 1, "b": 1}, caps={"a": 3}), 20)
    assert Counter(result.condition for result in log) == {"a": 3, "b": 17}


def test_a_full_condition_in_the_middle_of_a_block_is_written_down_as_passed_over() -> None:
    rule = blocks({"a": 1, "b": 1}, caps={"a": 1})
    before = Before(
        rule=rule.as_json(),
        draw=DrawResult("a", block_start=1, block=("a", "a", "b", "b"), used=1).as_json(),
    )
    result = draw(rule, seed=SEED, position=2, counts={"a": 1}, before=before)
    assert (result.condition, result.passed_over, result.used) == ("b", ("a",), 3)


def test_when_all_are_full_nobody_is_allocated() -> None:
    with pytest.raises(StudyFull):
        run(blocks({"a": 1, "b": 1}, caps={"a": 2, "b": 2}), 5)


def test_a_changed_rule_begins_a_new_block() -> None:
    old = blocks({"a": 1, "b": 1})
    before = Before(rule=old.as_json(), draw=DrawResult("a", 1, ("a", "b"), 1).as_json())
    new = blocks({"a": 1, "b": 1, "c": 1}, sizes=(3,))
    result = draw(new, seed=SEED, position=2, counts={"a": 1}, before=before)
    assert result.block_start == 2
    assert sorted(result.block) == ["a", "b", "c"]


def test_simple_allocation_goes_by_the_weights() -> None:
    rule = Rule(name="simple", weights={"a": 3, "b": 1}, caps={})
    share = Counter(result.condition for result in run(rule, 2000))["a"] / 2000
    # Four standard errors around 3/4.
    assert abs(share - 0.75) < 4 * (0.75 * 0.25 / 2000) ** 0.5


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        (blocks({"a": 1, "b": 1, "c": 1}), "multiples of 3"),
        (blocks({"a": 1}, sizes=()), "block_sizes"),
        (blocks({}), "no condition"),
        (blocks({"a": 0, "b": 1}), "whole numbers from 1"),
        (Rule(name="alternating", weights={"a": 1}, caps={}), "alternating"),
    ],
)
def test_a_rule_that_cannot_be_carried_out_says_what_to_change(rule: Rule, says: str) -> None:
    with pytest.raises(RuleProblem, match=says):
        draw(rule, seed=SEED, position=1, counts={}, before=None)


def test_a_rule_survives_being_stored() -> None:
    rule = blocks({"b": 2, "a": 2}, caps={"a": 9})
    assert Rule.from_json(rule.as_json()).as_json() == rule.as_json()
    assert list(Rule.from_json(rule.as_json()).weights) == ["b", "a"]
