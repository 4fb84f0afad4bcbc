"""Finding the minimum of a discrepancy by scoring, and by Newton's method near the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Evaluate = Callable[[Array], tuple[float, Array] | None]
Curve = Callable[[Array], Array]

# A step this small, in units of standard errors squared over n, no longer changes a printed number.
TINY = 1e-20
NEAR = 1e-4


@dataclass(frozen=True)
class Minimum:
    """Where the search ended.

    Attributes
    ----------
    theta : (q,)
    value : of the discrepancy
    gradient : (q,)
    steps : taken
    converged : whether the last step was negligible
    """

    theta: Array
    value: float
    gradient: Array
    steps: int
    converged: bool


def minimise(
    evaluate: Evaluate, scoring: Curve, newton: Curve | None, start: Array, *, steps: int = 200
) -> Minimum:
    """Damped scoring, then Newton.

    Each step solves ``(K + damping diag K) d = -g``, where K is the expected second derivative; close to the
    minimum the true one, if it is positive definite there. A step that does not lower the value, or leaves
    the region where the discrepancy exists, is tried again with more damping.

    Parameters
    ----------
    evaluate : value and gradient (q,), or None where the discrepancy does not exist
    scoring : (q, q) positive semi-definite approximation of the second derivative
    newton : (q, q) the second derivative itself, or None to score to the end
    start : (q,), where the discrepancy exists
    """
    theta = start.copy()
    found = evaluate(theta)
    if found is None:
        return Minimum(theta, float("inf"), np.full(len(theta), np.nan), 0, False)
    value, gradient = found
    damping, small = 0.0, 0
    if len(theta) == 0:
        return Minimum(theta, value, gradient, 0, True)
    decrement = np.inf
    for step in range(1, steps + 1):
        curve = None
        if newton is not None and decrement < NEAR:
            curve = newton(theta)
            if not _positive(curve):
                curve = None
        if curve is None:
            curve = scoring(theta)
        while True:
            move = _solve(curve, damping, gradient)
            decrement = float(-gradient @ move)
            tried = evaluate(theta + move)
            # Rounding makes the value waver in its last digits; a step is not refused for that.
            if tried is not None and tried[0] <= value + 1e-12 * (1 + abs(value)):
                break
            damping = max(4 * damping, 1e-3)
            if damping > 1e8:
                return Minimum(theta, value, gradient, step, decrement < 1e-12)
        theta = theta + move
        value, gradient = tried
        damping = 0.0 if damping <= 1e-3 else damping / 8
        small = small + 1 if decrement < TINY * (1 + abs(value)) or decrement <= 0 else 0
        if small:
            return Minimum(theta, value, gradient, step, True)
    return Minimum(theta, value, gradient, steps, decrement < 1e-12)


def _positive(curve: Array) -> bool:
    try:
        np.linalg.cholesky(curve)
    except np.linalg.LinAlgError:
        return False
    return True


def _solve(curve: Array, damping: float, gradient: Array) -> Array:
    scale = np.sqrt(np.maximum(np.diag(curve), 1e-300))
    shaped = curve / np.outer(scale, scale)
    ridge = max(damping, 1e-10)
    move = np.linalg.solve(shaped + ridge * np.eye(len(scale)), -gradient / scale)
    return np.asarray(move / scale)
