"""What a model implies: covariances, means, and their derivatives, for all groups at once.

The reticular action model (McArdle & McDonald 1984): items and factors are nodes; A holds every arrow
(loadings and regressions), S every variance and covariance, m every intercept. The first p nodes are
observed. With :math:`E = (I - A)^{-1}` and F its first p rows,

.. math:: \\Sigma = F E S E^\\top F^\\top, \\qquad \\mu = F E m.

Every first derivative of :math:`\\Sigma` is a symmetrised outer product
:math:`s (u v^\\top + v u^\\top)`, so that gradients, information and second derivatives are products of a
few small Gram matrices, without one matrix a parameter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.cfa.parameters import ParameterTable

Array = NDArray[np.float64]
Index = NDArray[np.intp]


@dataclass(frozen=True)
class Structure:
    """Where each parameter stands in the matrices.

    Attributes
    ----------
    table : the parameters
    p, nodes : observed variables; observed and latent ones
    arrows, spreads, offsets : fixed values of A (G, nodes, nodes), S and m (G, nodes)
    kind, row, col : (C,) of each cell that is free in some group: 0 for A, 1 for S, 2 for m, in this order
    owner : (G, C) free parameter of a cell, -1 where it is fixed in that group
    select : (G, q, C), 1 where a cell belongs to a parameter
    """

    table: ParameterTable
    p: int
    nodes: int
    arrows: Array
    spreads: Array
    offsets: Array
    kind: Index
    row: Index
    col: Index
    owner: Index
    select: Array

    @property
    def q(self) -> int:
        """Free parameters."""
        return int(self.select.shape[1])

    @property
    def of_covariance(self) -> int:
        """Cells of A and S, which come before those of m."""
        return int((self.kind < 2).sum())

    def matrices(self, theta: Array) -> tuple[Array, Array, Array]:
        """A, S and m at given values of the free parameters (q,)."""
        a, s, m = self.arrows.copy(), self.spreads.copy(), self.offsets.copy()
        group, cell = np.nonzero(self.owner >= 0)
        values = theta[self.owner[group, cell]]
        row, col, kind = self.row[cell], self.col[cell], self.kind[cell]
        here = kind == 0
        a[group[here], row[here], col[here]] = values[here]
        here = kind == 1
        s[group[here], row[here], col[here]] = values[here]
        s[group[here], col[here], row[here]] = values[here]
        here = kind == 2
        m[group[here], row[here]] = values[here]
        return a, s, m

    def implied(self, theta: Array) -> Implied:
        """What the model says of covariances and means, with all that derivatives need."""
        a, s, m = self.matrices(theta)
        try:
            total = np.asarray(np.linalg.inv(np.eye(self.nodes) - a), dtype=float)
        except np.linalg.LinAlgError:
            # A circle of effects that adds up to one: nothing finite is implied here.
            total = np.full_like(a, np.nan)
        full = total @ s @ np.swapaxes(total, 1, 2)
        full = (full + np.swapaxes(full, 1, 2)) / 2
        location = np.einsum("gij,gj->gi", total, m)
        return Implied(self, a, s, m, total, full, location)

    def to_parameters(self, cells: Array) -> Array:
        """Sum (G, C) over the cells of each parameter: (q,)."""
        return np.asarray(np.einsum("gqc,gc->q", self.select, cells))

    def to_parameters2(self, cells: Array) -> Array:
        """The same for (G, C, C): (q, q)."""
        made = self.select @ cells @ np.swapaxes(self.select, 1, 2)
        return np.asarray(made.sum(axis=0))


@dataclass(frozen=True)
class Implied:
    """A model at given values.

    Attributes
    ----------
    arrows, spreads, offsets : A, S (G, nodes, nodes), m (G, nodes)
    total : E, total effects (G, nodes, nodes)
    full : covariances of all nodes (G, nodes, nodes)
    location : means of all nodes (G, nodes)
    """

    structure: Structure
    arrows: Array
    spreads: Array
    offsets: Array
    total: Array
    full: Array
    location: Array

    @property
    def cov(self) -> Array:
        """(G, p, p) covariances of the observed variables."""
        p = self.structure.p
        return self.full[:, :p, :p]

    @property
    def mean(self) -> Array:
        """(G, p) their means."""
        return self.location[:, : self.structure.p]

    def tangents(self) -> Tangents:
        """First derivatives as outer products."""
        at = self.structure
        loads, covers = self.total[:, : at.p, :], self.full[:, : at.p, :]
        c = at.of_covariance
        u = loads[:, :, at.row[:c]]
        arrow = at.kind[:c] == 0
        v = np.where(arrow, covers[:, :, at.col[:c]], loads[:, :, at.col[:c]])
        scale = np.where(~arrow & (at.row[:c] == at.col[:c]), 0.5, 1.0)
        cells = len(at.kind)
        mean = np.zeros((len(self.total), at.p, cells))
        arrows = int(arrow.sum())
        mean[:, :, :arrows] = u[:, :, :arrows] * self.location[:, None, at.col[:arrows]]
        mean[:, :, c:] = loads[:, :, at.row[c:]]
        return Tangents(u, v, scale, mean)

    def curvature(self, tangents: Tangents, q: Array, r: Array) -> Array:
        r"""Second derivatives in the directions q and r.

        .. math:: H_{ab} = \mathrm{tr}(Q \, \partial_a \partial_b \Sigma) + r^\top \partial_a \partial_b \mu

        Parameters
        ----------
        q : (G, p, p), symmetric
        r : (G, p)

        Returns
        -------
        (G, C, C) over cells
        """
        at, c = self.structure, self.structure.of_covariance
        n_a = int((at.kind == 0).sum())
        cells = len(at.kind)
        made = np.zeros((len(self.total), cells, cells))
        if n_a == 0:
            return made
        qu = q @ tangents.u
        uu = np.swapaxes(tangents.u, 1, 2) @ qu  # (G, c, c): u_a' Q u_b
        uv = np.swapaxes(qu, 1, 2) @ tangents.v  # u_a' Q v_b
        i, j = at.row[:n_a], at.col[:n_a]
        back = self.total[:, j[:, None], i[None, :]]  # E[j_a, i_b]
        forth = np.swapaxes(back, 1, 2)  # E[j_b, i_a]
        made[:, :n_a, :n_a] = 2 * (
            forth * np.swapaxes(uv[:, :n_a, :n_a], 1, 2)
            + self.full[:, j[:, None], j[None, :]] * uu[:, :n_a, :n_a]
            + back * uv[:, :n_a, :n_a]
        )
        ru = np.einsum("gp,gpc->gc", r, tangents.u[:, :, :n_a])
        along = self.location[:, j]
        made[:, :n_a, :n_a] += ru[:, None, :] * forth * along[:, :, None]
        made[:, :n_a, :n_a] += ru[:, :, None] * back * along[:, None, :]
        k, l_ = at.row[n_a:c], at.col[n_a:c]
        mixed = (
            2
            * tangents.scale[n_a:]
            * (
                uu[:, :n_a, n_a:] * self.total[:, j[:, None], l_[None, :]]
                + uv[:, :n_a, n_a:] * self.total[:, j[:, None], k[None, :]]
            )
        )
        made[:, :n_a, n_a:c] = mixed
        made[:, n_a:c, :n_a] = np.swapaxes(mixed, 1, 2)
        shift = ru[:, :, None] * self.total[:, j[:, None], at.row[c:][None, :]]
        made[:, :n_a, c:] = shift
        made[:, c:, :n_a] = np.swapaxes(shift, 1, 2)
        return made


@dataclass(frozen=True)
class Tangents:
    """First derivatives: of the covariances ``scale * (u v' + v u')`` a cell, of the means ``mean``.

    Attributes
    ----------
    u, v : (G, p, c) for the c cells of A and S
    scale : (c,), one half for variances
    mean : (G, p, C) for all cells
    """

    u: Array
    v: Array
    scale: Array
    mean: Array

    def slope(self, q: Array, r: Array) -> Array:
        r"""(G, C): :math:`\mathrm{tr}(Q \, \partial \Sigma) + r^\top \partial \mu` a cell."""
        made = np.einsum("gp,gpc->gc", r, self.mean)
        made[:, : len(self.scale)] += 2 * self.scale * np.einsum("gpc,gpc->gc", self.u, q @ self.v)
        return np.asarray(made)

    def information(self, w: Array) -> Array:
        r"""(G, C, C): :math:`\tfrac12 \mathrm{tr}(W \partial_a\Sigma\, W \partial_b\Sigma) +
        \partial_a\mu^\top W \partial_b\mu`."""
        made = np.swapaxes(self.mean, 1, 2) @ w @ self.mean
        wv = w @ self.v
        uu = np.swapaxes(self.u, 1, 2) @ w @ self.u
        vv = np.swapaxes(self.v, 1, 2) @ wv
        uv = np.swapaxes(self.u, 1, 2) @ wv
        c = len(self.scale)
        made[:, :c, :c] += np.outer(self.scale, self.scale) * (uu * vv + uv * np.swapaxes(uv, 1, 2))
        return np.asarray(made)

    def product(self, x: Array, y: Array) -> Array:
        r"""(G, c, c): :math:`\mathrm{tr}(X \partial_a\Sigma\, Y \partial_b\Sigma)` over cells of A and S."""
        u, v = self.u, self.v
        ut, vt = np.swapaxes(u, 1, 2), np.swapaxes(v, 1, 2)
        xu, xv, yu, yv = x @ u, x @ v, y @ u, y @ v
        xuv, yuv = ut @ xv, ut @ yv
        made = np.swapaxes(yuv, 1, 2) * xuv + (vt @ yv) * (ut @ xu)
        made += (ut @ yu) * (vt @ xv) + yuv * np.swapaxes(xuv, 1, 2)
        return np.asarray(np.outer(self.scale, self.scale) * made)

    def along(self, z: Array) -> Array:
        r"""(G, p, c): :math:`\partial\Sigma\, z` a cell of A and S, for vectors z (G, p)."""
        uz = np.einsum("gpc,gp->gc", self.u, z)
        vz = np.einsum("gpc,gp->gc", self.v, z)
        return np.asarray(self.scale * (self.u * vz[:, None, :] + self.v * uz[:, None, :]))

    def moments(self, means: bool) -> Array:
        """(G, C, m) derivatives of moments: means first (if any), then covariances i >= j row by row."""
        p, c = self.u.shape[1], len(self.scale)
        i, j = np.tril_indices(p)
        cells = self.mean.shape[2]
        of_cov = np.zeros((len(self.u), cells, len(i)))
        made = self.u[:, i, :] * self.v[:, j, :] + self.v[:, i, :] * self.u[:, j, :]
        of_cov[:, :c, :] = np.swapaxes(made * self.scale, 1, 2)
        if not means:
            return of_cov
        return np.concatenate([np.swapaxes(self.mean, 1, 2), of_cov], axis=2)


def structure_of(table: ParameterTable, cov: Array, mean: Array) -> Structure:
    """Place the parameters of a table in the matrices.

    Parameters
    ----------
    cov, mean : (G, p, p) and (G, p) of the sample, for the moments of predictors that are taken from it
    """
    position = {name: i for i, name in enumerate((*table.observed, *table.latents))}
    p, nodes, groups = len(table.observed), len(position), len(table.groups)
    a, s, m = np.zeros((groups, nodes, nodes)), np.zeros((groups, nodes, nodes)), np.zeros((groups, nodes))
    cells: dict[tuple[int, int, int], dict[int, int]] = {}
    for row in table.rows:
        kind, i, j = cell_of(row.op, position[row.lhs], position.get(row.rhs, 0))
        if row.free >= 0:
            cells.setdefault((kind, i, j), {})[row.group] = row.free
            continue
        value = row.value
        if row.sampled:
            value = float(mean[row.group, i] if kind == 2 else cov[row.group, i, j])
        if kind == 0:
            a[row.group, i, j] = value
        elif kind == 1:
            s[row.group, i, j] = s[row.group, j, i] = value
        else:
            m[row.group, i] = value
    order = sorted(cells)
    owner = np.full((groups, len(order)), -1, dtype=np.intp)
    select = np.zeros((groups, table.q, len(order)))
    for c, cell in enumerate(order):
        for group, free in cells[cell].items():
            owner[group, c] = free
            select[group, free, c] = 1.0
    places: Any = np.array(order, dtype=np.intp).reshape(len(order), 3)
    return Structure(table, p, nodes, a, s, m, places[:, 0], places[:, 1], places[:, 2], owner, select)


def cell_of(op: str, left: int, right: int) -> tuple[int, int, int]:
    """Matrix (0 A, 1 S, 2 m), row and column of a parameter between two nodes."""
    if op == "=~":
        return 0, right, left
    if op == "~":
        return 0, left, right
    if op == "~~":
        return 1, max(left, right), min(left, right)
    return 2, left, 0
