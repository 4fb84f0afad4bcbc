"""A fitted model beside lavaan's numbers, with the tolerances that belong to them."""

import math
from typing import Any

import pytest

from analysis.cfa.result import CFAResult
from analysis.items import ItemData, items_of
from tests.analysis import references

HS = [f"x{i}" for i in range(1, 10)]
HS_MODEL = "visual =~ x1+x2+x3\ntextual =~ x4+x5+x6\nspeed =~ x7+x8+x9"
STEPS: dict[str, tuple[str, ...]] = {
    "configural": (),
    "metric": ("loadings",),
    "scalar": ("loadings", "intercepts"),
    "strict": ("loadings", "intercepts", "residuals"),
}
PLAIN = {
    "npar": "npar", "chisq": "chisq", "df": "df", "pvalue": "pvalue", "baseline.chisq": "baseline_chisq",
    "baseline.df": "baseline_df", "cfi": "cfi", "tli": "tli", "rmsea": "rmsea",
    "rmsea.pvalue": "rmsea_pvalue", "srmr": "srmr", "logl": "logl",
    "unrestricted.logl": "unrestricted_logl", "aic": "aic", "bic": "bic",
}  # fmt: skip
SCALED = {
    "chisq.scaled": "chisq", "pvalue.scaled": "pvalue", "chisq.scaling.factor": "scaling_factor",
    "baseline.chisq.scaled": "baseline_chisq", "baseline.chisq.scaling.factor": "baseline_scaling_factor",
    "cfi.scaled": "cfi", "tli.scaled": "tli", "rmsea.scaled": "rmsea",
}  # fmt: skip
ROBUST = {"cfi.robust": "cfi", "tli.robust": "tli", "rmsea.robust": "rmsea"}
SQUARES = {"chisq", "baseline.chisq", "chisq.scaled", "baseline.chisq.scaled"}
SQUARES |= {"logl", "unrestricted.logl", "aic", "bic"}


def hs() -> ItemData:
    return items_of(references.data("hs1939"), HS)


def hs_missing() -> ItemData:
    return items_of(references.data("hs1939_missing"), HS)


def schools() -> list[str]:
    return list(references.data("hs1939")["school"])


def pmq() -> ItemData:
    return items_of(references.data("pmq18"))


def pmq_missing() -> ItemData:
    return items_of(references.data("pmq18_missing"))


def pmq_groups() -> ItemData:
    return items_of(references.data("pmq18_groups"), condition="group")


def assert_fit(result: CFAResult, entry: dict[str, Any], *, chisq: float = 1e-5, index: float = 1e-6) -> None:
    """Every index that both have: chi-squares and likelihoods to one tolerance, the others to another."""
    theirs, fit = entry["fit"], result.fit_indices
    ours = {name: getattr(fit, field) for name, field in PLAIN.items()}
    ends = {"rmsea.ci": fit.rmsea_ci}
    for suffix, version, names in (("scaled", fit.scaled, SCALED), ("robust", fit.robust, ROBUST)):
        if version is not None:
            ours |= {name: getattr(version, field) for name, field in names.items()}
            ends[f"rmsea.ci.{suffix}"] = version.rmsea_ci
    for name, both in ends.items():
        if both is not None:
            tail = name.removeprefix("rmsea.ci")
            ours |= {f"rmsea.ci.lower{tail}": both[0], f"rmsea.ci.upper{tail}": both[1]}
    compared = 0
    for name, value in ours.items():
        if name in theirs and value is not None:
            tolerance = chisq if name in SQUARES else index
            assert value == pytest.approx(theirs[name], abs=tolerance), name
            compared += 1
    assert compared >= 10
    scaled = [name for name in theirs if name.endswith((".scaled", ".robust"))]
    assert not scaled or fit.scaled is not None or fit.robust is not None


def assert_estimates(
    result: CFAResult, entry: dict[str, Any], *, est: float = 5e-6, se: float = 1e-5, std: float = 1e-5
) -> None:
    """Every row of lavaan's table of parameters; fixed ones have no error with us and 0 with them."""
    theirs = entry["params"]
    numbers = {name: i + 1 for i, name in enumerate(result.groups)}
    ours = {}
    for row in result.to_frame().itertuples():
        ours[row.lhs, row.op, row.rhs, numbers[row.group]] = row
        if row.op == "~~":
            ours[row.rhs, row.op, row.lhs, numbers[row.group]] = row
    groups = theirs.get("group", [1] * len(theirs["lhs"]))
    for i, key in enumerate(zip(theirs["lhs"], theirs["op"], theirs["rhs"], groups, strict=True)):
        if key not in ours:
            assert theirs["est"][i] == 0, key  # covariances of orthogonal factors have no row with us
            continue
        row = ours[key]
        assert row.est == pytest.approx(theirs["est"][i], abs=est), key
        assert row.std == pytest.approx(theirs["std.all"][i], abs=std), key
        if math.isnan(row.se):
            assert theirs["se"][i] == 0, key
        else:
            assert row.se == pytest.approx(theirs["se"][i], abs=se), key
