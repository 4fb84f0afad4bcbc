"""``python -m analysis describe``: items one by one."""

from __future__ import annotations

from analysis.cli import options
from analysis.cli.running import finish, items_from, refusing


def describe(
    data: options.Data,
    items: options.Items = None,
    condition: options.Condition = None,
    pooled: options.Pooled = False,
    reverse: options.Reverse = None,
    missing: options.Missing = None,
    scale: options.Scale = None,
    sep: options.Sep = None,
    encoding: options.Encoding = None,
    mixed: options.Mixed = False,
    as_json: options.AsJson = False,
    out: options.Out = None,
) -> None:
    """Describe items: statistics, floor and ceiling, item-rest correlations, missing answers, histograms.

    Example: python -m analysis describe survey.csv --items 'q*' --missing 99
    """
    with refusing():
        # Imported here, so that --help answers at once.
        from analysis.describe import describe as described
        from analysis.describe_page import page, plain

        found = described(
            items_from(
                data, items=items, condition=condition, pooled=pooled, reverse=reverse, missing=missing,
                scale=scale, sep=sep, encoding=encoding, mixed=mixed,
            )
        )  # fmt: skip
        finish(page(found), plain(found), as_json=as_json, out=out)
