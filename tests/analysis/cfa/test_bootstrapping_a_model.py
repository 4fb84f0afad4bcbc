"""Errors from people drawn again agree with the sandwich's, and come back with their seed."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.cfa.bootstrap import bootstrap
from analysis.cfa.data import sample_from_moments
from analysis.cfa.errors import NotAvailable
from analysis.cfa.estimate import cfa
from analysis.cfa.many_fits import fit_many
from tests.analysis import references
from tests.analysis.cfa import comparing


def test_bootstrap_errors_are_near_robust_ones() -> None:
    model = references.values("pmq18_cfa")["model"]
    result = cfa(model, comparing.pmq(), estimator="MLR", std_lv=True)
    found = bootstrap(result, draws=400, seed=2)
    assert found.failed == 0
    free = np.array([row.free >= 0 for row in result.table.rows])
    ratio = found.to_frame()["se"].to_numpy()[free] / result.errors[free]
    assert np.abs(ratio - 1).mean() < 0.06
    assert np.abs(ratio - 1).max() < 0.2


def test_the_same_seed_gives_the_same_intervals() -> None:
    result = cfa(comparing.HS_MODEL, comparing.hs(), group=comparing.schools(), group_equal="loadings")
    one, two, other = (bootstrap(result, draws=20, seed=seed).to_frame() for seed in (1, 1, 2))
    assert one.equals(two)
    assert not one["ci_low"].equals(other["ci_low"])


def test_people_with_missing_answers_are_drawn_too() -> None:
    result = cfa(comparing.HS_MODEL, comparing.hs_missing(), missing="fiml")
    found = bootstrap(result, draws=20)
    assert found.values.shape == (20 - found.failed, len(result.table.rows))
    assert np.isfinite(found.values).all()


def test_covariances_alone_cannot_be_drawn_from() -> None:
    result = cfa(comparing.HS_MODEL, sample_from_moments(np.cov(comparing.hs().values.T), 301, comparing.HS))
    with pytest.raises(NotAvailable, match="needs people"):
        bootstrap(result)


@pytest.mark.parametrize("step", ["configural", "scalar"])
def test_samples_fitted_abreast_have_the_estimates_of_each_fitted_alone(step: str) -> None:
    result = cfa(
        comparing.HS_MODEL, comparing.hs(), group=comparing.schools(), group_equal=comparing.STEPS[step]
    )
    rng = np.random.default_rng(6)
    rows = [g.rows[rng.integers(len(g.rows), size=(6, len(g.rows)))] for g in result.sample.groups]
    mean = np.stack([part.mean(axis=1) for part in rows], axis=1)
    cov = np.stack([[np.cov(draw.T, bias=True) for draw in part] for part in rows], axis=1)
    together = fit_many(result.structure, cov, mean, result.sample.shares, result.theta)
    reached = np.flatnonzero(~np.isnan(together).any(axis=1))  # the others get a search of their own
    assert len(reached) >= 3
    for i in reached:
        groups = tuple(
            replace(group, mean=mean[i, g], cov=cov[i, g]) for g, group in enumerate(result.sample.groups)
        )
        alone = cfa(
            comparing.HS_MODEL, replace(result.sample, groups=groups), group_equal=comparing.STEPS[step]
        )
        assert together[i] == pytest.approx(alone.theta, abs=1e-7)
