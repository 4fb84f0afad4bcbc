"""The first section: the three primary effects and the felt-honest plane."""

from __future__ import annotations

from analysis.figures import svg
from analysis.report.document import Block, Column, Figure, Note, Section, Table, Text
from analysis.report.felt import CONTRAST_COLUMNS, contrast_frame
from analysis.report.results import Results


def glance(results: Results) -> Section:
    """The three primary effects, and the felt-honest plane."""
    chosen = [c for c in results.contrasts("felt", "perceived", "honest") if c.role == "primary"]
    chosen.sort(key=lambda contrast: ("felt", "perceived", "honest").index(contrast.family))
    blocks: list[Block] = []
    if not chosen:
        reason = results.effects.missing[0] if results.effects.missing else "there are no outcomes"
        blocks.append(Note(f"No effect could be estimated. {reason[0].upper()}{reason[1:]}."))
        return Section("glance", "At a glance", tuple(blocks))
    frame = contrast_frame(chosen)
    frame["shown"] = frame["label"]
    frame["cell"] = frame["family"].map(
        {"felt": "felt support", "perceived": "perceived honesty", "honest": "honesty, by evidence"}
    )
    blocks.append(
        Table(
            "primary_effects",
            "The primary effect of each cell with its 95 % interval. Each stands in its own unit: no number "
            "combines them.",
            frame,
            (
                Column("cell", "Cell", "tight"),
                *(c for c in CONTRAST_COLUMNS if c.name not in ("p_holm", "method")),
            ),
        )
    )
    plane = results.plane
    if plane is None:
        blocks.append(
            Note(
                "The felt-honest plane needs a felt and an honest effect of the same contrast; one is "
                "missing."
            )
        )
        return Section("glance", "At a glance", tuple(blocks))
    conclusions = "; ".join(
        f"{point.felt.factor}, {point.felt.level} against {point.felt.reference}: {point.conclusion}"
        for point in plane.points
    )
    shaded = (
        " The shaded box holds effects smaller than the study's smallest effects of interest."
        if plane.smallest_felt and plane.smallest_honest
        else ""
    )
    blocks += [
        Text(f"{conclusions[0].upper()}{conclusions[1:]}."),
        Figure(
            "felt_honest_plane",
            "The felt-honest plane: the effect on felt support across, the effect on honesty up, both with "
            "95 % "
            "intervals. A direction is called unresolved where its interval holds zero, which is no "
            "evidence of "
            f"equality.{shaded}",
            svg(plane.plot(results.data.note)),
            conclusions,
        ),
        Table(
            "felt_honest_plane",
            "The plane in numbers.",
            plane.to_frame(),
            (
                Column("factor", "Factor"),
                Column("level", "Level"),
                Column("reference", "Against"),
                Column("felt_estimate", "Felt, scale points", "two"),
                Column("honest_estimate", "Honesty, percentage points", "one"),
                Column("conclusion", "Conclusion"),
            ),
        ),
    ]
    return Section("glance", "At a glance", tuple(blocks))
