"""AVE, composite reliability and HTMT equal semTools 0.5-6; rivals equal lavaan 0.6-14."""

import math

import numpy as np
import pandas as pd
import pytest

from analysis.cfa.errors import NotAvailable
from analysis.cfa.htmt import htmt_of
from analysis.cfa.pmq import rival_models
from analysis.cfa.validity import validity
from analysis.errors import TooFewData, UnknownName
from analysis.items import items_of
from tests.analysis import references
from tests.analysis.cfa.ordinal_data import FACTORS, THREE, pmq


@pytest.mark.parametrize("kind", ["pearson", "polychoric"])
def test_htmt_of_the_questionnaire(kind: str) -> None:
    """semTools::htmt(m, d, ordered = names(d), htmt2 = FALSE) and htmt2 = TRUE"""
    expected = references.values("pmq18_cfa")["reliability"]
    found = htmt_of(pmq(), FACTORS, kind)  # type: ignore[arg-type]
    assert np.abs(found.ratio - references.matrix(expected[f"htmt_{kind}"])).max() < 1e-6
    assert np.abs(found.ratio2 - references.matrix(expected[f"htmt2_{kind}"])).max() < 1e-6


def test_holzinger_and_swineford() -> None:
    """f <- cfa(m, d); semTools::AVE(f); compRelSEM(f); htmt(m, d)"""
    values = references.values("hs1939_cfa")
    expected = values["reliability"]
    found = validity(values["model"], items_of(references.data("hs1939"), "x*"), estimator="ML")
    table = found.factors.set_index("factor")
    for factor in ("visual", "textual", "speed"):
        assert math.isclose(table["ave"][factor], expected["AVE"][factor], abs_tol=1e-6)
        assert math.isclose(table["reliability"][factor], expected["compRelSEM"][factor], abs_tol=1e-6)
    ratios = references.matrix(expected["htmt2"])[np.triu_indices(3, 1)]
    assert np.abs(found.correlations["htmt2"] - ratios).max() < 1e-6


def test_ordered_items() -> None:
    """f <- cfa(m, d, ordered = TRUE); AVE(f); compRelSEM(f) and compRelSEM(f, ord.scale = FALSE)"""
    expected = references.values("pmq18_cfa")["reliability"]
    table = validity(THREE, pmq(), estimator="WLSMV").factors.set_index("factor")
    for factor in FACTORS:
        answered = expected["compRelSEM_WLSMV_ord_scale"][factor]
        behind = expected["compRelSEM_WLSMV_latent"][factor]
        assert math.isclose(table["ave"][factor], expected["AVE_WLSMV"][factor], abs_tol=1e-6)
        assert math.isclose(table["reliability"][factor], answered, abs_tol=1e-6)
        assert math.isclose(table["reliability_latent"][factor], behind, abs_tol=1e-6)


def test_correlations_of_factors_have_lavaans_errors() -> None:
    """cfa(m, d, ordered = TRUE, std.lv = TRUE)"""
    params = pd.DataFrame(references.values("pmq18_cfa")["WLSMV_stdlv"]["params"])
    theirs = params[(params["op"] == "~~") & (params["lhs"] != params["rhs"])]
    found = validity(THREE, pmq(), estimator="WLSMV").correlations
    assert np.abs(found["correlation"].to_numpy() - theirs["est"].to_numpy(dtype=float)).max() < 5e-6
    assert np.abs(found["se"].to_numpy() - theirs["se"].to_numpy(dtype=float)).max() < 1e-5


@pytest.mark.parametrize("estimator", ["ML", "MLR", "WLSMV"])
def test_two_names_for_one_factor_are_not_told_apart(estimator: str) -> None:
    draws = np.random.default_rng(8).standard_normal((400, 7))
    frame = pd.DataFrame(np.digitize(draws[:, :6] + draws[:, 6:], [-1, 0, 1]), columns=list("abcdef"))
    found = validity("f =~ a + b + c\ng =~ d + e + f2", items_of(frame.rename(columns={"f": "f2"})),
                     estimator=estimator)  # fmt: skip
    row = found.correlations.iloc[0]
    assert row["pvalue"] > 0.05 and row["high"] > 0.95
    assert any(text.startswith("Hardly told apart: f and g") for text in found.summary())
    assert not found.factors["fornell_larcker"].any()


def test_rival_models_equal_lavaans() -> None:
    """cfa(bifactor, d, std.lv = TRUE, orthogonal = TRUE); cfa(paste(m, "g =~ f1 + f2 + f3"), d)"""
    values = references.values("pmq18_cfa")
    found = rival_models(THREE, pmq(), estimator="ML")
    table = found.to_frame().set_index("model")
    for name, expected in (
        ("3 factors", values["ML"]), ("second order", values["second_order_ML"]),
        ("bifactor", values["bifactor_ML"]),
    ):  # fmt: skip
        assert table["df"][name] == expected["fit"]["df"]
        assert math.isclose(table["chisq"][name], expected["fit"]["chisq"], abs_tol=1e-5)
        assert math.isclose(table["bic"][name], expected["fit"]["bic"], abs_tol=1e-4)
    assert any("BIC prefers 3 factors" in text for text in found.summary())
    assert any("no model with warmth apart" in text for text in found.warnings)


def test_warmth_apart_wins_where_it_is_a_factor_of_its_own() -> None:
    rng = np.random.default_rng(2)
    names = ["a1", "a2", "a3", "warm", "empathetic", "b1", "b2", "b3", "personal", "c1", "c2", "c3", "social"]
    of = [0, 0, 0, 3, 3, 1, 1, 1, 3, 2, 2, 2, 3]
    frame = pd.DataFrame(
        rng.standard_normal((500, 4))[:, of] + 0.8 * rng.standard_normal((500, 13)), columns=names
    )
    text = "f =~ a1+a2+a3+warm+empathetic\ng =~ b1+b2+b3+personal\nh =~ c1+c2+c3+social"
    found = rival_models(text, items_of(frame), estimator="ML")
    assert found.summary()[0].startswith("Of the sound models, BIC prefers 4 factors (warmth apart)")


def test_rivals_need_factors_of_items() -> None:
    with pytest.raises(NotAvailable, match="two or more factors"):
        rival_models("f =~ q01 + q02 + q03", pmq())
    with pytest.raises(UnknownName, match="q99"):
        rival_models(THREE, pmq(), warm=["q01", "q02", "q03", "q99"])


def test_htmt_of_a_one_item_factor_is_refused() -> None:
    with pytest.raises(TooFewData, match="one only: g"):
        htmt_of(pmq(), {"f": ("q01", "q02"), "g": ("q07",)})
