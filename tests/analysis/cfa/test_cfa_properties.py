"""What must hold whatever the numbers: names, order and units of items and groups do not matter."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.cfa.data import sample_from_moments
from analysis.cfa.discrepancies import discrepancy_of
from analysis.cfa.estimate import cfa
from analysis.cfa.ml import Likelihood
from analysis.items import items_of
from tests.analysis import references
from tests.analysis.cfa import comparing

MODEL = comparing.HS_MODEL
UNITS = np.array([1000.0, 0.01, 1, 1, 50, 1, 0.001, 1, 7])
OPTIONS = [{}, {"estimator": "MLM"}, {"estimator": "MLR"}, {"missing": "fiml", "estimator": "MLR"}]


def frame_for(options: dict) -> pd.DataFrame:
    return references.data("hs1939_missing" if options.get("missing") == "fiml" else "hs1939")


@pytest.mark.parametrize("options", OPTIONS)
def test_units_change_no_index_and_no_standardised_estimate(options: dict) -> None:
    frame = frame_for(options)
    changed = frame.assign(
        **{name: frame[name] * unit for name, unit in zip(comparing.HS, UNITS, strict=True)}
    )
    one = cfa(MODEL, items_of(frame, comparing.HS), **options)
    two = cfa(MODEL, items_of(changed, comparing.HS), **options)
    for index in ("chisq", "cfi", "tli", "rmsea", "srmr", "baseline_chisq"):
        assert getattr(two.fit_indices, index) == pytest.approx(getattr(one.fit_indices, index), abs=2e-6)
    if one.fit_indices.scaled is not None:
        assert two.fit_indices.scaled.chisq == pytest.approx(one.fit_indices.scaled.chisq, abs=2e-6)
    assert two.to_frame()["std"].to_numpy() == pytest.approx(one.to_frame()["std"].to_numpy(), abs=1e-6)


@pytest.mark.parametrize("options", OPTIONS)
def test_the_order_of_columns_and_of_people_changes_nothing(options: dict) -> None:
    frame = frame_for(options)
    shuffled = frame.sample(frac=1, random_state=3)[["x9", "x3", "x1", "x5", "x2", "x8", "x4", "x6", "x7"]]
    one = cfa(MODEL, items_of(frame, comparing.HS), **options)
    two = cfa(MODEL, items_of(shuffled), **options)
    assert two.fit_indices.chisq == pytest.approx(one.fit_indices.chisq, abs=1e-7)
    assert two.theta == pytest.approx(one.theta, abs=1e-7)
    assert two.errors == pytest.approx(one.errors, abs=1e-7, nan_ok=True)


@pytest.mark.parametrize("step", ["configural", "metric", "scalar", "strict"])
@pytest.mark.parametrize("estimator", ["ML", "MLR"])
def test_the_order_and_names_of_groups_change_no_test(step: str, estimator: str) -> None:
    frame = references.data("hs1939")
    turned = frame.iloc[::-1]
    other = {"Pasteur": "zebra", "Grant-White": "ant"}
    equal = comparing.STEPS[step]
    one = cfa(
        MODEL, items_of(frame, comparing.HS), group=list(frame["school"]), group_equal=equal,
        estimator=estimator,
    )  # fmt: skip
    two = cfa(
        MODEL, items_of(turned, comparing.HS), group=[other[name] for name in turned["school"]],
        group_equal=equal, estimator=estimator,
    )  # fmt: skip
    assert two.groups == ("ant", "zebra")
    for index in ("chisq", "df", "cfi", "rmsea", "srmr", "bic"):
        assert getattr(two.fit_indices, index) == pytest.approx(getattr(one.fit_indices, index), abs=1e-6)
    if estimator == "MLR":
        assert two.fit_indices.scaled.chisq == pytest.approx(one.fit_indices.scaled.chisq, abs=1e-5)


def test_restricted_models_never_fit_better() -> None:
    fits = [
        cfa(MODEL, comparing.hs(), group=comparing.schools(), group_equal=equal).fit_indices.chisq
        for equal in comparing.STEPS.values()
    ]
    assert fits == sorted(fits)
    assert cfa(MODEL, comparing.hs(), orthogonal=True).minimum > cfa(MODEL, comparing.hs()).minimum


def test_the_scale_of_a_factor_may_be_set_either_way() -> None:
    marker, variance = (cfa(MODEL, comparing.hs(), std_lv=way) for way in (False, True))
    assert marker.fit_indices.chisq == pytest.approx(variance.fit_indices.chisq, abs=1e-9)
    keys = ["lhs", "op", "rhs"]
    one = marker.standardised().set_index(keys)[["std", "se"]]
    two = variance.standardised().set_index(keys)[["std", "se"]]
    assert two.loc[one.index].to_numpy() == pytest.approx(one.to_numpy(), abs=1e-6, nan_ok=True)


def test_a_model_without_restrictions_reproduces_the_sample() -> None:
    result = cfa("f =~ x1 + x2 + x3", comparing.hs())
    assert result.df == 0 and result.fit_indices.chisq == pytest.approx(0, abs=1e-9)
    assert result.implied.cov == pytest.approx(result.sample.cov, abs=1e-8)
    assert result.fit_indices.pvalue is None and result.fit_indices.rmsea is None


@pytest.mark.parametrize("missing", ["listwise", "fiml"])
@pytest.mark.parametrize("step", ["configural", "scalar"])
def test_slopes_and_second_derivatives_equal_differences(missing: str, step: str) -> None:
    items = comparing.hs_missing() if missing == "fiml" else comparing.hs()
    model = MODEL + "\ng =~ visual + textual + speed\nx1 ~~ x4\nx2 ~ x8"
    result = cfa(model, items, group=comparing.schools(), group_equal=comparing.STEPS[step], missing=missing)
    discrepancy = discrepancy_of(result.structure, result.sample, "ML")
    theta = result.theta + 0.05 * np.random.default_rng(1).standard_normal(len(result.theta))
    slope, curve = discrepancy(theta)[1], 2 * discrepancy.observed(theta)
    step_size = 1e-5
    for i in range(len(theta)):
        move = np.zeros(len(theta))
        move[i] = step_size
        up, down = discrepancy(theta + move), discrepancy(theta - move)
        assert slope[i] == pytest.approx((up[0] - down[0]) / (2 * step_size), abs=1e-7)
        assert curve[i] == pytest.approx((up[1] - down[1]) / (2 * step_size), abs=1e-6)


def test_known_loadings_come_back() -> None:
    rng = np.random.default_rng(4)
    factors = rng.multivariate_normal([0, 0], [[1, 0.4], [0.4, 1]], 20000)
    truth = np.array([0.8, 0.7, 0.6, 0.5])
    columns = [
        factors[:, f] * w + np.sqrt(1 - w**2) * rng.standard_normal(20000) for f in (0, 1) for w in truth
    ]
    items = items_of(pd.DataFrame(dict(zip("abcdefgh", columns, strict=True))))
    result = cfa("F =~ a+b+c+d\nG =~ e+f+g+h", items, std_lv=True)
    table = result.to_frame().set_index(["lhs", "op", "rhs"])["est"]
    assert table.loc["F", "=~"].to_numpy() == pytest.approx(truth, abs=0.02)
    assert table.loc["F", "~~", "G"] == pytest.approx(0.4, abs=0.02)


def test_swains_correction_brings_the_chi_square_of_a_small_sample_nearer_its_degrees_of_freedom() -> None:
    plain, corrected = [], []
    text = "F =~ a+b+c+d+e\nG =~ f+g+h+i+j"
    for seed in range(120):
        rng = np.random.default_rng(seed)
        factors = rng.multivariate_normal([0, 0], [[1, 0.4], [0.4, 1]], 40)
        values = np.repeat(factors, 5, axis=1) * 0.7 + 0.714 * rng.standard_normal((40, 10))
        fit = cfa(text, items_of(pd.DataFrame(values, columns=list("abcdefghij")))).fit_indices
        plain.append(fit.chisq / fit.df)
        corrected.append(fit.swain.chisq / fit.df)
    assert np.mean(plain) > 1.05
    assert abs(np.mean(corrected) - 1) < abs(np.mean(plain) - 1) / 2


def test_within_conditions_is_a_sample_of_the_within_covariances() -> None:
    from analysis.correlation import covariance_of

    items = comparing.pmq_groups()
    model = references.values("pmq18_invariance")["model"]
    result = cfa(model, items)
    assert result.sample.basis == "within conditions" and result.n == 800 - 4 + 1
    covariance = covariance_of(items)
    same = cfa(model, sample_from_moments(covariance.matrix, covariance.n, items.names))
    assert result.fit_indices.chisq == pytest.approx(same.fit_indices.chisq, abs=1e-6)
    assert result.theta == pytest.approx(same.theta, abs=1e-7)


def test_within_conditions_missing_answers_change_nothing_when_there_are_none_and_little_when_few() -> None:
    items = comparing.pmq_groups()
    model = references.values("pmq18_invariance")["model"]
    whole = cfa(model, items, estimator="MLR", means=True)
    values = items.values.copy()
    values[np.random.default_rng(1).random(values.shape) < 0.02] = np.nan
    few = cfa(model, replace(items, values=values), estimator="MLR", missing="fiml")
    assert few.n == whole.n and few.sample.basis == "within conditions"
    loadings = [row.op == "=~" for row in whole.table.rows]
    assert few.values[loadings] == pytest.approx(whole.values[loadings], abs=0.06)


def test_the_likelihood_does_not_exist_beyond_positive_definite_matrices() -> None:
    result = cfa(MODEL, comparing.hs())
    theta = result.theta.copy()
    theta[[row.free for row in result.table.rows if row.key == ("x1", "~~", "x1")]] = -5.0
    assert Likelihood(result.structure, result.sample)(theta) is None
