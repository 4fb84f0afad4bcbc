"""Rotations of factor loadings, one at a time or a stack at once: what is told stays, how it is told changes.

Oblique and orthogonal criteria are minimised by gradient projection; varimax and promax are made as
R's ``stats::varimax`` and psych make them, stopping where they stop, so that the numbers agree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.errors import AnalysisError

Matrix = NDArray[np.float64]
Mask = NDArray[np.bool_]
# Loadings (sets, p, k) to values (sets,) and gradients (sets, p, k).
Criterion = Callable[[Matrix], tuple[Matrix, Matrix]]

ORTHOGONAL = ("none", "varimax", "target-orthogonal")
OBLIQUE = ("oblimin", "quartimin", "promax", "Promax", "geomin", "target")
ROTATIONS = (*ORTHOGONAL, *OBLIQUE)
GEOMIN_DELTA = 0.01
PROMAX_POWER = 4
# R's varimax stops at this relative gain, before the last digits settle.
VARIMAX_GAIN = 1e-5
# And GPArotation where the projected slope is this short; geomin in particular still moves a little there.
SLOPE = 1e-5


class UnusableRotation(AnalysisError):
    """A rotation that is unknown, lacks its target, or was given one that does not fit."""


@dataclass(frozen=True)
class Rotated:
    """Rotated loadings.

    Attributes
    ----------
    loadings : (p, k) pattern coefficients, or (sets, p, k)
    phi : (k, k) factor correlations, or (sets, k, k); the identity for orthogonal rotations
    converged : whether the rotation settled, or (sets,)
    """

    loadings: Matrix
    phi: Matrix
    converged: Mask


def rotate(loadings: Matrix, rotation: str, *, target: Matrix | None = None) -> Rotated:
    """Rotate one (p, k) loading matrix; see :func:`rotate_stack`.

    Examples
    --------
    >>> a = np.array([[0.8, 0.3], [0.7, 0.2], [0.3, -0.7], [0.4, -0.6]])
    >>> made = rotate(a, "oblimin")
    >>> bool(np.allclose(made.loadings @ made.phi @ made.loadings.T, a @ a.T))
    True
    """
    made = rotate_stack(loadings[np.newaxis], rotation, target=target)
    return Rotated(made.loadings[0], made.phi[0], made.converged[0])


def rotate_stack(loadings: Matrix, rotation: str, *, target: Matrix | None = None) -> Rotated:
    r"""Rotate a stack of loading matrices.

    =====================  ======================================================================
    ``none``               as extracted
    ``varimax``            orthogonal, rows normalised (Kaiser 1958, doi 10.1007/BF02289233)
    ``oblimin``            :math:`\tfrac14 \sum_{j \ne l} \sum_i \lambda_{ij}^2 \lambda_{il}^2`, gamma 0
    ``quartimin``          the same criterion under its own name
    ``promax``             psych's ``"promax"``: rows normalised, power 4
    ``Promax``             psych's ``"Promax"``: rows not normalised, power 4
    ``geomin``             :math:`\sum_i (\prod_j (\lambda_{ij}^2 + .01))^{1/k}`
    ``target``             oblique, towards ``target``; nan marks a free loading
    ``target-orthogonal``  the same with uncorrelated factors
    =====================  ======================================================================

    Parameters
    ----------
    loadings : (sets, p, k), unrotated
    rotation : one of ``ROTATIONS``; one factor is left as it is
    target : (p, k) for the two target rotations

    Raises
    ------
    UnusableRotation : unknown rotation; target missing, of another shape, or given where none is used

    References
    ----------
    Gradient projection: Jennrich 2001, doi 10.1007/BF02294840, and 2002, doi 10.1007/BF02294706;
    Bernaards & Jennrich 2005, doi 10.1177/0013164404272507. R: ``GPArotation::oblimin(L)``,
    ``geominQ``, ``targetQ``, ``targetT``; ``stats::varimax(L)``; ``psych::fa(.., rotate="promax")``.
    """
    if rotation not in ROTATIONS:
        raise UnusableRotation(f"no rotation {rotation!r}; there are: {', '.join(ROTATIONS)}")
    _check_target(loadings, rotation, target)
    sets, _, k = loadings.shape
    if k == 1 or rotation == "none":
        return Rotated(loadings, np.broadcast_to(np.eye(k), (sets, k, k)).copy(), np.ones(sets, dtype=bool))
    if rotation == "varimax":
        return _varimax(loadings)
    if rotation == "Promax":
        return _promax(loadings)
    if rotation == "promax":
        lengths = np.sqrt((loadings**2).sum(axis=2, keepdims=True))
        lengths = np.where(lengths == 0, 1.0, lengths)
        made = _promax(loadings / lengths)
        return Rotated(made.loadings * lengths, made.phi, made.converged)
    if rotation in ("oblimin", "quartimin"):
        return _oblique(loadings, _quartimin)
    if rotation == "geomin":
        return _oblique(loadings, _geomin)
    towards = _towards(np.asarray(target, dtype=float))
    return _oblique(loadings, towards) if rotation == "target" else _orthogonal(loadings, towards)


def _check_target(loadings: Matrix, rotation: str, target: Matrix | None) -> None:
    if not rotation.startswith("target"):
        if target is not None:
            raise UnusableRotation(f"{rotation} uses no target; say rotation 'target', or leave it out")
        return
    if target is None:
        raise UnusableRotation(f"{rotation} rotation needs a target: items by factors, empty where free")
    if target.shape != loadings.shape[1:]:
        raise UnusableRotation(
            f"the target is {target.shape[0]} by {target.shape[1]}, the loadings are {loadings.shape[1]} "
            f"items by {loadings.shape[2]} factors"
        )
    if np.isinf(target).any() or np.isnan(target).all(axis=0).any():
        raise UnusableRotation("every factor of the target needs at least one finite number")


def _quartimin(loadings: Matrix) -> tuple[Matrix, Matrix]:
    squares = loadings**2
    others = squares.sum(axis=2, keepdims=True) - squares
    return (squares * others).sum(axis=(1, 2)) / 4, loadings * others


def _geomin(loadings: Matrix) -> tuple[Matrix, Matrix]:
    k = loadings.shape[2]
    raised = loadings**2 + GEOMIN_DELTA
    means = np.exp(np.log(raised).mean(axis=2, keepdims=True))
    return means.sum(axis=(1, 2)), 2 / k * loadings / raised * means


def _towards(target: Matrix) -> Criterion:
    known = ~np.isnan(target)
    filled = np.where(known, target, 0.0)

    def criterion(loadings: Matrix) -> tuple[Matrix, Matrix]:
        off = (loadings - filled) * known
        return (off**2).sum(axis=(1, 2)), 2 * off

    return criterion


def _oblique(loadings: Matrix, criterion: Criterion, *, steps: int = 2000) -> Rotated:
    """Gradient projection over transformations T with columns of length one; phi = T'T."""
    sets, _, k = loadings.shape
    transform = np.broadcast_to(np.eye(k), (sets, k, k)).copy()
    rotated = loadings.copy()
    converged = np.zeros(sets, dtype=bool)
    going = np.arange(sets)
    source, here, there = loadings, transform.copy(), rotated.copy()
    value, slope = criterion(source)
    gradient = -_turn(_turn(source) @ slope)
    length = np.ones(sets)
    for _ in range(steps):
        projected = gradient - here * (here * gradient).sum(axis=1, keepdims=True)
        size = np.sqrt((projected**2).sum(axis=(1, 2)))
        done = size < SLOPE
        if done.any():
            converged[going[done]] = True
            transform[going[done]], rotated[going[done]] = here[done], there[done]
            keep = ~done
            going, source, here, there = going[keep], source[keep], here[keep], there[keep]
            value, length, gradient = value[keep], length[keep], gradient[keep]
            projected, size = projected[keep], size[keep]
            if not len(going):
                break
        here, there, value, length, gradient = _tried_oblique(
            source, here, projected, size, length * 2, value, criterion
        )
    transform[going], rotated[going] = here, there
    return Rotated(rotated, _turn(transform) @ transform, converged)


