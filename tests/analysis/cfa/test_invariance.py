"""What the ladder says, where it gives way to MIMIC, and what it refuses."""

import numpy as np
import pandas as pd
import pytest

from analysis.cfa.errors import ModelTextError
from analysis.cfa.invariance import invariance
from analysis.cfa.mimic import mimic
from analysis.cfa.near_items import near_items
from analysis.errors import EmptyCategory, TooFewData, UnknownName
from analysis.items import ItemData, items_of
from tests.analysis import references
from tests.analysis.cfa.ordinal_data import THREE

ONE = "f =~ a + b + c + d"


def answers(sizes: dict[str, int], *, shift: float = 0.0, effect: float = 0.0, seed: int = 4) -> pd.DataFrame:
    """One factor; in every group but the first it is higher by ``effect``, and item d by ``shift`` more."""
    rng = np.random.default_rng(seed)
    parts = []
    for number, (name, n) in enumerate(sizes.items()):
        factor = rng.standard_normal(n) + effect * (number > 0)
        values = factor[:, np.newaxis] + 0.8 * rng.standard_normal((n, 4))
        values[:, 3] += shift * (number > 0)
        parts.append(pd.DataFrame(values, columns=list("abcd")).assign(arm=name))
    return pd.concat(parts, ignore_index=True)


def grouped(frame: pd.DataFrame) -> ItemData:
    return items_of(frame, "a,b,c,d", condition="arm")


def test_equal_groups_may_be_compared_on_everything() -> None:
    found = invariance(ONE, grouped(answers({"x": 300, "y": 300}, effect=0.5)), estimator="ML")
    assert found.reached == "strict"
    assert "sums of items" in found.conclusion()
    assert abs(found.means["mean"][0] - 0.5) < 0.2


def test_a_shifted_item_stops_the_ladder_before_latent_means() -> None:
    found = invariance(ONE, grouped(answers({"x": 300, "y": 300}, shift=1.0)), estimator="MLR")
    assert found.reached == "metric"
    assert found.steps[2].verdict == "fails" and found.steps[3].verdict == "rests on a failed step"
    assert "May be compared: correlations and regressions" in found.conclusion()
    assert found.suspects["parameter"][0] == "d ~ 1"


def test_released_parameters_must_be_in_the_model() -> None:
    with pytest.raises(UnknownName, match="no parameter 'e ~ 1'"):
        invariance(ONE, grouped(answers({"x": 300, "y": 300})), estimator="ML", free=["e ~ 1"])


def test_two_anchors_a_factor_are_the_least() -> None:
    found = invariance(
        ONE, grouped(answers({"x": 300, "y": 300})), estimator="ML", free=["a ~ 1", "b ~ 1", "c ~ 1"]
    )
    assert any(text.startswith("too few anchors: only 1 item(s) of f") for text in found.warnings)


def test_small_groups_get_a_model_with_groups_as_predictors_beside_the_ladder() -> None:
    found = invariance(ONE, grouped(answers({"x": 80, "y": 80, "z": 80}, effect=0.8)), estimator="ML")
    assert found.small and found.mimic is not None and found.steps
    assert "MIMIC) is what to report" in found.conclusion()
    effects = found.mimic.effects
    assert list(effects["group"]) == ["y", "z"]
    assert (np.abs(effects["effect"] - 0.8) < 0.4).all()


def test_six_groups_are_too_many_for_a_ladder() -> None:
    found = invariance(ONE, grouped(answers(dict.fromkeys("uvwxyz", 210))), estimator="ML")
    assert found.small and found.mimic is not None


def test_where_a_small_group_cannot_be_fitted_the_reason_is_told_and_mimic_stands() -> None:
    found = invariance(ONE, grouped(answers({"x": 150, "y": 150, "few": 4})), estimator="MLR")
    assert found.steps == () and found.reached is None
    assert any(text.startswith("no ladder:") and "few" in text for text in found.warnings)
    assert found.mimic is not None and len(found.mimic.effects) == 2


