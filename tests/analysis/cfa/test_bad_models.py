"""Each fault of a model or its data has a name, a place and a way out."""

import numpy as np
import pandas as pd
import pytest

from analysis.cfa.data import sample_from_moments
from analysis.cfa.errors import (
    ModelTextError,
    NegativeDegreesOfFreedom,
    NoConvergence,
    NotAvailable,
    UnidentifiedModel,
)
from analysis.cfa.estimate import cfa
from analysis.cfa.minimise import minimise
from analysis.errors import (
    CollinearColumns,
    ConstantColumn,
    DuplicateColumns,
    EmptyColumn,
    NotPositiveDefinite,
    TooFewData,
    UnknownName,
)
from analysis.items import items_of
from tests.analysis import references
from tests.analysis.cfa import comparing


def with_column(name: str, values: object) -> pd.DataFrame:
    return references.data("hs1939").assign(**{name: values})


def test_a_factor_of_two_items_alone_has_too_many_parameters() -> None:
    with pytest.raises(NegativeDegreesOfFreedom, match=r"4 free parameters for 3 moments.*f has 2 item\(s\)"):
        cfa("f =~ x1 + x2", comparing.hs())


def test_a_factor_of_two_items_among_others_is_fitted_and_flagged() -> None:
    result = cfa("f =~ x1 + x2\ng =~ x4 + x5 + x6", comparing.hs())
    assert result.converged
    assert any(text.startswith("two-item factor: f has only x1 and x2") for text in result.warnings)


def test_two_uncorrelated_factors_of_two_items_are_not_identified_and_named() -> None:
    with pytest.raises(UnidentifiedModel, match=r"f =~ x2, g =~ x5"):
        cfa("f =~ x1 + x2\ng =~ x4 + x5\nf ~~ 0*g", comparing.hs())


def test_a_factor_without_a_scale_is_not_identified() -> None:
    with pytest.raises(UnidentifiedModel, match="set the scale of each factor"):
        cfa("f =~ NA*x1 + x2 + x3 + x4", comparing.hs())


def test_a_name_that_the_data_do_not_hold_is_pointed_at_with_near_names() -> None:
    with pytest.raises(ModelTextError, match=r"line 2, column 16: .*no column 'x33'; did you mean x3\?"):
        cfa("f =~ x1 + x2 + x4\ng =~ x5 + x6 + x33", comparing.hs())


def test_a_factor_named_as_a_column_is_refused() -> None:
    with pytest.raises(ModelTextError, match="'x9' is a factor in the model and a column"):
        cfa("x9 =~ x1 + x2 + x3", comparing.hs())


def test_no_more_cases_than_items_are_too_few() -> None:
    with pytest.raises(TooFewData, match="9 usable case"):
        cfa(comparing.HS_MODEL, items_of(references.data("hs1939").head(9), comparing.HS))


def test_a_group_with_too_few_cases_is_named() -> None:
    frame = references.data("hs1939")
    small = pd.concat([frame[frame["school"] == "Pasteur"], frame[frame["school"] == "Grant-White"].head(7)])
    items = items_of(small, comparing.HS)
    with pytest.raises(TooFewData, match="group Grant-White: 7 usable case"):
        cfa(comparing.HS_MODEL, items, group=list(small["school"]))
    with pytest.raises(NotPositiveDefinite):
        cfa(comparing.HS_MODEL, items, group=list(small["school"]), missing="fiml")


def test_a_sum_of_other_columns_is_refused_by_name() -> None:
    frame = references.data("hs1939")
    items = items_of(with_column("x2", frame["x1"] + frame["x3"]), comparing.HS)
    with pytest.raises(CollinearColumns, match="x1, x2, x3"):
        cfa(comparing.HS_MODEL, items)


def test_copied_and_constant_columns_are_refused_by_name() -> None:
    frame = references.data("hs1939")
    with pytest.raises(DuplicateColumns, match="'x1' and 'x2'"):
        cfa(comparing.HS_MODEL, items_of(with_column("x2", frame["x1"]), comparing.HS))
    with pytest.raises(ConstantColumn, match="'x2'"):
        cfa(comparing.HS_MODEL, items_of(with_column("x2", 1.0), comparing.HS))


def test_a_column_constant_in_one_group_only_is_refused_with_the_group() -> None:
    frame = references.data("hs1939")
    values = frame["x2"].where(frame["school"] == "Pasteur", 6.0)
    items = items_of(with_column("x2", values), comparing.HS)
    with pytest.raises(ConstantColumn, match=r"group Grant-White: .*x2"):
        cfa(comparing.HS_MODEL, items, group=comparing.schools())


def test_items_that_nobody_answered_together_have_no_covariance() -> None:
    frame = references.data("hs1939")
    frame.loc[frame.index < 150, "x1"] = np.nan
    frame.loc[frame.index >= 150, "x2"] = np.nan
    with pytest.raises(NotPositiveDefinite, match="both 'x1' and 'x2'"):
        cfa(comparing.HS_MODEL, items_of(frame, comparing.HS), missing="fiml")


