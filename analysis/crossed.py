"""Means and differences over items answered by many participants, with both sampled.

An honesty probe belongs to a participant's conversation *and* to a claim. An interval that honours only
one of the two is too short. The estimators here weigh items equally and add what participants contribute
beyond what the spread over items already shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from analysis.errors import TooFewData
from analysis.wording import counted


@dataclass(frozen=True)
class CrossedEstimate:
    """A weighted mean over items, or its difference between two groups of participants.

    Attributes
    ----------
    estimate, low, high, se : in units of the value (a proportion for 0/1 values)
    se_items : standard error from the spread over items alone
    se_participants : standard error participants add beyond it (0 where they add nothing)
    df : t degrees of freedom, items - 1 (Welch's for two kinds of items)
    p : two-sided, against zero
    items, participants, n : how many went in; ``n`` counts opportunities
    dropped_items : items without an opportunity in one of the groups
    """

    estimate: float
    low: float
    high: float
    se: float
    se_items: float
    se_participants: float
    df: float
    p: float
    items: int
    participants: int
    n: int
    dropped_items: tuple[str, ...]

    def summary(self) -> str:
        """Estimate with interval."""
        return (
            f"{self.estimate:.3f} [{self.low:.3f}, {self.high:.3f}], t({self.df:.1f}), "
            f"{self.items} items, {self.participants} participants"
        )


def crossed(
    frame: pd.DataFrame,
    value: str,
    *,
    participant: str = "session",
    item: str = "item",
    level: pd.Series | None = None,
    kinds: Mapping[str, float] | None = None,
    kind: str = "truth",
    confidence: float = 0.95,
) -> CrossedEstimate:
    r"""Estimate a mean (or, with ``level``, a difference) over items with a two-way interval.

    .. math:: \hat\theta = \sum_g \frac{a_g}{I_g} \sum_{i \in g} d_i, \qquad
              V = \sum_g \frac{a_g^2 s_g^2}{I_g} + \max(0,\; V_P - V_{PI})

    d is an item's mean, or its difference between the two groups; g are kinds of items with the weights
    a (one kind with weight 1 for a plain mean; true +1 and false -1 for discernment). V_P sums squared
    contributions by participant, V_PI by participant and item; both use residuals from the mean of the
    item in its group, so that V_P - V_PI is what one participant's opportunities share.

    Parameters
    ----------
    frame : one row an opportunity; rows without a value are left out
    value : column with the value (0/1 or a number)
    participant, item : columns naming the two crossed samples
    level : boolean per row, True for the level, False for the reference; None for a mean
    kinds : weight of each kind of item found in the column ``kind``; None for one kind of weight 1

    Raises
    ------
    TooFewData : fewer than two items of a kind, or a group without participants

    References
    ----------
    Cameron, Gelbach & Miller 2011, doi 10.1198/jbes.2010.07136 (two-way variance);
    Clark 1973, doi 10.1016/S0022-5371(73)80014-3 (items as a sample).

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [(f"s{s}", f"i{i}", s < 3, float((s + i) % 2)) for s in range(6) for i in range(4)]
    >>> d = pd.DataFrame(rows, columns=["session", "item", "warm", "value"])
    >>> crossed(d, "value", level=d["warm"]).items
    4
    """
    used = frame[frame[value].notna()]
    data = pd.DataFrame(
        {
            "participant": used[participant].astype(str),
            "item": used[item].astype(str),
            "y": used[value].astype(float),
            "kind": used[kind].astype(str) if kinds is not None else "all",
            "side": 1.0 if level is None else np.where(level.reindex(used.index).astype(bool), 1.0, -1.0),
        }
    )
    sides = 1 if level is None else 2
    if data["side"].nunique() < sides:
        raise TooFewData(f"no opportunity with a value in one of the two groups ({value})")
    cells = data.groupby(["kind", "item", "side"])["y"].agg(["mean", "size"]).reset_index()
    seen = cells.groupby(["kind", "item"])["side"].transform("size")
    dropped = tuple(sorted(set(cells.loc[seen < sides, "item"])))
    cells = cells[seen == sides]
    cells["signed"] = cells["mean"] * cells["side"]
    differences = cells.groupby(["kind", "item"])["signed"].sum()
    weights = {"all": 1.0} if kinds is None else {str(key): float(weight) for key, weight in kinds.items()}
    estimate, parts, counts = 0.0, [], {}
    for name, weight in weights.items():
        found = differences.loc[[name]] if name in differences.index.get_level_values(0) else differences[:0]
        if len(found) < 2:
            raise TooFewData(
                f"{counted(len(found), 'item')} of kind {name!r} for {value}: two or more are needed"
            )
        counts[name] = len(found)
        estimate += weight * float(found.mean())
        parts.append((weight**2 * float(found.var(ddof=1)) / len(found), len(found) - 1))
    data = data.merge(cells[["kind", "item", "side", "mean", "size"]], on=["kind", "item", "side"])
    data = data[data["kind"].isin(list(weights))]
    share = data["kind"].map(weights) / data["kind"].map(counts) * data["side"] / data["size"]
    data["influence"] = share * (data["y"] - data["mean"])
    by_participant = float((data.groupby("participant")["influence"].sum() ** 2).sum())
    by_both = float((data.groupby(["participant", "item"])["influence"].sum() ** 2).sum())
    from_items = sum(variance for variance, _ in parts)
    from_participants = max(0.0, by_participant - by_both)
    se = float(np.sqrt(from_items + from_participants))
    spread = sum(variance**2 / df for variance, df in parts)
    df = from_items**2 / spread if spread > 0 else float(min(d for _, d in parts))
    reach = float(stats.t.ppf((1 + confidence) / 2, df)) * se
    p = float(2 * stats.t.sf(abs(estimate) / se, df)) if se > 0 else float(estimate == 0)
    return CrossedEstimate(
        estimate=estimate,
        low=estimate - reach,
        high=estimate + reach,
        se=se,
        se_items=float(np.sqrt(from_items)),
        se_participants=float(np.sqrt(from_participants)),
        df=float(df),
        p=p,
        items=sum(counts.values()),
        participants=int(data["participant"].nunique()),
        n=len(data),
        dropped_items=dropped,
    )
