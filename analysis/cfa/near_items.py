"""Items that say nearly what a manipulation of warmth does, so that their shifts are effects on items."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from analysis.errors import UnknownName

# Partner Modelling Questionnaire; social presence; Feeling Heard Scale, items 8 and 9.
NEAR = (
    "warm", "empathetic", "personal", "social", "human_warmth", "human_sensitivity", "empathy", "insensitive",
)  # fmt: skip


def near_items(names: Sequence[str], given: Iterable[str] | None = None) -> tuple[str, ...]:
    """The manipulation-near items among the items of a model.

    Parameters
    ----------
    names : items of the model
    given : said by hand; None: found by the ends of names (``pmq_warm``, ``fhs7_insensitive_r``)

    Raises
    ------
    UnknownName : an item said by hand is not in the model

    Examples
    --------
    >>> near_items(["pmq_warm", "pmq_competent", "presence_human_warmth", "lukewarm"])
    ('pmq_warm', 'presence_human_warmth')
    """
    if given is not None:
        asked = tuple(dict.fromkeys(given))
        lacking = [name for name in asked if name not in names]
        if lacking:
            raise UnknownName(
                f"near items: the model has no item {', '.join(lacking)}; it has {', '.join(names)}"
            )
        return asked
    ends = "|".join(NEAR)
    pattern = re.compile(rf"(^|[^a-z])({ends})(_r)?$", re.IGNORECASE)
    return tuple(name for name in names if pattern.search(name))
