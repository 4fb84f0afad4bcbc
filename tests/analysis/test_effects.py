"""OLS with HC3, analysis of covariance, Holm."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from statsmodels.stats.multitest import multipletests

from analysis.design import Factor
from analysis.effects import Contrast, effects_on_score, holm
from analysis.errors import TooFewData

WARMTH = Factor("warmth", ("default", "warm"))


@pytest.fixture
def people() -> pd.DataFrame:
    rng = np.random.default_rng(8)
    warm = rng.random(90) < 0.4
    before = rng.normal(50, 10, 90)
    return pd.DataFrame(
        {
            "warmth": np.where(warm, "warm", "default"),
            "voice": rng.choice(["off", "on"], 90),
            "before": before,
            "after": before * 0.5 + 4 * warm + rng.normal(0, 3 + 5 * warm),
        }
    )


def test_a_difference_equals_statsmodels_with_hc3(people: pd.DataFrame) -> None:
    found = effects_on_score(people, "after", [WARMTH], family="felt", label="after")[0]
    x = sm.add_constant((people["warmth"] == "warm").astype(float))
    expected = sm.OLS(people["after"], x).fit(cov_type="HC3", use_t=True)
    assert found.estimate == pytest.approx(expected.params.iloc[1])
    assert (found.low, found.high) == pytest.approx(tuple(expected.conf_int().iloc[1]))
    assert found.p == pytest.approx(expected.pvalues.iloc[1])


def test_two_factors_and_a_baseline_equal_statsmodels(people: pd.DataFrame) -> None:
    voice = Factor("voice", ("off", "on"))
    found = effects_on_score(people, "after", [WARMTH, voice], family="felt", label="a", baseline="before")
    x = pd.DataFrame(
        {"c": 1.0, "w": people["warmth"] == "warm", "v": people["voice"] == "on", "b": people["before"]}
    ).astype(float)
    expected = sm.OLS(people["after"], x).fit(cov_type="HC3", use_t=True)
    assert [c.estimate for c in found] == pytest.approx(expected.params[["w", "v"]].tolist())
    assert [c.se for c in found] == pytest.approx(expected.bse[["w", "v"]].tolist())
    assert "baseline" in found[0].method


def test_the_first_level_is_the_reference_and_sizes_are_counted(people: pd.DataFrame) -> None:
    people.loc[0, "after"] = np.nan
    found = effects_on_score(people, "after", [WARMTH], family="felt", label="after")[0]
    assert (found.level, found.reference) == ("warm", "default")
    assert found.n_level + found.n_reference == 89


def test_a_single_condition_is_said_and_not_estimated(people: pd.DataFrame) -> None:
    with pytest.raises(TooFewData, match="no factor has participants"):
        effects_on_score(people[people["warmth"] == "warm"], "after", [WARMTH], family="f", label="after")


def test_a_group_of_one_is_refused_by_name(people: pd.DataFrame) -> None:
    few = pd.concat([people[people["warmth"] == "warm"].head(1), people[people["warmth"] == "default"]])
    with pytest.raises(TooFewData, match="warmth has 1 participant"):
        effects_on_score(few, "after", [WARMTH], family="f", label="after")


def test_a_small_group_is_flagged(people: pd.DataFrame) -> None:
    few = pd.concat([people[people["warmth"] == "warm"].head(4), people[people["warmth"] == "default"]])
    found = effects_on_score(few, "after", [WARMTH], family="f", label="after")[0]
    assert "fewer than 10" in found.warnings[0]


def test_factors_that_cannot_be_told_apart_are_refused(people: pd.DataFrame) -> None:
    people["copy"] = people["warmth"].map({"default": "a", "warm": "b"})
    with pytest.raises(TooFewData, match="cannot tell"):
        effects_on_score(people, "after", [WARMTH, Factor("copy", ("a", "b"))], family="f", label="after")


def test_holm_adjusts_within_families_only() -> None:
    """p.adjust(p, "holm") within each family."""
    p = [0.001, 0.04, 0.03, 0.2, 0.02]
    families = ["felt", "felt", "felt", "felt", "honest"]
    contrasts = [
        Contrast(
            family=family, outcome="y", label="y", factor="w", level="b", reference="a", estimate=1, low=0,
            high=2, se=1, df=9, p=value, n_level=5, n_reference=5, unit="points", method="",
        )
        for family, value in zip(families, p, strict=True)
    ]  # fmt: skip
    adjusted = [contrast.p_holm for contrast in holm(contrasts)]
    assert adjusted[:4] == pytest.approx(list(multipletests(p[:4], method="holm")[1]))
    assert adjusted[4] == pytest.approx(0.02)
