"""Residuals and factor scores equal R: lavaan::lavResiduals, residuals, lavPredict on cfa(m, hs)."""

import numpy as np
import pandas as pd
import pytest

from analysis.cfa.errors import NotAvailable
from analysis.cfa.estimate import cfa
from analysis.cfa.residuals import residuals
from analysis.cfa.scores import scores
from analysis.items import items_of
from tests.analysis import references
from tests.analysis.cfa import comparing


def test_residual_correlations_equal_lavaan() -> None:
    # lavResiduals(fit, type = "cor.bollen")$cov
    expected = references.matrix(references.values("cfa_converged")["residuals_cor"])
    found = residuals(cfa(comparing.HS_MODEL, comparing.hs()))
    assert found.correlation[0] == pytest.approx(expected, abs=1e-8)
    assert found.largest(1)["correlation"][0] == pytest.approx(expected.flat[np.abs(expected).argmax()])


def test_standardised_residuals_equal_lavaan_and_those_that_must_be_zero_have_none() -> None:
    # residuals(fit, type = "standardized")$cov
    expected = references.matrix(references.values("cfa_converged")["residuals_z"])
    found = residuals(cfa(comparing.HS_MODEL, comparing.hs())).z[0]
    assert np.isnan(np.diag(found)).all()
    off = ~np.eye(9, dtype=bool)
    assert found[off] == pytest.approx(expected[off], abs=1e-6)


@pytest.mark.parametrize(("method", "entry"), [("regression", "regression"), ("bartlett", "bartlett")])
def test_scores_equal_lavaan(method: str, entry: str) -> None:
    # lavPredict(fit), lavPredict(fit, method = "Bartlett")
    table = scores(cfa(comparing.HS_MODEL, comparing.hs()), method=method)
    early = references.matrix(references.values("hs1939_cfa")[f"factor_scores_{entry}_first5"])
    assert table.to_numpy()[:5] == pytest.approx(early, abs=1e-5)
    converged = np.array(references.values("cfa_converged")[f"scores_{entry}"])
    assert table.to_numpy()[:40] == pytest.approx(converged, abs=1e-7)


def test_people_with_missing_answers_are_scored_by_those_they_gave() -> None:
    table = scores(cfa(comparing.HS_MODEL, comparing.hs_missing(), missing="fiml"))
    assert len(table) == 301 and not table.isna().any().any()


def test_people_of_several_conditions_keep_their_differences_when_given_anew() -> None:
    draws = np.random.default_rng(2).standard_normal((400, 5))
    frame = pd.DataFrame(draws[:, :4] + draws[:, 4:], columns=list("abcd"))
    frame["arm"] = ["warm", "cold"] * 200
    frame.loc[frame["arm"] == "warm", list("abcd")] += 1.0
    items = items_of(frame, condition="arm")
    result = cfa("f =~ a + b + c + d", items)
    inside = scores(result)["f"].groupby(frame["arm"]).mean()
    anew = scores(result, items)["f"].groupby(frame["arm"].to_numpy()).mean()
    assert abs(inside["warm"] - inside["cold"]) < 1e-8
    assert anew["warm"] - anew["cold"] > 0.6


def test_a_factor_without_items_of_its_own_has_no_bartlett_scores() -> None:
    result = cfa(comparing.HS_MODEL + "\ng =~ visual+textual+speed", comparing.hs())
    assert scores(result)["g"].std() > 0
    with pytest.raises(NotAvailable, match="g has not"):
        scores(result, method="bartlett")
