"""Sections about participants: flow, who they are by condition, and the quality of their data."""

from __future__ import annotations

import pandas as pd

from analysis.codebook import Entry
from analysis.outcomes import is_choice, label_of
from analysis.report.document import Block, Column, Note, Section, Table, Text, shown
from analysis.report.results import Results

NOT_ALLOCATED = "not allocated"


def flow(results: Results) -> Section:
    """Who came, was allocated and completed, by kind and condition."""
    sessions = results.data.table("sessions").copy()
    if sessions.empty:
        return Section("flow", "Participant flow", (Note("No session is in this data set yet."),))
    sessions["condition"] = sessions["condition"].fillna(NOT_ALLOCATED)
    sessions["study_version"] = sessions["study_version"].astype(str)
    statuses = [str(status) for status in sorted(sessions["status"].dropna().unique())]
    rows = []
    for kind, of_kind in sessions.groupby("kind", sort=True):
        for condition in [*results.conditions, NOT_ALLOCATED]:
            part = of_kind[of_kind["condition"] == condition]
            if part.empty:
                continue
            counts = part["status"].value_counts()
            rows.append(
                {
                    "kind": kind,
                    "condition": results.label(condition),
                    "entered": len(part),
                    **{status: int(counts.get(status, 0)) for status in statuses},
                    "completed_share": float(counts.get("complete", 0)) / len(part)
                    if condition != NOT_ALLOCATED
                    else None,
                }
            )
    columns = [
        Column("kind", "Kind"),
        Column("condition", "Condition"),
        Column("entered", "Entered", "whole"),
    ]
    columns += [Column(status, status.replace("_", " ").capitalize(), "whole") for status in statuses]
    columns.append(Column("completed_share", "Completed", "percent"))
    allocated = sessions[sessions["condition"] != NOT_ALLOCATED]
    text = (
        f"{len(sessions)} sessions, {len(allocated)} allocated to a condition, "
        f"{int((allocated['status'] == 'complete').sum())} of these completed. Analyses below use every "
        "allocated "
        "session that has the outcome in question: nobody is excluded for what happened after allocation, "
        "and "
        "each result says how many it rests on."
    )
    table = Table(
        "participant_flow",
        "Sessions by kind, condition and how they stand or ended.",
        pd.DataFrame(rows),
        tuple(columns),
    )
    return Section("flow", "Participant flow", (Text(text), table))


def demographics(results: Results) -> Section:
    """What was asked before allocation, by condition."""
    data = results.data
    early = data.design.askings_before_allocation()
    rows: list[dict[str, object]] = []
    for asking in data.codebook.askings():
        if asking not in early:
            continue
        scores = data.codebook.scores(asking)
        for entry in scores or [entry for entry, _ in data.codebook.items(asking).values()]:
            rows += _described(results, entry)
    if not rows or results.participants.empty:
        return Section(
            "demographics",
            "Participants by condition",
            (Note("Nothing was asked before allocation, or nobody was allocated."),),
        )
    frame = pd.DataFrame(rows)
    columns = (
        Column("question", "Asked before allocation"),
        Column("answer", "Answer"),
        *(Column(condition, results.label(condition), "tight") for condition in results.conditions),
    )
    table = Table(
        "demographics",
        "Participants by condition, as they were before allocation: counts with shares, or means with "
        "standard "
        "deviations. Differences here are chance, so they are not tested.",
        frame,
        columns,
        grouped=1,
    )
    return Section("demographics", "Participants by condition", (table,))


def _described(results: Results, entry: Entry) -> list[dict[str, object]]:
    people = results.participants
    if entry.column not in people or (entry.type == "string" and not entry.labels):
        return []
    values = people[entry.column]
    label = entry.description or label_of(results.data, entry)
    label = label_of(results.data, entry) if entry.score else label
    groups = [people["condition"] == condition for condition in results.conditions]
    if not is_choice(entry):
        row: dict[str, object] = {"question": label, "answer": "mean (SD)"}
        for condition, group in zip(results.conditions, groups, strict=True):
            numbers = values[group].dropna()
            row[condition] = f"{numbers.mean():.1f} ({numbers.std():.1f})" if len(numbers) > 1 else "–"
        return [row]
    rows = []
    for value, answer in [*entry.labels.items(), ("", "not answered")]:
        row = {"question": label, "answer": answer}
        for condition, group in zip(results.conditions, groups, strict=True):
            own = values[group]
            hit = own.isna() if value == "" else _holds(own, value)
            row[condition] = f"{int(hit.sum())} ({shown(float(hit.mean()), 'percent')})" if len(own) else "–"
        rows.append(row)
    return rows


def _holds(values: pd.Series, value: str) -> pd.Series:
    """Whether an answer is (or, where several may be ticked, holds) a value."""
    if values.dtype == float:
        return values == float(value)
    return values.map(lambda given: isinstance(given, str) and value in given.split(","))


def quality(results: Results) -> Section:
    """Indices of data quality by condition: reported, never applied silently."""
    sessions = results.data.table("sessions")
    sessions = sessions[sessions["condition"].notna()]
    wanted = {
        "minutes": ("Minutes in session", "median"),
        "missing_items": ("Items left without an answer", "mean"),
        "longstring_max": ("Longest run of one place on a page of scales", "mean"),
        "median_item_ms": ("Median time between answers, ms", "median"),
        "turns": ("Replies in the conversation", "mean"),
        "participant_words": ("Words the participant wrote", "mean"),
        "agent_words": ("Words the partner wrote", "mean"),
        "reports": ("Problems reported, in all", "sum"),
    }
    rows = []
    for column, (label, how) in wanted.items():
        if column not in sessions or sessions.empty:
            continue
        grouped = pd.to_numeric(sessions[column], errors="coerce").groupby(sessions["condition"])
        values = grouped.agg(how)
        rows.append({"index": label, "statistic": how, **{c: values.get(c) for c in results.conditions}})
    blocks: list[Block] = []
    if rows:
        blocks.append(
            Table(
                "data_quality",
                "Data quality by condition. These indices exclude nobody here.",
                pd.DataFrame(rows),
                (
                    Column("index", "Index"),
                    Column("statistic", "Statistic"),
                    *(Column(c, results.label(c), "one") for c in results.conditions),
                ),
            )
        )
        blocks.append(
            Text(
                "The words of the partner are a consequence of how it was set up, so no estimate below "
                "adjusts "
                "for them."
            )
        )
    else:
        blocks.append(Note("No allocated session, so no indices of data quality."))
    blocks += [Note(warning) for warning in results.data.warnings]
    return Section("quality", "Data quality", tuple(blocks))
