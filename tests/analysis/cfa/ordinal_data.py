"""Ordered items of the reference data, and how results are set beside lavaan's."""

from typing import Any

import numpy as np
import pandas as pd

from analysis.cfa.result import CFAResult
from analysis.items import ItemData, items_of
from tests.analysis import references

THREE = references.values("pmq18_cfa")["model"]
FACTORS = {f"f{k + 1}": tuple(f"q{6 * k + i:02d}" for i in range(1, 7)) for k in range(3)}


def pmq() -> ItemData:
    """pmq18: 500 people, 18 items of seven categories."""
    return items_of(references.data("pmq18"), "q*")


def four_groups() -> ItemData:
    """pmq18_groups with every item cut(x, c(0, 2, 3, 4, 5, 7)): no category is empty in a group."""
    frame = references.data("pmq18_groups")
    for name in frame.columns:
        if name.startswith("q"):
            frame[name] = np.digitize(frame[name], [2.5, 3.5, 4.5, 5.5]) + 1
    return items_of(frame, "q*", condition="group")


def beside(result: CFAResult, expected: dict[str, Any]) -> pd.DataFrame:
    """Our rows and lavaan's of the same parameters, side by side: est, se, std and est_r, se_r, std_r."""
    theirs = pd.DataFrame({name: expected["params"][name] for name in ("lhs", "op", "rhs", "est", "se")})
    theirs["std"] = expected["params"]["std.all"]
    theirs["group"] = expected["params"].get("group", [1] * len(theirs))
    ours = result.to_frame()
    ours["group"] = ours["group"].map({name: i + 1 for i, name in enumerate(result.groups)})
    joined = theirs.merge(ours, on=["lhs", "op", "rhs", "group"], suffixes=("_r", ""), validate="one_to_one")
    assert len(joined) == len(theirs) == len(ours)
    return joined
