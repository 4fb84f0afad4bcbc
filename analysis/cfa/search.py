"""The search for a model's minimum, from more than one start where the first leaves doubt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analysis.cfa.checks import improper
from analysis.cfa.discrepancies import Discrepancy
from analysis.cfa.minimise import Minimum, minimise
from analysis.cfa.starting import plain_values

Array = NDArray[np.float64]


def search(discrepancy: Discrepancy, start: Array) -> Minimum:
    """The lowest minimum found.

    A search that did not converge, ended at an improper solution, or left a chi-square of more than twice its
    degrees of freedom may have missed the minimum (small samples have several): it is made again from a
    plainer start, and the better end is kept. One that converged is better than one that did not.
    """
    first = minimise(discrepancy, discrepancy.scoring, discrepancy.newton, start)
    structure, sample = discrepancy.structure, discrepancy.sample
    table = structure.table
    doubtful = (
        not first.converged
        or first.value * float(sample.sizes.sum()) > 2 * table.df
        or bool(improper(structure, structure.implied(first.theta)))
    )
    if not doubtful:
        return first
    again = plain_values(table, sample.cov, start)
    second = minimise(discrepancy, discrepancy.scoring, discrepancy.newton, again)
    if second.converged != first.converged:
        return second if second.converged else first
    # Two ends of one minimum differ by rounding: the first is kept, so that results do not depend on it.
    return second if second.value < first.value - 1e-9 * (1 + abs(first.value)) else first
