"""Effects of the manipulated factors on scores of participants, in the units of the score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from analysis.design import Factor
from analysis.errors import TooFewData
from analysis.wording import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SMALL_GROUP = 10  # rows per level below which HC3 intervals are flagged


@dataclass(frozen=True)
class Contrast:
    """A level of a factor against its reference level.

    ``estimate``, ``low``, ``high`` are in ``unit``; ``p_holm`` is adjusted within ``family``, None until
    :func:`holm` was applied. ``n_level`` and ``n_reference`` count participants. ``method`` is what the
    interval honours.
    """

    family: str
    outcome: str
    label: str
    factor: str
    level: str
    reference: str
    estimate: float
    low: float
    high: float
    se: float
    df: float
    p: float
    n_level: int
    n_reference: int
    unit: str
    method: str
    role: str = "secondary"
    p_holm: float | None = None
    warnings: tuple[str, ...] = ()

    @property
    def direction(self) -> str:
        """``better`` or ``worse`` where the interval leaves out zero, else ``unresolved``."""
        if self.low > 0:
            return "better"
        return "worse" if self.high < 0 else "unresolved"

    def summary(self) -> str:
        """Estimate, interval and sizes in one line."""
        return (
            f"{self.label}, {self.factor} {self.level} - {self.reference}: {self.estimate:.2f} "
            f"[{self.low:.2f}, {self.high:.2f}] {self.unit}, n = {self.n_level} and {self.n_reference}"
        )


@dataclass(frozen=True)
class Effects:
    """Contrasts of a report, in order, and what could not be estimated (with the reason)."""

    contrasts: tuple[Contrast, ...]
    missing: tuple[str, ...]

    def family(self, *names: str) -> Effects:
        """Only the contrasts of the families named."""
        return Effects(tuple(c for c in self.contrasts if c.family in names), self.missing)

    def to_frame(self) -> pd.DataFrame:
        """One row a contrast."""
        columns = (
            "family", "role", "outcome", "label", "factor", "level", "reference", "estimate", "low", "high",
            "se", "df", "p", "p_holm", "n_level", "n_reference", "unit", "method",
        )  # fmt: skip
        rows = [{name: getattr(contrast, name) for name in columns} for contrast in self.contrasts]
        return pd.DataFrame(rows, columns=list(columns))

    def summary(self) -> str:
        """One line a contrast."""
        return "\n".join(contrast.summary() for contrast in self.contrasts) or "no contrast"

    def plot(self, note: str = "") -> Figure:
        """Intervals of all contrasts, a panel for each unit."""
        from analysis.effect_charts import forest

        return forest(self.contrasts, note)


def effects_on_score(
    frame: pd.DataFrame,
    score: str,
    factors: Sequence[Factor],
    *,
    family: str,
    label: str,
    baseline: str | None = None,
    unit: str = "scale points",
    role: str = "secondary",
) -> tuple[Contrast, ...]:
    r"""OLS of a score on the factors' main effects, with HC3 standard errors.

    .. math:: y = X\beta + e, \quad
              V = (X'X)^{-1} X' \mathrm{diag}\!\left(\frac{e_i^2}{(1-h_i)^2}\right) X (X'X)^{-1}

    With a baseline the model is an analysis of covariance: the (centred) baseline is one more column, and
    the contrast is the difference at equal baselines. Intervals use t with n - k degrees of freedom.

    Parameters
    ----------
    frame : one row a participant; rows lacking the score, the baseline or a factor are left out
    score, baseline : columns with numbers
    factors : each a column of level names; levels without rows are left out
    family : cell the contrast belongs to; multiplicity is handled within it
    unit : printed with every estimate

    Raises
    ------
    TooFewData : no factor with two rows each in its reference and another level, or levels that cannot
        be told apart

    References
    ----------
    MacKinnon & White 1985, doi 10.1016/0304-4076(85)90158-7; Long & Ervin 2000,
    doi 10.1080/00031305.2000.10474549. R: ``lmtest::coeftest(lm(y ~ f), vcov = sandwich::vcovHC)``.

    Examples
    --------
    >>> import pandas as pd
    >>> d = pd.DataFrame({"warmth": list("aaabbb"), "y": [1.0, 2, 3, 3, 4, 5]})
    >>> effects_on_score(d, "y", [Factor("warmth", ("a", "b"))], family="felt", label="y")[0].estimate
    2.0
    """
    needed = [score, *([baseline] if baseline else []), *(factor.name for factor in factors)]
    used = frame[needed].dropna()
    columns: list[NDArray[np.float64]] = [np.ones(len(used))]
    asked: list[tuple[Factor, str, int, int]] = []
    for factor in factors:
        present = used[factor.name].astype(str)
        n_reference = int((present == factor.reference).sum())
        for level in factor.levels[1:]:
            n_level = int((present == level).sum())
            if n_level == 0 or n_reference == 0:
                continue
            if min(n_level, n_reference) < 2:
                raise TooFewData(
                    f"{label}: {factor.name} has {counted(n_level, 'participant')} in "
                    f"{level!r} and {n_reference} in "
                    f"{factor.reference!r}; two in each are needed"
                )
            columns.append(np.asarray(present == level, dtype=float))
            asked.append((factor, level, n_level, n_reference))
    if not asked:
        raise TooFewData(
            f"{label}: no factor has participants with a value in its reference and in another level"
        )
    if baseline:
        start = used[baseline].to_numpy(dtype=float)
        if float(start.std()) > 0:
            columns.append(start - start.mean())
    x = np.column_stack(columns)
    y = used[score].to_numpy(dtype=float)
    n, k = x.shape
    if n <= k or np.linalg.matrix_rank(x) < k:
        raise TooFewData(f"{label}: {n} participants cannot tell {k - 1} effects apart; use fewer factors")
    bread = np.linalg.inv(x.T @ x)
    beta = bread @ x.T @ y
    leverage = np.einsum("ij,jk,ik->i", x, bread, x)
    adjusted = (y - x @ beta) / np.maximum(1 - leverage, 1e-12)
    variance = bread @ (x.T * adjusted**2) @ x @ bread
    reach = float(stats.t.ppf(0.975, n - k))
    made = []
    for position, (factor, level, n_level, n_reference) in enumerate(asked, start=1):
        estimate, se = float(beta[position]), float(np.sqrt(variance[position, position]))
        told = []
        if min(n_level, n_reference) < SMALL_GROUP:
            told.append(f"fewer than {SMALL_GROUP} participants in a level: the interval is rough")
        made.append(
            Contrast(
                family=family,
                outcome=score,
                label=label,
                factor=factor.name,
                level=level,
                reference=factor.reference,
                estimate=estimate,
                low=estimate - reach * se,
                high=estimate + reach * se,
                se=se,
                df=float(n - k),
                p=float(2 * stats.t.sf(abs(estimate) / se, n - k)) if se > 0 else float(estimate == 0),
                n_level=n_level,
                n_reference=n_reference,
                unit=unit,
                method="OLS, HC3" + (", adjusted for baseline" if baseline else ""),
                role=role,
                warnings=tuple(told),
            )
        )
    return tuple(made)


def holm(contrasts: Sequence[Contrast]) -> tuple[Contrast, ...]:
    """The same contrasts with Holm-adjusted p values within each family.

    References
    ----------
    Holm 1979, Scandinavian Journal of Statistics 6, 65-70. R: ``p.adjust(p, "holm")``.

    Examples
    --------
    >>> c = Contrast("felt", "y", "y", "w", "b", "a", 1, 0, 2, 1, 9, 0.02, 5, 5, "points", "OLS")
    >>> [round(x.p_holm, 3) for x in holm([c, replace(c, p=0.04)])]
    [0.04, 0.04]
    """
    adjusted: dict[int, float] = {}
    for family in dict.fromkeys(contrast.family for contrast in contrasts):
        members = sorted(
            (index for index, c in enumerate(contrasts) if c.family == family), key=lambda i: contrasts[i].p
        )
        running = 0.0
        for rank, index in enumerate(members):
            running = max(running, min(1.0, (len(members) - rank) * contrasts[index].p))
            adjusted[index] = running
    return tuple(replace(contrast, p_holm=adjusted[index]) for index, contrast in enumerate(contrasts))