def test_an_item_that_a_group_did_not_answer_is_named() -> None:
    frame = references.data("hs1939")
    frame.loc[frame["school"] == "Pasteur", "x4"] = np.nan
    items = items_of(frame, comparing.HS)
    with pytest.raises(EmptyColumn, match="group Pasteur: nobody answered x4"):
        cfa(comparing.HS_MODEL, items, group=comparing.schools(), missing="fiml")
    with pytest.raises(TooFewData, match="no usable row is left in group Pasteur"):
        cfa(comparing.HS_MODEL, items, group=comparing.schools())


def test_a_matrix_that_is_not_positive_definite_is_refused() -> None:
    cov = np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.9], [0.1, 0.9, 1.0]])
    with pytest.raises(NotPositiveDefinite, match="lowest eigenvalue"):
        sample_from_moments(cov, 100, ["a", "b", "c"])


def test_a_heywood_case_is_flagged_by_name_and_still_reported() -> None:
    # lavaan warns of the same: "some estimated ov variances are negative"
    text = f"g =~ {'+'.join(comparing.HS)}\na =~ x1+x2+x3\nb =~ x4+x5+x6\nc =~ x7+x8+x9"
    result = cfa(text, comparing.hs(), std_lv=True, orthogonal=True)
    assert result.improper == ("x1 ~~ x1",)
    assert any(text.startswith("Heywood case: x1 ~~ x1") for text in result.warnings)
    assert result.to_dict()["heywood"] == ["x1 ~~ x1"]


def test_factors_that_correlate_beyond_one_are_flagged() -> None:
    draws = np.random.default_rng(8).standard_normal((300, 7))
    frame = pd.DataFrame(draws[:, :6] * 0.8 + draws[:, 6:], columns=list("abcdef"))
    frame["b"] -= 0.3 * (frame["c"] - frame["d"])
    frame["f"] += 0.3 * (frame["a"] - frame["e"])
    result = cfa("F =~ a + b + c\nG =~ d + e + f", items_of(frame))
    latent = result.standardised().set_index(["lhs", "op", "rhs"]).loc[("F", "~~", "G"), "std"]
    assert ("F ~~ G" in result.improper) == (abs(latent) > 1)


def test_a_search_without_a_minimum_says_so_in_result_and_summary() -> None:
    frame = pd.DataFrame(np.random.default_rng(1).standard_normal((40, 6)), columns=list("abcdef"))
    result = cfa("F =~ a + b + c\nG =~ d + e + f", items_of(frame))
    assert not result.converged
    assert any(text.startswith("no convergence") for text in result.warnings)
    assert "the numbers are not to be used" in result.summary()
    assert result.to_dict()["converged"] is False


def test_a_slope_that_never_ends_is_no_minimum() -> None:
    found = minimise(lambda t: (-float(t[0]), -np.ones(1)), lambda t: np.eye(1), None, np.zeros(1), steps=20)
    assert not found.converged


def test_starting_values_that_imply_nothing_are_refused() -> None:
    with pytest.raises(NoConvergence, match="start"):
        cfa("f =~ x1 + x2 + x3 + x4\nx1 ~~ start(-50)*x1\nx2 ~~ start(-50)*x2", comparing.hs())


def test_estimators_and_options_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(UnknownName, match="there are ML, MLM, MLR, ULS, GLS"):
        cfa(comparing.HS_MODEL, comparing.hs(), estimator="PML")
    with pytest.raises(NotAvailable, match="use estimator ML or MLR, not MLM"):
        cfa(comparing.HS_MODEL, comparing.hs(), estimator="MLM", missing="fiml")
    with pytest.raises(NotAvailable, match="wishart"):
        cfa(comparing.HS_MODEL, comparing.hs(), estimator="MLR", likelihood="wishart")
    with pytest.raises(UnknownName, match="'loading' is not known; there are loadings"):
        cfa(comparing.HS_MODEL, comparing.hs(), group=comparing.schools(), group_equal="loading")
    with pytest.raises(UnknownName, match="no parameter 'x99 ~ 1'"):
        cfa(
            comparing.HS_MODEL, comparing.hs(), group=comparing.schools(), group_equal="intercepts",
            group_partial="x99 ~ 1",
        )  # fmt: skip
    with pytest.raises(UnknownName, match="no condition to take as groups"):
        cfa(comparing.HS_MODEL, comparing.hs(), group="condition")


def test_covariances_alone_give_no_robust_test() -> None:
    sample = sample_from_moments(np.cov(comparing.hs().values.T), 301, comparing.HS)
    plain = cfa(comparing.HS_MODEL, sample)
    assert plain.fit_indices.chisq == pytest.approx(85.30552177, abs=1e-5)
    with pytest.raises(NotAvailable, match="needs the answers themselves"):
        cfa(comparing.HS_MODEL, sample, estimator="MLR")
