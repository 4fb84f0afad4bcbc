"""Which scores of a study are outcomes of which cell, with their range, baseline and label."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.codebook import Entry
from analysis.dataset import DataSet

PRIMARY_CELLS = ("felt", "perceived")
# A slider has labels at its ends too, but its range is wider than any list of choices.
WIDEST_CHOICE = 20
# Where a study declares no primary outcome, these are usual for one conversation.
USUAL_PRIMARY = {"felt": "session_support", "perceived": "sincere"}


@dataclass(frozen=True)
class Outcome:
    """A score asked after allocation; ``baseline`` is the same score's column before it, if any."""

    entry: Entry
    label: str
    unit: str
    baseline: str | None
    role: str

    @property
    def column(self) -> str:
        """Its column of the wide table."""
        return self.entry.column


def label_of(data: DataSet, entry: Entry) -> str:
    """A name for tables and figures: the scale's, and the score's or item's where the scale has several."""
    scale = data.scales.get(data.design.scale_of(entry.scale), {})
    name = str(scale.get("name", entry.scale))
    if entry.item:
        return f"{name}: {entry.item.replace('_', ' ')}"
    scores = scale.get("scores", [])
    if len(scores) < 2:
        return name
    for score in scores:
        if score["key"] == entry.score:
            return f"{name}: {score.get('label', entry.score)}"
    return f"{name}: {entry.score.replace('_', ' ')}"


def unit_of(entry: Entry) -> str:
    """Scale points with their range."""
    if entry.minimum is None or entry.maximum is None:
        return "scale points"
    return f"points ({entry.minimum:g} to {entry.maximum:g})"


def measured(data: DataSet, construct: str) -> list[Entry]:
    """Scores of a construct; of a scale without scores its items that are amounts.

    Ratings of claims are no outcome each: they are gathered by participant (see ``analysis.beliefs``).
    """
    claims = {claim.key for claim in data.design.claims}
    found = []
    for asking in data.codebook.askings():
        scores = data.codebook.scores(asking)
        items = data.codebook.items(asking)
        if scores:
            found += [entry for entry in scores if entry.construct == construct]
        elif not set(items) <= claims:
            found += [
                entry
                for entry, _ in items.values()
                if entry.construct == construct and entry.reach and not is_choice(entry)
            ]
    return found


def is_choice(entry: Entry) -> bool:
    """Whether an item's values are names rather than amounts: labelled, and no slider."""
    return bool(entry.labels) and (entry.reach is None or entry.reach <= WIDEST_CHOICE)


def outcomes(data: DataSet, construct: str) -> list[Outcome]:
    """Outcomes of a cell asked after allocation, the primary one first."""
    early = data.design.askings_before_allocation()
    entries = [entry for entry in measured(data, construct) if entry.scale not in early]
    chosen = primary(data, construct, entries)
    made = []
    for entry in entries:
        baseline = _baseline(data, entry)
        role = "primary" if entry is chosen and construct in PRIMARY_CELLS else "secondary"
        made.append(Outcome(entry, label_of(data, entry), unit_of(entry), baseline, role))
    return sorted(made, key=lambda outcome: outcome.role != "primary")


def primary(data: DataSet, construct: str, entries: list[Entry]) -> Entry | None:
    """The declared primary outcome of a cell, else the usual one, else the first asked."""
    declared = data.design.primary.get(construct)
    if declared is not None:
        for entry in entries:
            if entry.key == declared.outcome:
                return entry
            scale, _, score = declared.outcome.partition(".")
            if entry.score == score and data.design.scale_of(entry.scale) == scale:
                return entry
    usual = USUAL_PRIMARY.get(construct, "")
    for entry in entries:
        if usual and usual in f"{entry.scale}.{entry.score}":
            return entry
    return entries[0] if entries else None


def _baseline(data: DataSet, entry: Entry) -> str | None:
    asking = data.design.baseline_of(entry.scale)
    if asking is None:
        return None
    for candidate in data.codebook.table("wide"):
        same = (candidate.item, candidate.score) == (entry.item, entry.score)
        if candidate.scale == asking and same:
            return candidate.column
    return None
