"""Factor scores equal R: f <- fa(q, 3, fm="minres", rotate=rot); factor.scores(q, f, method=..), psych 2.2.9.

The reference holds the first five people; scale() divides by n - 1.
"""

from dataclasses import replace

import numpy as np
import pytest

from analysis.congruence import tucker
from analysis.correlation import correlate
from analysis.efa import efa_of
from analysis.errors import NotPositiveDefinite
from analysis.factor_scores import UnknownScore, factor_scores
from analysis.items import items_of
from tests.analysis import references

KINDS = {"regression": "regression", "Bartlett": "bartlett", "tenBerge": "tenberge", "Anderson": "anderson"}


@pytest.mark.parametrize("rotation", ["oblimin", "promax", "varimax"])
@pytest.mark.parametrize("kind", list(KINDS))
def test_scores_equal_psych_given_its_solution(rotation: str, kind: str) -> None:
    """psych's own loadings and Phi, so that what is compared is the scoring and not the optimiser."""
    expected = references.values("factor_scores")[rotation]
    data = items_of(references.data("pmq18"))
    loadings = references.matrix(expected["loadings"])
    phi = np.eye(3) if expected["Phi"] is None else references.matrix(expected["Phi"])
    uniquenesses = 1 - np.diag(loadings @ phi @ loadings.T)
    ours = efa_of(correlate(data), 3, rotation=rotation)
    theirs = replace(ours, loadings=loadings, phi=phi, uniquenesses=uniquenesses)
    found = factor_scores(theirs, data, KINDS[kind])
    assert np.abs(found.values[:5] - references.matrix(expected[kind])).max() < 1e-5


@pytest.mark.parametrize("rotation", ["oblimin", "promax", "varimax"])
def test_weights_of_our_own_solution_equal_psych(rotation: str) -> None:
    expected = references.values("factor_scores")[rotation]
    data = items_of(references.data("pmq18"))
    solution = efa_of(correlate(data), 3, rotation=rotation)
    order = np.abs(tucker(references.matrix(expected["loadings"]), solution.loadings)).argmax(axis=1)
    found = factor_scores(solution, data, "regression")
    assert np.abs(found.weights[:, order] - references.matrix(expected["weights"])).max() < 1e-5


def test_one_factor_equals_psych() -> None:
    """fa(q[,1:6], 1, fm="minres")"""
    expected = references.values("factor_scores")["one_factor"]
    solution = efa_of(correlate(items_of(references.data("pmq18"), "q0[1-6]")), 1)
    assert np.abs(solution.loadings - references.matrix(expected["loadings"])).max() < 2e-5


def test_ten_berge_scores_correlate_as_the_factors_do_and_anderson_scores_not_at_all() -> None:
    data = items_of(references.data("pmq18"))
    solution = efa_of(correlate(data), 3)
    kept = factor_scores(solution, data, "tenberge").values
    assert np.abs(np.corrcoef(kept, rowvar=False) - solution.phi).max() < 1e-8
    apart = factor_scores(solution, data, "anderson").values
    assert np.abs(np.corrcoef(apart, rowvar=False) - np.eye(3)).max() < 1e-8


def test_a_person_with_a_missing_answer_has_no_score_and_is_counted() -> None:
    frame = references.data("pmq18").astype(float)
    frame.iloc[2, 4] = np.nan
    data = items_of(frame)
    found = factor_scores(efa_of(correlate(data), 3), data)
    assert np.isnan(found.values[2]).all()
    assert not np.isnan(np.delete(found.values, 2, axis=0)).any()
    assert any("1 person" in warning for warning in found.warnings)


def test_conditions_may_differ_in_scores_made_within_them() -> None:
    frame = references.data("pmq18").astype(float)
    frame["arm"] = ["a", "b"] * 250
    frame.loc[frame["arm"] == "b", [f"q{i:02d}" for i in range(1, 7)]] += 1
    data = items_of(frame, condition="arm")
    plain = items_of(references.data("pmq18"))
    solution = efa_of(correlate(data), 3)
    found = factor_scores(solution, data).values
    in_b = np.array(frame["arm"] == "b")
    gaps = found[in_b].mean(axis=0) - found[~in_b].mean(axis=0)
    shifted = int(np.abs(solution.loadings[:6]).sum(axis=0).argmax())
    assert gaps[shifted] > 0.5
    assert plain.n == 500


def test_an_unknown_method_is_refused_with_the_ones_there_are() -> None:
    data = items_of(references.data("pmq18"))
    with pytest.raises(UnknownScore, match="regression, bartlett, tenberge, anderson"):
        factor_scores(efa_of(correlate(data), 3), data, "sum")


def test_bartlett_scores_of_an_ultra_heywood_case_are_refused() -> None:
    data = items_of(references.data("pmq18"))
    solution = efa_of(correlate(data), 3)
    beyond = solution.uniquenesses.copy()
    beyond[3] = -0.01
    with pytest.raises(NotPositiveDefinite, match="q04"):
        factor_scores(replace(solution, uniquenesses=beyond), data, "bartlett")