def test_an_empty_category_is_refused_where_groups_are_large() -> None:
    frame = answers({"x": 300, "y": 300})
    frame[list("abcd")] = np.digitize(frame[list("abcd")], [-1, 0, 1])
    frame.loc[(frame["arm"] == "y") & (frame["a"] == 3), "a"] = 2
    with pytest.raises(EmptyCategory, match="'a' has no answer 3 in group 'y'"):
        invariance(ONE, grouped(frame), estimator="WLSMV")


def test_two_categories_skip_the_step_of_thresholds() -> None:
    frame = answers({"x": 400, "y": 400})
    frame[list("abcd")] = (frame[list("abcd")] > 0).astype(int)
    found = invariance(ONE, grouped(frame), estimator="WLSMV")
    assert [step.name for step in found.steps] == ["configural", "loadings", "strict"]


def test_one_group_is_no_comparison() -> None:
    with pytest.raises(TooFewData, match="all rows are in one group"):
        invariance(ONE, grouped(answers({"x": 100})))
    with pytest.raises(UnknownName, match="no condition"):
        invariance(ONE, items_of(answers({"x": 100}), "a,b,c,d"))


def test_an_unknown_item_is_pointed_at() -> None:
    with pytest.raises(ModelTextError, match="no column 'zz'"):
        invariance("f =~ a + b + zz", grouped(answers({"x": 300, "y": 300})))


def test_the_order_of_groups_does_not_change_fit() -> None:
    frame = answers({"x": 250, "y": 250}, shift=0.3)
    one = invariance(ONE, grouped(frame), estimator="ML").to_frame()
    other = invariance(ONE, grouped(frame.iloc[::-1]), estimator="ML").to_frame()
    assert np.allclose(one["chisq"], other["chisq"], rtol=1e-7)


def test_mimic_equals_lavaan() -> None:
    """a <- cfa(paste(m, "f1+f2+f3 ~ inB+inC+inD"), d, estimator = "MLR", std.lv = TRUE);
    b: with "q05 ~ inB+inC+inD"; w: without q05; lavTestLRT(b, a); lavaan 0.6-14, printed to three digits"""
    data = items_of(references.data("pmq18_groups"), "q*", condition="group")
    found = mimic(THREE, data, near=["q05"])
    first = found.effects[found.effects["factor"] == "f1"]
    for column, expected in {
        "effect": [0.304, -0.159, 0.173], "se": [0.107, 0.106, 0.109],
        "effect_item": [0.287, -0.181, 0.088], "se_item": [0.107, 0.107, 0.107],
        "effect_without": [0.285, -0.181, 0.088], "se_without": [0.107, 0.107, 0.107],
    }.items():  # fmt: skip
        assert np.abs(first[column] - expected).max() < 0.0006, column
    assert np.abs(found.item_effects["effect"] - [0.160, 0.203, 0.788]).max() < 0.0006
    q05 = found.items[found.items["item"] == "q05"].iloc[0]
    assert q05["near"] and abs(q05["chisq"] - 50.5503823068) < 1e-4 and q05["df"] == 3
    assert found.direct == ("q05",)


def test_an_item_that_was_not_expected_to_shift_is_found() -> None:
    found = mimic(ONE, grouped(answers({"x": 150, "y": 150}, shift=1.0, effect=0.5)), near=())
    assert found.direct == ("d",)
    assert "not expected: d" in found.summary()
    assert abs(found.effects["effect_item"][0] - 0.5) < abs(found.effects["effect"][0] - 0.5)


def test_items_that_would_leave_a_factor_without_anchors_are_not_freed() -> None:
    found = mimic(ONE, grouped(answers({"x": 150, "y": 150})), near=["a", "b", "c"])
    assert found.direct == ()
    assert any("not told apart: a, b, c" in text for text in found.warnings)


def test_near_items_are_found_by_the_ends_of_names() -> None:
    names = ["pmq_warm", "pmq_social", "fhs7_insensitive_r", "presence_human_sensitivity", "antisocial"]
    assert near_items(names) == tuple(names[:4])
    with pytest.raises(UnknownName, match="no item q9"):
        near_items(names, ["q9"])
