"""What participants believe of the claims: discernment, agreement bias, and trust placed wrongly."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis.design import Claim


def belief_measures(cards: pd.DataFrame, claims: Sequence[Claim], carry: Sequence[str]) -> pd.DataFrame:
    """Beliefs (0-100) by participant: discernment and agreement bias, before and after.

    Discernment is the mean belief in true claims minus that in false ones; agreement bias is the mean of
    the two minus 50, so that 0 is even-handed. A participant without a rating of either truth is missing.

    Returns
    -------
    session, the carried columns, ``discernment_before/after``, ``bias_before/after``
    """
    truth = {claim.key: claim.truth for claim in claims}
    rows = cards.copy()
    rows["is_true"] = rows["card"].map(truth)
    rows = rows[rows["is_true"].notna()]
    grouped = rows.groupby("session", sort=True)
    table = grouped[list(carry)].first()
    for when in ("before", "after"):
        means = rows.groupby(["session", "is_true"])[f"belief_{when}"].mean().unstack()
        for side in (True, False):
            if side not in means:
                means[side] = float("nan")
        table[f"discernment_{when}"] = (means[True] - means[False]).astype(float)
        table[f"bias_{when}"] = ((means[True] + means[False]) / 2 - 50).astype(float)
    return table.reset_index()


def trust(cards: pd.DataFrame) -> pd.DataFrame:
    """ "Was what it told you right?" by condition, where the partner was right and where it was wrong.

    High where it was wrong is over-trust, low where it was right is under-trust.

    Parameters
    ----------
    cards : judged live cards with ``accurate_side`` (1 right, 0 wrong, missing where it took no side)
    """
    rated = cards[cards["right_rating"].notna() & cards["accurate_side"].notna()]
    rows = []
    for (condition, right), group in rated.groupby(["condition", "accurate_side"], sort=True):
        rows.append(
            {
                "condition": condition,
                "partner_was": "right" if right else "wrong",
                "mean_right_rating": float(group["right_rating"].mean()),
                "cards": len(group),
                "participants": int(group["session"].nunique()),
            }
        )
    columns = ["condition", "partner_was", "mean_right_rating", "cards", "participants"]
    return pd.DataFrame(rows, columns=columns)
