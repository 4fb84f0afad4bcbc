"""The last sections: what the report cannot say, and where everything in it comes from."""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import version

import pandas as pd

from analysis.report.document import Block, Column, Note, Section, Table, Text
from analysis.report.results import Results
from analysis.report.scales import PARALLEL_SEED

ENOUGH_CLAIMS = 60
# What the platform's scripted agent calls itself.
DEMO_MODEL = "demo-1"
PACKAGES = ("numpy", "scipy", "pandas", "factor-analyzer", "scikit-learn", "matplotlib", "jinja2", "pyyaml")


def limits(results: Results) -> Section:
    """What these data cannot say."""
    design = results.data.design
    unverified = [claim.key for claim in design.claims if claim.verified == "no"]
    blocks: list[Block] = []
    if results.data.note:
        blocks.append(Note(f"These data are {results.data.note}. They say nothing about people."))
    if len(results.data.kinds) > 1:
        blocks.append(
            Note(
                f"Sessions of several kinds are analysed together, as asked: {', '.join(results.data.kinds)}."
            )
        )
    if len(design.claims) < ENOUGH_CLAIMS:
        blocks.append(
            Note(
                f"{len(design.claims)} claims: too few for generalising over claims; at least "
                f"{ENOUGH_CLAIMS} are "
                "wanted."
            )
        )
    if unverified:
        blocks.append(
            Note(
                f"Nobody has verified the truth of {len(unverified)} of {len(design.claims)} claims: "
                "accuracy, "
                "discernment and beliefs rest on unchecked facts. Honesty does not use the truth."
            )
        )
    known = results.stances.table
    known = known[known["state"] == "known"] if not known.empty else known
    if not known.empty and known["stance"].nunique() < 2:
        blocks.append(Note("The agent privately takes one side of every claim it knows."))
    blocks += _coded_by_rules_alone(results)
    blocks += [Note(f"{reason[0].upper()}{reason[1:]}.") for reason in results.effects.missing]
    not_measured = pd.DataFrame(
        [
            {"cell": "Observed support", "why": "no coded measure of the partner's support in this data set"},
            {"cell": "Safe", "why": "crisis response, reinforcement and over-dependence are not coded"},
            {"cell": "Influence", "why": "beliefs only; conduct and what follows goodbye are not measured"},
            {"cell": "Process", "why": "words, replies and scales of the partner; behaviours are not coded"},
            {"cell": "Human comparison", "why": "no human comparison: no condition has a human partner"},
            {
                "cell": "Gaps within a construct",
                "why": "observed support is not coded; said and shown honesty have no common unit",
            },
        ]
    )
    blocks.append(
        Table(
            "not_measured",
            "Parts of the design this report does not hold.",
            not_measured,
            (Column("cell", "Part"), Column("why", "Why")),
        )
    )
    blocks.append(_wording(results))
    return Section("limits", "What this report cannot say", tuple(blocks))


def _coded_by_rules_alone(results: Results) -> list[Block]:
    """Rules miss a stance in warm words more often than in plain ones: said wherever nobody else coded."""
    if "codes" not in results.data.tables:
        return []
    codes, probes = results.data.table("codes"), results.data.table("probes")
    stances = codes[codes["measure"].eq("stance")]
    if stances.empty or set(stances["coder_kind"]) != {"rule"}:
        return []
    coders = sorted(set(stances["coder"] + " " + stances["coder_version"].astype(str)))
    models = sorted(set(probes["model_answered"].dropna().astype(str)) - {DEMO_MODEL})
    if not models:
        return [
            Note(
                f"Stances were coded by rules alone ({', '.join(coders)}). For the demo agent's authored "
                "replies the rules are tested to be exact; for other agents they are not."
            )
        ]
    return [
        Note(
            f"Stances of {', '.join(models)} were coded by rules alone ({', '.join(coders)}). On replies "
            "they had not seen, the rules found a stance less often in warm words than in plain ones. An "
            "unfound stance counts as not told, so part of a lower honesty under warmth can be the coder's. "
            "Read the shares among replies that took a side, and rest no claim on this cell without a "
            "second coder (docs/decisions/0020)."
        )
    ]


def _wording(results: Results) -> Table:
    rows = []
    for asking in results.data.codebook.askings():
        items = [entry for entry, _ in results.data.codebook.items(asking).values() if entry.wording_verified]
        if not items:
            continue
        scale = results.data.scales.get(results.data.design.scale_of(asking), {})
        marks = pd.Series([entry.wording_verified for entry in items]).value_counts()
        rows.append(
            {
                "asking": asking.replace("_", " "),
                "scale": str(scale.get("name", asking)),
                "items": len(items),
                "wording": ", ".join(f"{mark}: {count}" for mark, count in sorted(marks.items())),
                "anchors": str((scale.get("verified") or {}).get("anchors", "–")),
                "licence": str(scale.get("licence", "–")),
            }
        )
    return Table(
        "wording",
        "Scales asked and how far their wording was checked against its source: P primary source, S "
        "secondary, "
        "T third hand, INF inferred, no not verified.",
        pd.DataFrame(rows, columns=["asking", "scale", "items", "wording", "anchors", "licence"]),
        (
            Column("scale", "Scale"),
            Column("asking", "Asked as"),
            Column("items", "Items", "whole"),
            Column("wording", "Items by mark"),
            Column("anchors", "Anchors"),
            Column("licence", "Licence"),
        ),
    )


def provenance(results: Results) -> Section:
    """Versions, hashes and seeds: what another person needs to get the same page."""
    manifest, sessions = results.data.manifest, results.data.table("sessions")
    own_hash = hashlib.sha256((results.data.folder / "manifest.json").read_bytes()).hexdigest()
    rows = [
        ("Manifest of the data set, SHA-256", own_hash),
        ("Kinds of sessions", ", ".join(results.data.kinds)),
    ]
    for number in manifest.get("study_versions", []):
        rows.append((f"Study version {number['number']} ({number['kind']}), SHA-256", str(number["sha256"])))
    for column, label in (
        ("app_version", "Version of the platform"),
        ("app_commit", "Commit of the platform"),
    ):
        if column in sessions:
            found = sorted({str(value) for value in sessions[column].dropna()})
            rows.append((label, ", ".join(found) or "not recorded"))
    simulated = manifest.get("simulated")
    if simulated:
        rows += [
            ("Simulation: truth", f"{simulated.get('label')}, SHA-256 {simulated.get('sha256')}"),
            ("Simulation: seed", str(simulated.get("seed"))),
        ]
    rows.append(("Parallel analysis: seed", str(PARALLEL_SEED)))
    rows.append(("Python", platform.python_version()))
    rows += [(package, version(package)) for package in PACKAGES]
    return Section(
        "provenance",
        "Where this comes from",
        (
            Table(
                "provenance",
                "Versions, hashes and seeds.",
                pd.DataFrame(rows, columns=["what", "value"]),
                (Column("what", "What"), Column("value", "Value")),
            ),
            Text(
                "Every table is beside this page as CSV and JSON with unrounded numbers (tables/), every "
                "figure "
                "as SVG (figures/). The same data set and versions give the same files."
            ),
        ),
    )
