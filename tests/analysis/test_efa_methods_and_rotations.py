"""Every method and rotation the reference files hold equals R, psych 2.2.9.

R: psych::fa(R, k, fm="minres"|"ml"|"pa", rotate="none"|"oblimin"|"promax"|"Promax"|"varimax"|"geominQ"|
"quartimin", n.obs=n); tolerance 2e-5 after sign and order.
"""

from functools import cache

import numpy as np
import pytest

from analysis.congruence import tucker
from analysis.efa import FactorSolution, efa
from tests.analysis import references

STUDIES = {"bfi": 5, "pmq18": 3, "hs1939": 3}
METHODS = ["minres", "ml", "pa"]
ROTATIONS = ["none", "oblimin", "promax", "Promax", "varimax", "geominQ", "quartimin"]
EVERY = [(study, method, rotation) for study in STUDIES for method in METHODS for rotation in ROTATIONS]


@cache
def fit(study: str, method: str, rotation: str) -> tuple[FactorSolution, dict]:
    reference = references.values(f"{study}_efa")
    solution = efa(
        references.matrix(reference["R"]),
        reference["n"],
        STUDIES[study],
        items=tuple(reference["R"]["rows"]),
        method=method,
        rotation={"geominQ": "geomin"}.get(rotation, rotation),
    )
    return solution, reference["efa"][f"{method}_{rotation}"]


@pytest.mark.parametrize(("study", "method", "rotation"), EVERY)
def test_loadings_and_factor_correlations_equal_psych(study: str, method: str, rotation: str) -> None:
    solution, expected = fit(study, method, rotation)
    loadings = references.matrix(expected["loadings"])
    order = np.abs(tucker(loadings, solution.loadings)).argmax(axis=1)
    assert sorted(order) == list(range(STUDIES[study]))
    assert np.abs(solution.loadings[:, order] - loadings).max() < 2e-5
    phi = np.eye(STUDIES[study]) if expected["Phi"] is None else references.matrix(expected["Phi"])
    assert np.abs(solution.phi[np.ix_(order, order)] - phi).max() < 2e-5
    assert solution.converged


@pytest.mark.parametrize(("study", "method", "rotation"), EVERY)
def test_communalities_and_both_shares_equal_psych(study: str, method: str, rotation: str) -> None:
    solution, expected = fit(study, method, rotation)
    assert np.abs(solution.communalities - list(expected["communality"].values())).max() < 2e-5
    assert np.abs(solution.uniquenesses - list(expected["uniquenesses"].values())).max() < 2e-5
    table = references.matrix(expected["Vaccounted"])
    order = np.abs(tucker(references.matrix(expected["loadings"]), solution.loadings)).argmax(axis=1)
    # Sums of squares over 9 to 25 items: the tolerance of loadings, summed.
    assert np.abs(solution.sum_of_squares[order] - table[0]).max() < 1e-4
    assert np.abs(solution.share_of_total[order] - table[1]).max() < 2e-5
    assert np.abs(solution.share_of_explained[order] - table[3]).max() < 2e-5


@pytest.mark.parametrize(("study", "method"), [(study, method) for study in STUDIES for method in METHODS])
def test_every_index_of_fit_equals_psych(study: str, method: str) -> None:
    """$STATISTIC, $dof, $PVAL, $chi, $objective, $RMSEA, $TLI, $rms, $crms, $BIC."""
    solution, expected = fit(study, method, "oblimin")
    found = solution.fit
    assert found.df == expected["dof"]
    assert found.chi2 == pytest.approx(expected["chisq_likelihood"], abs=1e-3)
    assert found.p == pytest.approx(expected["p"], rel=1e-3)
    assert found.chi2_empirical == pytest.approx(expected["chi_empirical"], rel=1e-5)
    assert found.objective == pytest.approx(expected["objective"], abs=1e-6)
    assert found.rmsea == pytest.approx(expected["RMSEA"]["RMSEA"], abs=1e-6)
    assert found.rmsea_low == pytest.approx(expected["RMSEA"]["lower"], abs=1e-5)
    assert found.rmsea_high == pytest.approx(expected["RMSEA"]["upper"], abs=1e-5)
    assert found.confidence == expected["RMSEA"]["confidence"]
    assert found.tli == pytest.approx(expected["TLI"], abs=1e-6)
    assert found.rmsr == pytest.approx(expected["rms"], abs=1e-6)
    assert found.rmsr_corrected == pytest.approx(expected["crms"], abs=1e-6)
    assert found.bic == pytest.approx(expected["BIC"], abs=1e-3)


@pytest.mark.parametrize("study", list(STUDIES))
def test_maximum_likelihood_also_equals_factanal(study: str) -> None:
    """factanal(covmat=R, factors=k, n.obs=n, rotation="none", control=list(nstart=5))"""
    solution, _ = fit(study, "ml", "none")
    expected = references.values(f"{study}_efa")["factanal_none"]
    assert np.abs(solution.uniquenesses - list(expected["uniquenesses"].values())).max() < 5e-5
    assert solution.fit.chi2 == pytest.approx(expected["stat"], abs=1e-3)
    assert solution.df == expected["dof"]


def test_factors_of_polychoric_correlations_equal_psych() -> None:
    """fa(polychoric(q)$rho, 3, fm="minres", rotate="oblimin", n.obs=500); psych's polychorics to 1e-4"""
    reference = references.values("polychoric")
    expected = reference["efa_minres_oblimin"]
    solution = efa(references.matrix(reference["rho"]), 500, 3, items=tuple(reference["rho"]["rows"]))
    loadings = references.matrix(expected["loadings"])
    order = np.abs(tucker(loadings, solution.loadings)).argmax(axis=1)
    assert np.abs(solution.loadings[:, order] - loadings).max() < 2e-5
    assert np.abs(solution.phi[np.ix_(order, order)] - references.matrix(expected["Phi"])).max() < 2e-5
    assert solution.fit.chi2 == pytest.approx(expected["chisq_likelihood"], abs=1e-3)
    assert solution.fit.tli == pytest.approx(expected["TLI"], abs=1e-6)
