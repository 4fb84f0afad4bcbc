"""What ordered items cannot give is refused by name, or told beside the numbers."""

import numpy as np
import pandas as pd
import pytest

from analysis.cfa.comparison import compare
from analysis.cfa.errors import ModelTextError, NotAvailable, NotNested, UnidentifiedModel
from analysis.cfa.modification import modification_indices
from analysis.cfa.ordinal import ordinal_cfa, ordinal_difference
from analysis.cfa.scores import scores
from analysis.errors import ConstantColumn, EmptyCategory, TooFewData, TooManyCategories, UnknownName
from analysis.items import ItemData, items_of

ONE = "f =~ a + b + c + d"


def frame(n: int = 400, cuts: tuple[float, ...] = (-1.0, 0.0, 1.0), seed: int = 5) -> pd.DataFrame:
    draws = np.random.default_rng(seed).standard_normal((n, 5))
    made = pd.DataFrame(np.digitize(draws[:, :4] + draws[:, 4:], cuts), columns=list("abcd"))
    return made.assign(arm=np.where(np.arange(n) % 2, "x", "y"))


def grouped(table: pd.DataFrame) -> ItemData:
    return items_of(table, "a,b,c,d", condition="arm")


def test_a_category_that_one_group_did_not_use_is_named() -> None:
    table = frame()
    table.loc[(table["arm"] == "x") & (table["b"] == 3), "b"] = 2
    with pytest.raises(EmptyCategory, match=r"'b' has no answer 3 in group 'x'.*join the category"):
        ordinal_cfa(ONE, grouped(table), group="condition")


def test_a_group_of_four_is_named() -> None:
    table = frame()
    table["arm"] = np.where(np.arange(len(table)) < 4, "few", "many")
    with pytest.raises(TooFewData, match="4 complete rows in group 'few' for 4 items"):
        ordinal_cfa(ONE, grouped(table), group="condition")


def test_a_group_whose_rows_are_all_incomplete_is_named() -> None:
    table = frame()
    table["a"] = table["a"].astype(float).mask(table["arm"] == "x")
    with pytest.raises(TooFewData, match="0 complete rows in group 'x'"):
        ordinal_cfa(ONE, grouped(table), group="condition")


def test_the_same_answer_of_everybody_in_a_group_is_named() -> None:
    table = frame()
    table.loc[table["arm"] == "x", "c"] = 1
    with pytest.raises(ConstantColumn, match="c"):
        ordinal_cfa(ONE, grouped(table), group="condition")


def test_a_slider_is_refused() -> None:
    table = frame()
    table["a"] = np.random.default_rng(1).integers(0, 101, len(table))
    with pytest.raises(TooManyCategories, match="'a'"):
        ordinal_cfa(ONE, items_of(table, "a,b,c,d"))


def test_an_unknown_item_is_pointed_at() -> None:
    with pytest.raises(ModelTextError, match="no column 'z'"):
        ordinal_cfa("f =~ a + b + z", items_of(frame(), "a,b,c,d"))


def test_an_unknown_threshold_is_answered_with_near_ones() -> None:
    with pytest.raises(UnknownName, match=r"no threshold 'a \| t9'; did you mean a \| t"):
        ordinal_cfa(
            ONE, grouped(frame()), group="condition", group_equal=["thresholds"], group_partial=["a | t9"]
        )


def test_two_categories_cannot_free_scales_by_thresholds_alone() -> None:
    table = frame(cuts=(0.0,))
    with pytest.raises(UnidentifiedModel, match="loadings and thresholds equal together"):
        ordinal_cfa(ONE, grouped(table), group="condition", group_equal=["thresholds"])


def test_residual_variances_and_regressions_on_columns_are_not_for_ordered_items() -> None:
    with pytest.raises(NotAvailable, match="residual variance"):
        ordinal_cfa(f"{ONE}\na ~~ 0.5*a", items_of(frame(), "a,b,c,d"))
    with pytest.raises(NotAvailable, match="regressions"):
        ordinal_cfa("f =~ a + b + c\nf ~ d", items_of(frame(), "a,b,c,d"))


def test_a_two_item_factor_is_told() -> None:
    draws = np.random.default_rng(2).standard_normal((600, 6))
    latent = draws[:, :4] + np.repeat(draws[:, 4:] @ [[1, 0.5], [0, 1]], 2, axis=1)
    table = pd.DataFrame(np.digitize(latent, [-1, 0, 1]), columns=list("abcd"))
    found = ordinal_cfa("f =~ a + b\ng =~ c + d", items_of(table))
    assert sum("two-item factor" in told for told in found.warnings) == 2


def test_an_improper_solution_is_flagged() -> None:
    r = np.array([[1, 0.8, 0.8, 0.1], [0.8, 1, 0.5, 0.1], [0.8, 0.5, 1, 0.1], [0.1, 0.1, 0.1, 1]])
    draws = np.random.default_rng(3).multivariate_normal(np.zeros(4), r, size=2000)
    table = pd.DataFrame(np.digitize(draws, [-1, 0, 1]), columns=list("abcd"))
    found = ordinal_cfa("f =~ a + b + c", items_of(table))
    assert found.improper == ("a ~~ a",)
    assert any("Heywood case: a ~~ a" in told for told in found.warnings)


def test_models_of_other_data_are_not_compared() -> None:
    wide = ordinal_cfa(ONE, grouped(frame()), group="condition")
    other = ordinal_cfa(
        ONE, grouped(frame(seed=6)), group="condition", group_equal=["thresholds", "loadings"]
    )
    with pytest.raises(NotNested, match="different data"):
        ordinal_difference(wide, other)
    with pytest.raises(NotNested, match="special case"):
        ordinal_difference(wide, wide)


def test_numbers_order_of_columns_and_of_groups_do_not_matter() -> None:
    table = frame()
    equal = ["thresholds", "loadings"]
    plain = ordinal_cfa(ONE, grouped(table), group="condition", group_equal=equal)
    turned = table.iloc[::-1, [3, 1, 0, 2, 4]].copy()
    turned[["a", "b", "c", "d"]] = turned[["a", "b", "c", "d"]] * 10 + 7
    again = ordinal_cfa(ONE, items_of(turned, "*", condition="arm"), group="condition", group_equal=equal)
    assert again.groups == plain.groups[::-1]
    assert np.isclose(again.fit_indices.chisq, plain.fit_indices.chisq, rtol=1e-8)
    assert plain.fit_indices.scaled is not None and again.fit_indices.scaled is not None
    assert np.isclose(again.fit_indices.scaled.chisq, plain.fit_indices.scaled.chisq, rtol=1e-7)


def test_what_is_made_of_covariances_is_not_made_of_ordered_items() -> None:
    free = ordinal_cfa("f =~ a + b\ng =~ c + d", items_of(frame(), "a,b,c,d"))
    one = ordinal_cfa(ONE, items_of(frame(), "a,b,c,d"))
    with pytest.raises(NotAvailable, match="difference"):
        compare(one, free)
    with pytest.raises(NotAvailable, match="modification indices"):
        modification_indices(one)
    with pytest.raises(NotAvailable, match="nobody to score"):
        scores(one)
