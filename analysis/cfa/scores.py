"""A person's place on each factor, estimated from the answers."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.cfa.errors import NotAvailable
from analysis.cfa.result import CFAResult
from analysis.errors import UnknownName
from analysis.items import ItemData

Array = NDArray[np.float64]
Method = Literal["regression", "bartlett"]


def scores(
    result: CFAResult, items: ItemData | None = None, *, method: Method = "regression"
) -> pd.DataFrame:
    r"""Factor scores.

    Regression: :math:`\hat\eta = \mu_\eta + \mathrm{Cov}(\eta, y) \Sigma^{-1} (y - \mu)`, the best predictor,
    drawn towards the mean. Bartlett: :math:`(\Lambda^\top \Theta^{-1} \Lambda)^{-1} \Lambda^\top \Theta^{-1}
    (y - \nu)`, unbiased for each person. Where answers are missing, those that are there are used.

    Parameters
    ----------
    items : people to be scored by a one-group model, by default those it was fitted to. A model fitted within
        conditions has taken their means out of its own people: give the items to score them as they answered
    method : "regression" or "bartlett"

    Returns
    -------
    one row a person, one column a factor (several groups: and ``group``)

    Raises
    ------
    NotAvailable : Bartlett's scores of a factor without items of its own, or of items without error

    References
    ----------
    Thurstone 1935; Bartlett 1937. R: ``lavaan::lavPredict(fit, method = "regression")``, ``"Bartlett"``.
    """
    if method not in ("regression", "bartlett"):
        raise UnknownName(f"scores by {method!r} are not known; there are regression, bartlett")
    table = result.table
    if not table.latents:
        raise NotAvailable("the model has no factor to score")
    if items is not None:
        if result.multiple:
            raise NotAvailable("people are scored anew only by a model of one group")
        missing = [name for name in table.observed if name not in items.names]
        if missing:
            raise UnknownName(f"{items.source}: the model's {', '.join(missing)} are not there")
        values = items.values[:, [items.names.index(name) for name in table.observed]]
        return pd.DataFrame(
            _group(result, 0, values, method), columns=list(table.latents), index=list(items.rows)
        )
    parts = []
    for g, group in enumerate(result.sample.groups):
        if not len(group.rows):
            raise NotAvailable("only covariances are known: there is nobody to score")
        part = pd.DataFrame(_group(result, g, group.rows, method), columns=list(table.latents))
        if result.multiple:
            part.insert(0, "group", group.name)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _group(result: CFAResult, g: int, rows: Array, method: Method) -> Array:
    implied, table = result.implied, result.table
    p = len(table.observed)
    centre = implied.mean[g] if table.means else result.sample.mean[g]
    middle = implied.location[g][p:] if table.means else np.zeros(len(table.latents))
    there = ~np.isnan(rows)
    patterns, member = np.unique(there, axis=0, return_inverse=True)
    made = np.full((len(rows), len(table.latents)), np.nan)
    for k, seen in enumerate(patterns):
        people = np.flatnonzero(member.reshape(-1) == k)
        if not seen.any():
            continue
        weights = (_regression if method == "regression" else _bartlett)(result, g, seen)
        made[people] = middle + (rows[people][:, seen] - centre[seen]) @ weights.T
    return made


def _regression(result: CFAResult, g: int, seen: NDArray[np.bool_]) -> Array:
    full, p = result.implied.full[g], len(seen)
    cov = full[:p, :p][np.ix_(seen, seen)]
    return np.asarray(np.linalg.solve(cov, full[p:, :p][:, seen].T).T)


def _bartlett(result: CFAResult, g: int, seen: NDArray[np.bool_]) -> Array:
    p, implied = len(seen), result.implied
    loadings = implied.arrows[g][:p, p:]
    bare = [n for n, column in zip(result.table.latents, loadings.T, strict=True) if not column.any()]
    if bare:
        raise NotAvailable(
            f"Bartlett scores need items of a factor's own, which {', '.join(bare)} has not; use regression"
        )
    errors = implied.spreads[g][:p, :p][np.ix_(seen, seen)]
    if float(np.linalg.eigvalsh(errors)[0]) <= 1e-10:
        raise NotAvailable("Bartlett scores need items with error of measurement; use regression")
    weighted = np.linalg.solve(errors, loadings[seen]).T
    precision = weighted @ loadings[seen]
    if np.linalg.cond(precision) > 1e12:
        return np.full(weighted.shape, np.nan)
    return np.asarray(np.linalg.solve(precision, weighted))
