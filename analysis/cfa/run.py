"""One run of a confirmatory analysis: what was asked, and everything that belongs beside the fit."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from analysis.cfa.data import Missing
from analysis.cfa.fitting import fit
from analysis.cfa.model_text import Model
from analysis.cfa.modification import modification_indices
from analysis.cfa.ordinal import OrdinalResult
from analysis.cfa.ordinal_model import ORDINAL
from analysis.cfa.page import Findings
from analysis.cfa.pmq import rival_models
from analysis.cfa.result import CFAResult
from analysis.cfa.validity import validity
from analysis.errors import AnalysisError
from analysis.items import ItemData


@dataclass(frozen=True)
class Asked:
    """What was asked.

    Attributes
    ----------
    estimator : upper case
    fiml : the likelihood of incomplete rows
    grouped : the data's groups are those of a multi-group model, not conditions to fit within
    rivals, warm : whether to fit rival models, and the warm items if names do not tell
    ladder, free : steps of a ladder of invariance, and what is released in it
    """

    model: Model
    estimator: str = "MLR"
    fiml: bool = False
    grouped: bool = False
    std_lv: bool = False
    orthogonal: bool = False
    rivals: bool = False
    warm: tuple[str, ...] | None = None
    ladder: tuple[tuple[str, tuple[str, ...]], ...] = ()
    free: tuple[str, ...] = ()


def run(data: ItemData, asked: Asked) -> Findings:
    """Fit, and look at everything that was asked for.

    Validity and rivals are made for models of one group (within conditions included); what cannot be made is
    told among the warnings, with its reason.

    Raises
    ------
    AnalysisError : see :func:`analysis.cfa.fitting.fit`

    Examples
    --------
    >>> import numpy as np
    >>> from analysis.cfa.model_text import parse
    >>> from analysis.items import items_of
    >>> draws = np.random.default_rng(1).standard_normal((300, 5))
    >>> d = items_of(pd.DataFrame(draws[:, :4] + draws[:, 4:], columns=list("abcd")))
    >>> run(d, Asked(parse("f =~ a + b + c + d"), estimator="ML")).result.df
    2
    """
    policy: Missing = "fiml" if asked.fiml else "listwise"
    result = fit(
        asked.model, data, estimator=asked.estimator, missing=policy,
        group="condition" if asked.grouped else None, std_lv=asked.std_lv, orthogonal=asked.orthogonal,
    )  # fmt: skip
    told = list(result.warnings)
    judged = rivals = None
    if not asked.grouped and not asked.orthogonal:
        try:
            judged = validity(asked.model, data, estimator=asked.estimator, missing=policy)
            told += judged.warnings
        except AnalysisError as problem:
            told.append(f"no validity: {problem}")
    if asked.rivals and asked.grouped:
        told.append("no rival models: they are fitted in one group; leave --group out")
    elif asked.rivals:
        rivals = rival_models(asked.model, data, warm=asked.warm, estimator=asked.estimator, missing=policy)
    return Findings(
        result, judged, rivals, _indices(result), data.source, data.note, tuple(dict.fromkeys(told))
    )


def _indices(result: CFAResult) -> pd.DataFrame | None:
    """Modification indices, where the solution allows them; ordered items have none."""
    if isinstance(result, OrdinalResult) or result.estimator in ORDINAL:
        return None
    try:
        return modification_indices(result, smallest=3.84).head(10)
    except AnalysisError:
        return None
