"""Two-way intervals over participants and claims."""

import numpy as np
import pandas as pd
import pytest

from analysis.crossed import crossed
from analysis.errors import TooFewData
from analysis.honest_effects import AGREEMENT_BIAS, DISCERNMENT


def simulated(
    rng: np.random.Generator, *, participants: float, slopes: float, people: int = 80, claims: int = 20
) -> pd.DataFrame:
    """No effect; participants and the claims' slopes vary by these standard deviations (logits)."""
    level = np.arange(people) % 2
    person = rng.normal(0, participants, people) if participants else np.zeros(people)
    claim = rng.normal(0, 0.8, claims)
    slope = rng.normal(0, slopes, claims) if slopes else np.zeros(claims)
    who = np.repeat(np.arange(people), claims)
    what = np.tile(np.arange(claims), people)
    logit = person[who] + claim[what] + slope[what] * (level[who] - 0.5)
    told = (rng.random(len(who)) < 1 / (1 + np.exp(-logit))).astype(float)
    return pd.DataFrame({"session": who, "item": what, "warm": level[who] == 1, "told": told})


def test_the_estimate_is_the_mean_over_claims_of_the_difference() -> None:
    rows = simulated(np.random.default_rng(1), participants=1, slopes=0)
    rows = rows.drop(rows.index[:37])
    found = crossed(rows, "told", level=rows["warm"])
    means = rows.groupby(["item", "warm"])["told"].mean().unstack()
    assert found.estimate == pytest.approx((means[True] - means[False]).mean())
    assert (found.items, found.df) == (20, 19)


def test_without_a_participant_effect_the_interval_is_that_of_a_t_test_over_claims() -> None:
    rows = simulated(np.random.default_rng(2), participants=0, slopes=0.5)
    found = crossed(rows, "told", level=rows["warm"])
    means = rows.groupby(["item", "warm"])["told"].mean().unstack()
    differences = means[True] - means[False]
    assert found.se_items == pytest.approx(differences.std() / np.sqrt(20))
    assert found.se >= found.se_items


@pytest.mark.parametrize(("participants", "slopes"), [(1.0, 0.0), (0.0, 0.6), (1.0, 0.6)])
def test_coverage_is_honest_whichever_of_the_two_varies(participants: float, slopes: float) -> None:
    rng = np.random.default_rng(11)
    hits = by_claim = 0
    for _ in range(200):
        rows = simulated(rng, participants=participants, slopes=slopes)
        found = crossed(rows, "told", level=rows["warm"])
        hits += found.low <= 0 <= found.high
        by_claim += abs(found.estimate) <= 2.093 * found.se_items
    # 200 runs at .95: three standard errors are .046.
    assert hits / 200 > 0.904
    if participants and not slopes:
        assert by_claim / 200 < 0.85


def test_discernment_and_bias_weigh_true_and_false_claims() -> None:
    rows = pd.DataFrame(
        [
            {"session": person, "item": claim, "truth": truth, "asserts": float(hit)}
            for person in range(10)
            for claim, truth, hit in (
                ("a", "true", 1), ("b", "true", person % 2), ("c", "false", 0), ("d", "false", person % 2),
            )
        ]
    )  # fmt: skip
    assert crossed(rows, "asserts", kinds=DISCERNMENT).estimate == pytest.approx(0.75 - 0.25)
    assert crossed(rows, "asserts", kinds=AGREEMENT_BIAS).estimate == pytest.approx(0.5)


def test_a_claim_asked_in_one_condition_only_is_left_out_and_named() -> None:
    rows = simulated(np.random.default_rng(3), participants=0, slopes=0)
    rows = rows[~((rows["item"] == 4) & rows["warm"])]
    found = crossed(rows, "told", level=rows["warm"])
    assert found.dropped_items == ("4",)
    assert found.items == 19


def test_one_claim_is_too_few() -> None:
    rows = simulated(np.random.default_rng(3), participants=0, slopes=0, claims=1)
    with pytest.raises(TooFewData, match="two or more"):
        crossed(rows, "told", level=rows["warm"])


def test_an_empty_group_is_said() -> None:
    rows = simulated(np.random.default_rng(3), participants=0, slopes=0)
    rows = rows[~rows["warm"]]
    with pytest.raises(TooFewData, match="one of the two groups"):
        crossed(rows, "told", level=rows["warm"])
