"""Means and covariances of incomplete answers, with nothing assumed of them: the saturated model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.cfa.linear import inverse, times
from analysis.errors import EmptyColumn, NotPositiveDefinite

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Patterns:
    """Cases grouped by what they answered; unanswered places hold zeros.

    Attributes
    ----------
    seen : (K, p)
    both : (K, p, p), 1 where both items were answered
    member : (cases,) pattern of each case
    n : (K,) cases
    mean, cov : (K, p), (K, p, p) within the pattern, divisor n
    rows : (cases, p)
    """

    seen: Mask
    both: Array
    member: NDArray[np.intp]
    n: Array
    mean: Array
    cov: Array
    rows: Array

    def inverted(self, sigma: Array) -> tuple[Array, Array] | None:
        """Inverses of the answered parts of (p, p), (K, p, p) with zeros elsewhere, and log determinants.

        None where ``sigma`` is not positive definite.
        """
        p = sigma.shape[0]
        # Unanswered items become independent ones of variance 1, which leave inverse and determinant alone.
        filled = sigma * self.both
        at = np.arange(p)
        filled[:, at, at] += ~self.seen
        try:
            np.linalg.cholesky(sigma)
            root = np.linalg.cholesky(filled)
        except np.linalg.LinAlgError:
            return None
        logs: Array = 2 * np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1)
        return inverse(filled) * self.both, logs


def patterns_of(rows: Array) -> Patterns:
    """Sort cases (n, p), nan where missing, by what they answered."""
    there = ~np.isnan(rows)
    seen, member = np.unique(there, axis=0, return_inverse=True)
    member = member.reshape(-1)
    filled = np.where(there, rows, 0.0)
    k, p = seen.shape
    n = np.bincount(member, minlength=k).astype(float)
    mean = np.zeros((k, p))
    np.add.at(mean, member, filled)
    mean /= n[:, None]
    off = np.where(there, filled - mean[member], 0.0)
    order = np.argsort(member, kind="stable")
    bounds = np.concatenate([[0], np.cumsum(n).astype(int)])
    cov = np.zeros((k, p, p))
    many = np.flatnonzero(n > 1)
    for i in many:
        part = off[order[bounds[i] : bounds[i + 1]]]
        cov[i] = part.T @ part / n[i]
    both = (seen[:, :, None] & seen[:, None, :]).astype(float)
    return Patterns(seen, both, member, n, mean, cov, filled)


def saturated(rows: Array, names: Sequence[str], place: str = "data") -> tuple[Array, Array]:
    """Maximum-likelihood means and covariances of incomplete answers.

    Parameters
    ----------
    rows : (n, p), nan where missing
    names, place : for messages

    Returns
    -------
    (p,), (p, p)

    Raises
    ------
    EmptyColumn : an item that nobody answered
    NotPositiveDefinite : two items that nobody answered together, or too few answers

    References
    ----------
    Dempster, Laird & Rubin 1977 (EM). R: ``lavaan::lavInspect(fit, "sampstat")`` with ``missing = "fiml"``.

    Examples
    --------
    >>> d = np.array([[1.0, 2], [2, 1], [3, 5], [4, np.nan]])
    >>> saturated(d, ["a", "b"])[0].round(2).tolist()
    [2.5, 3.42]
    """
    there = ~np.isnan(rows)
    answers = there.sum(axis=0)
    empty = [name for name, count in zip(names, answers, strict=True) if count == 0]
    if empty:
        raise EmptyColumn(f"{place}: nobody answered {', '.join(empty)}; leave the column out")
    together = there.T.astype(float) @ there
    never = np.argwhere(np.triu(together < 2, k=1))
    if len(never):
        first, second = (names[int(i)] for i in never[0])
        raise NotPositiveDefinite(
            f"{place}: fewer than two people answered both {first!r} and {second!r}, so that their "
            "covariance is not known; leave one of them out"
        )
    means, cov = _expect_and_maximise([patterns_of(rows)], names, place)
    return means[0], cov


def condition_means(values: Array, members: Sequence[NDArray[np.intp]]) -> Array:
    """Maximum-likelihood means of each condition under one common covariance matrix, (conditions, p)."""
    names = [f"item {i + 1}" for i in range(values.shape[1])]
    means, _ = _expect_and_maximise([patterns_of(values[rows]) for rows in members], names, "data")
    return means


def _expect_and_maximise(
    groups: Sequence[Patterns], names: Sequence[str], place: str, *, rounds: int = 5000
) -> tuple[Array, Array]:
    total = sum(float(group.n.sum()) for group in groups)
    sums = np.stack([group.rows.sum(axis=0) for group in groups])
    counts = np.stack([(group.seen * group.n[:, None]).sum(axis=0) for group in groups])
    means = np.where(counts > 0, sums / np.maximum(counts, 1), sums.sum(axis=0) / counts.sum(axis=0))
    spread = np.zeros(len(names))
    for group, mean in zip(groups, means, strict=True):
        apart = np.where(group.seen, group.mean - mean, 0.0)
        spread += (group.n[:, None] * (apart**2 + np.diagonal(group.cov, axis1=1, axis2=2))).sum(axis=0)
    cov = np.diag(np.maximum(spread / counts.sum(axis=0), 1e-12))
    for _ in range(rounds):
        raw = np.zeros_like(cov)
        fresh = np.empty_like(means)
        for g, (group, mean) in enumerate(zip(groups, means, strict=True)):
            found = group.inverted(cov)
            if found is None:
                raise NotPositiveDefinite(
                    f"{place}: the covariances of incomplete answers degenerate; leave out items that few "
                    "answered"
                )
            regress = cov @ found[0]  # (K, p, p): answered items to all
            apart = np.where(group.seen, group.mean - mean, 0.0)
            expected = times(regress, apart)
            share = group.n / group.n.sum()
            shift = share @ expected
            left = cov - regress @ cov
            inner = regress @ group.cov @ np.swapaxes(regress, 1, 2) + left
            raw += group.n.sum() * (
                np.tensordot(share, inner, axes=1)
                + (expected * share[:, None]).T @ expected
                - np.outer(shift, shift)
            )
            fresh[g] = mean + shift
        updated = (raw + raw.T) / (2 * total)
        scale = np.sqrt(np.diag(updated))
        moved = max(
            float(np.abs((updated - cov) / np.outer(scale, scale)).max()),
            float(np.abs((fresh - means) / scale).max()),
        )
        means, cov = fresh, updated
        if moved < 1e-11:
            break
    return means, cov