def _tried_oblique(
    source: Matrix, here: Matrix, projected: Matrix, size: Matrix, length: Matrix, value: Matrix,
    criterion: Criterion,
) -> tuple[Matrix, Matrix, Matrix, Matrix, Matrix]:  # fmt: skip
    """Halve each set's step until its criterion falls by half of what the slope promises."""
    transform, rotated, reached, gradient, fine = _step(
        source, here, projected, size, length, value, criterion
    )
    left = np.flatnonzero(~fine)
    for _ in range(10):
        if not len(left):
            break
        length[left] /= 2
        made = _step(
            source[left], here[left], projected[left], size[left], length[left], value[left], criterion
        )
        transform[left], rotated[left], reached[left], gradient[left] = made[:4]
        fine = made[4]
        left = left[~fine]
    return transform, rotated, reached, length, gradient


def _step(
    source: Matrix, here: Matrix, projected: Matrix, size: Matrix, length: Matrix, value: Matrix,
    criterion: Criterion,
) -> tuple[Matrix, Matrix, Matrix, Matrix, Mask]:  # fmt: skip
    """A step along the projected slope, and whether the criterion falls enough."""
    moved = here - length[:, np.newaxis, np.newaxis] * projected
    moved /= np.sqrt((moved**2).sum(axis=1, keepdims=True))
    inverse: Matrix = np.asarray(np.linalg.inv(moved), dtype=float)
    turned = source @ _turn(inverse)
    reached, slope = criterion(turned)
    gradient = -_turn(_turn(turned) @ slope @ inverse)
    fine = np.asarray(value - reached > 0.5 * size**2 * length, dtype=bool)
    return moved, turned, reached, gradient, fine


