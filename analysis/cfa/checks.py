"""What can be wrong with a model before and after it is fitted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analysis.cfa.errors import NegativeDegreesOfFreedom, UnidentifiedModel
from analysis.cfa.linear import inverse
from analysis.cfa.matrices import Implied, Structure
from analysis.cfa.parameters import ParameterTable

Array = NDArray[np.float64]
SINGULAR = 1e-9


def refuse_too_many(table: ParameterTable) -> None:
    """Refuse a model with more parameters than moments.

    Raises
    ------
    NegativeDegreesOfFreedom : with both numbers and the way out
    """
    if table.df >= 0:
        return
    small = [
        f"{latent} has {count} item(s)"
        for latent in table.latents
        if (count := sum(r.op == "=~" and r.lhs == latent and r.group == 0 for r in table.rows)) < 3
    ]
    why = f" ({'; '.join(small)})" if small else ""
    raise NegativeDegreesOfFreedom(
        f"the model has {table.q} free parameters for {table.moments} moments of {len(table.observed)} "
        f"observed variables, df = {table.df}{why}; fix parameters, make some equal, or add items"
    )


def refuse_unidentified(structure: Structure, start: Array) -> None:
    """Refuse a model whose parameters cannot be told apart, wherever they are.

    The information matrix is taken at a point near the starting values that has nothing special (every
    loading and covariance moved by a little of its own): a zero eigenvalue there is one everywhere.

    Raises
    ------
    UnidentifiedModel : names the parameters that can move without any change of what is implied
    """
    if structure.q == 0:
        return
    draws = np.random.default_rng(20231).uniform(0.5, 1.0, structure.q)
    signs = np.where(np.arange(structure.q) % 3 == 1, -1.0, 1.0)
    sizes = _sizes(structure, start)
    for share in (0.1, 0.02, 0.004):
        implied = structure.implied(start + share * draws * signs * sizes)
        if np.linalg.eigvalsh(implied.cov).min() > 0:
            break
    else:
        return
    cells = implied.tangents().information(inverse(implied.cov))
    loose = loose_parameters(structure, structure.to_parameters2(cells))
    if loose:
        shown = ", ".join(loose[:6]) + (f" and {len(loose) - 6} more" if len(loose) > 6 else "")
        raise UnidentifiedModel(
            f"the model is not identified: {shown} can change together without changing what is implied; "
            "fix one of them (0*, 1*), or set the scale of each factor by one loading or its variance"
        )


def loose_parameters(structure: Structure, information: Array) -> list[str]:
    """Parameters with weight in a direction of no information."""
    scale = np.sqrt(np.maximum(np.diag(information), 1e-300))
    values, vectors = np.linalg.eigh(information / np.outer(scale, scale))
    if np.diag(information).min() <= 0:
        dead = np.flatnonzero(np.diag(information) <= 0)
        return [structure.table.named(int(i)) for i in dead]
    if float(values[0]) > SINGULAR:
        return []
    weights = np.abs(vectors[:, values <= SINGULAR]).max(axis=1)
    return [structure.table.named(int(i)) for i in np.flatnonzero(weights > 0.05)]


def improper(structure: Structure, implied: Implied) -> tuple[str, ...]:
    """Variances below zero and factors that correlate beyond one, by name."""
    table = structure.table
    names = (*table.observed, *table.latents)
    found = []
    for g, group in enumerate(table.groups):
        place = f" (group {group})" if len(table.groups) > 1 else ""
        own = np.diag(implied.spreads[g])
        found += [f"{names[i]} ~~ {names[i]}{place}" for i in np.flatnonzero(own < -1e-10)]
        p = structure.p
        block = implied.full[g][p:, p:]
        spread = np.diag(block)
        if len(spread) > 1 and (spread > 0).all():
            correlation = block / np.sqrt(np.outer(spread, spread))
            above = np.argwhere(np.triu(np.abs(correlation) > 1 + 1e-10, k=1))
            found += [f"{names[p + int(i)]} ~~ {names[p + int(j)]}{place}" for i, j in above]
            if not len(above) and float(np.linalg.eigvalsh(correlation)[0]) < -1e-8:
                found.append(f"covariances of the factors{place}")
    return tuple(found)


def _sizes(structure: Structure, start: Array) -> Array:
    """A scale for each parameter: its own size, or that of the variances it stands between."""
    position = {name: i for i, name in enumerate((*structure.table.observed, *structure.table.latents))}
    implied = structure.implied(start)
    made = np.ones(structure.q)
    for i, row in enumerate(structure.table.owners()):
        total = np.sqrt(np.abs(np.diag(implied.full[row.group])))
        left = float(total[position[row.lhs]])
        if row.op == "~1":
            made[i] = left
        elif row.op == "~~":
            made[i] = left * float(total[position[row.rhs]])
        else:
            right = float(total[position[row.rhs]])
            made[i] = right / max(left, 1e-12) if row.op == "=~" else left / max(right, 1e-12)
    return made
