"""Schmid-Leiman: one general factor and group factors beside it, and the omegas that rest on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.efa import efa
from analysis.wording import counted

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class SchmidLeiman:
    r"""Loadings on a general factor and on group factors that are uncorrelated with it.

    Attributes
    ----------
    general : (p,) loadings on the general factor
    group : (p, k) loadings on the group factors; zeros where there is one factor
    uniquenesses : (p,)
    omega_total : share of the total score's variance that any factor explains
    omega_hierarchical : share that the general factor explains
    omega_limit : omega hierarchical of an endless scale of such items
    explained_common : ECV, share of the common variance that is general
    subscales : per group factor, total, general and group shares of the variance of its items' sum
    flipped : items that run against the general factor and were turned for the omegas
    converged, heywood : of the solution, and of the general factor above it
    warnings : what to print beside the numbers
    """

    general: Matrix
    group: Matrix
    uniquenesses: Matrix
    omega_total: float
    omega_hierarchical: float
    omega_limit: float
    explained_common: float
    subscales: pd.DataFrame
    items: tuple[str, ...]
    flipped: tuple[str, ...]
    converged: bool
    heywood: tuple[str, ...]
    warnings: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """One row an item: general and group loadings, communality, uniqueness, general share."""
        table = pd.DataFrame({"item": list(self.items), "general": self.general})
        for number in range(self.group.shape[1]):
            table[f"group_{number + 1}"] = self.group[:, number]
        table["communality"] = 1 - self.uniquenesses
        table["uniqueness"] = self.uniquenesses
        table["general_share"] = self.general**2 / (1 - self.uniquenesses)
        return table

    def summary(self) -> str:
        """The omegas in one line."""
        return (
            f"omega total = {self.omega_total:.3f}, omega hierarchical = {self.omega_hierarchical:.3f}, "
            f"ECV = {self.explained_common:.2f} ({counted(self.group.shape[1], 'group factor')})"
        )


def schmid_leiman(
    correlation: Matrix, n: int, factors: int, *, items: tuple[str, ...], method: str = "minres"
) -> SchmidLeiman:
    r"""Turn an oblique solution and the one factor of its factors into general and group loadings.

    With pattern L and second-order loadings g of the factors' correlations:

    .. math:: general = L g, \quad group_{ij} = L_{ij} \sqrt{1 - g_j^2}

    .. math:: \omega_t = 1 - \frac{\sum u_i^2}{\sum\sum r_{ij}}, \quad
              \omega_h = \frac{(\sum general_i)^2}{\sum\sum r_{ij}}

    Items that load negatively on the general factor are turned first, as R's omega does.

    Parameters
    ----------
    correlation : (p, p), positive definite
    n : sample size (df + 1 for a within-condition matrix)
    factors : group factors; three or more identify the general factor. With two it is set to load both
        alike; with one there is no group factor, and omega hierarchical says nothing of its own
    items : p names
    method : of extraction, ``"minres"``, ``"ml"`` or ``"pa"``

    References
    ----------
    Schmid & Leiman 1957, doi 10.1007/BF02289209; Zinbarg, Revelle, Yovel & Li 2005,
    doi 10.1007/s11336-003-0974-7. R: ``psych::omega(d, nfactors = 3, rotate = "oblimin")``.

    Examples
    --------
    >>> r = np.full((9, 9), 0.2)
    >>> for block in (slice(0, 3), slice(3, 6), slice(6, 9)):
    ...     r[block, block] = 0.5
    >>> np.fill_diagonal(r, 1)
    >>> found = schmid_leiman(r, 300, 3, items=tuple("abcdefghi"))
    >>> round(found.omega_hierarchical, 3), round(found.omega_total, 3)
    (0.562, 0.844)
    """
    solution = efa(correlation, n, factors, items=items, method=method, rotation="oblimin")
    told = list(solution.warnings)
    improper: tuple[str, ...] = ()
    pattern = solution.loadings
    if factors == 1:
        general, group = pattern[:, 0].copy(), np.zeros_like(pattern)
    else:
        loadings, improper = _second_order(solution.phi, n, told)
        general = pattern @ loadings
        group = pattern * np.sqrt(np.maximum(1 - loadings**2, 0))
    turn = np.where(general < 0, -1.0, 1.0)
    matrix = correlation * np.outer(turn, turn)
    general, group = general * turn, group * turn[:, np.newaxis]
    flipped = tuple(item for item, sign in zip(items, turn, strict=True) if sign < 0)
    if flipped:
        told.append(f"turned for the omegas, as they run against the general factor: {', '.join(flipped)}")
    total = float(matrix.sum())
    omega_total = 1 - float(solution.uniquenesses.sum()) / total
    omega_h = float(general.sum()) ** 2 / total
    squares = np.concatenate([[float((general**2).sum())], (group**2).sum(axis=0)])
    return SchmidLeiman(
        general=general,
        group=group,
        uniquenesses=solution.uniquenesses,
        omega_total=omega_total,
        omega_hierarchical=omega_h,
        omega_limit=omega_h / omega_total,
        explained_common=float(squares[0] / squares.sum()),
        subscales=_subscales(matrix, general, group, items),
        items=items,
        flipped=flipped,
        converged=solution.converged,
        heywood=(*solution.heywood, *improper),
        warnings=tuple(told),
    )


def _second_order(phi: Matrix, n: int, told: list[str]) -> tuple[Matrix, tuple[str, ...]]:
    """Loadings of the factors on the one factor above them, and the factors that are nothing else."""
    if phi.shape[0] == 2:
        told.append("two group factors do not identify a general one: it is set to load both alike")
        root = float(np.sqrt(abs(phi[0, 1])))
        return np.array([root, np.sign(phi[0, 1]) * root]), ()
    names = tuple(f"group factor {number + 1}" for number in range(phi.shape[0]))
    above = efa(phi, n, 1, items=names, rotation="none")
    if above.heywood:
        told.append(f"improper general factor: {', '.join(above.heywood)} is all general (Heywood case)")
    return np.asarray(above.loadings[:, 0], dtype=float), above.heywood


def _subscales(matrix: Matrix, general: Matrix, group: Matrix, items: tuple[str, ...]) -> pd.DataFrame:
    home = np.abs(group).argmax(axis=1)
    rows = []
    for number in range(group.shape[1]):
        mine = np.flatnonzero(home == number)
        if not len(mine):
            continue
        variance = float(matrix[np.ix_(mine, mine)].sum())
        of_general = float(general[mine].sum()) ** 2 / variance
        of_group = float(group[mine, number].sum()) ** 2 / variance
        rows.append(
            {
                "group": f"group_{number + 1}",
                "items": ", ".join(items[i] for i in mine),
                "total": of_general + of_group,
                "general": of_general,
                "group_share": of_group,
            }
        )
    return pd.DataFrame(rows)