def _orthogonal(loadings: Matrix, criterion: Criterion, *, steps: int = 2000) -> Rotated:
    """Gradient projection over orthogonal transformations."""
    sets, _, k = loadings.shape
    made = np.empty_like(loadings)
    converged = np.zeros(sets, dtype=bool)
    for number in range(sets):
        source = loadings[number : number + 1]
        transform = np.eye(k)
        value, slope = criterion(source)
        length = 1.0
        for _ in range(steps):
            gradient = source[0].T @ slope[0]
            inner = transform.T @ gradient
            projected = gradient - transform @ (inner + inner.T) / 2
            size = float(np.sqrt((projected**2).sum()))
            if size < SLOPE:
                converged[number] = True
                break
            length *= 2
            for _attempt in range(11):
                left, _, right = np.linalg.svd(transform - length * projected)
                moved = left @ right
                reached, new_slope = criterion(source @ moved)
                if float(value[0] - reached[0]) > 0.5 * size**2 * length:
                    break
                length /= 2
            transform, value, slope = moved, reached, new_slope
        made[number] = source[0] @ transform
    return Rotated(made, np.broadcast_to(np.eye(k), (sets, k, k)).copy(), converged)


def _varimax(loadings: Matrix, *, steps: int = 1000) -> Rotated:
    """Rows normalised; each step turns to the nearest orthogonal matrix of the slope."""
    sets, p, k = loadings.shape
    lengths = np.sqrt((loadings**2).sum(axis=2, keepdims=True))
    rows = loadings / np.where(lengths == 0, 1.0, lengths)
    transform = np.broadcast_to(np.eye(k), (sets, k, k)).copy()
    gained = np.zeros(sets)
    converged = np.zeros(sets, dtype=bool)
    going = np.arange(sets)
    for _ in range(steps):
        source = rows[going]
        turned = source @ transform[going]
        slope = _turn(source) @ (turned**3 - turned * (turned**2).sum(axis=1, keepdims=True) / p)
        left, singular, right = np.linalg.svd(slope)
        transform[going] = left @ right
        before, after = gained[going], singular.sum(axis=1)
        gained[going] = after
        done = after < before * (1 + VARIMAX_GAIN)
        converged[going[done]] = True
        going = going[~done]
        if not len(going):
            break
    return Rotated(rows @ transform * lengths, np.broadcast_to(np.eye(k), (sets, k, k)).copy(), converged)


def _promax(loadings: Matrix) -> Rotated:
    """Least-squares fit of the varimax loadings to their own fourth powers, signs kept."""
    start = _varimax(loadings)
    simple = start.loadings
    powered = simple * np.abs(simple) ** (PROMAX_POWER - 1)
    turn = np.linalg.solve(_turn(simple) @ simple, _turn(simple) @ powered)
    lengths = np.diagonal(np.linalg.inv(_turn(turn) @ turn), axis1=1, axis2=2)
    turn = turn * np.sqrt(lengths)[:, np.newaxis, :]
    inverse = np.linalg.inv(turn)
    phi: Matrix = np.asarray(inverse @ _turn(np.asarray(inverse, dtype=float)), dtype=float)
    return Rotated(simple @ turn, phi, start.converged)


def _turn(stack: Matrix) -> Matrix:
    return stack.transpose(0, 2, 1)
