"""What a factor analysis found, in sentences as APA style prints numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from analysis.efa import FactorSolution
from analysis.retention import Retention
from analysis.wording import counted

if TYPE_CHECKING:
    from analysis.bootstrap_factors import FactorBootstrap

METHODS = {"minres": "minimum residual", "ml": "maximum likelihood", "pa": "principal axis"}
ROTATIONS = {
    "none": "no rotation",
    "varimax": "varimax rotation (uncorrelated factors)",
    "oblimin": "oblimin rotation",
    "quartimin": "quartimin rotation",
    "promax": "promax rotation (rows normalised, power 4)",
    "Promax": "promax rotation (rows not normalised, power 4)",
    "geomin": "geomin rotation (delta = .01)",
    "target": "oblique target rotation",
    "target-orthogonal": "orthogonal target rotation",
}


def bare(value: float, digits: int = 2) -> str:
    """A number that cannot pass 1, without the zero before its point.

    >>> bare(0.456), bare(-0.1234, 3), bare(1.0), bare(-0.001)
    ('.46', '−.123', '1.00', '.00')
    """
    text = f"{abs(value):.{digits}f}"
    sign = "−" if value < 0 and float(text) else ""
    return sign + text.removeprefix("0")


def p_value(p: float) -> str:
    """``p = .023`` or ``p < .001``.

    >>> p_value(0.0234), p_value(1e-9)
    ('p = .023', 'p < .001')
    """
    return "p < .001" if p < 0.001 else f"p = {bare(p, 3)}"


def suited(found: Retention) -> str:
    """Whether the matrix can be factored, and into how many."""
    adequacy, parallel = found.adequacy, found.parallel
    lowest = min(adequacy.kmo_items, key=lambda item: adequacy.kmo_items[item])
    return (
        f"The Kaiser-Meyer-Olkin measure was {bare(adequacy.kmo)} (lowest item: {lowest}, "
        f"{bare(adequacy.kmo_items[lowest])}); Bartlett's test of sphericity, χ²({adequacy.df}) = "
        f"{adequacy.chi2:.2f}, {p_value(adequacy.p)}. Parallel analysis ({parallel.sets} random sets, "
        f"{parallel.quantile:.0%} quantile, seed {parallel.seed}) suggested "
        f"{counted(parallel.factors, 'common factor')} and {counted(parallel.components, 'component')}, "
        f"the minimum average partial {counted(found.partials.components, 'component')}."
    )


def solution_text(solution: FactorSolution) -> str:
    """What was done, what the factors explain, how they correlate, and how well the model fits."""
    k = len(solution.factors)
    total = ", ".join(f"{share:.1%}" for share in solution.share_of_total)
    explained = ", ".join(f"{share:.1%}" for share in solution.share_of_explained)
    kind = {"pearson": "Pearson", "spearman": "Spearman", "polychoric": "polychoric"}.get(solution.cor, "")
    basis = f" ({kind} correlations, {solution.basis})" if kind else ""
    each = f" ({total})" if k > 1 else ""
    text = (
        f"A {METHODS[solution.method]} factor analysis of {len(solution.items)} items{basis}, with "
        f"{ROTATIONS[solution.rotation]}, extracted {counted(k, 'factor')}. Together they account for "
        f"{solution.share_of_total.sum():.1%} of the total variance{each}"
    )
    if k > 1:
        text += f"; of the explained variance alone they hold {explained}"
        upper = solution.phi[np.triu_indices(k, 1)]
        if np.abs(upper).max() > 1e-12:
            low, high = bare(float(upper.min())), bare(float(upper.max()))
            text += (
                f". Factors correlated at {low}" if low == high else f". Factors correlated {low} to {high}"
            )
    return f"{text}. Fit: {solution.fit.summary()}."


def bootstrap_text(found: FactorBootstrap) -> str:
    """What the intervals rest on."""
    return (
        f"Intervals are {found.confidence:.0%} percentile intervals of {found.used:,} bootstrap draws of "
        f"people (seed {found.seed}), the factors of each draw put in order and sign by congruence; mean "
        f"congruence {', '.join(bare(value) for value in found.congruence)}."
    )
