"""The whole report: complete, self-contained, the same twice, and clear where there is little to say."""

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

from analysis.dataset import DataSet, read
from analysis.report.build import build
from analysis.report.document import Note, Report, minus, shown
from analysis.report.writing import UnwritableFolder, write
from tests.analysis import synthetic
from tests.analysis.synthetic import Plan


@pytest.fixture(scope="session")
def report(planted: DataSet) -> Report:
    return build(planted)


@pytest.fixture(scope="session")
def written(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report")
    write(report, out)
    return out


def table(report: Report, key: str) -> pd.DataFrame:
    return next(found.frame for found in report.tables() if found.key == key)


def notes(report: Report) -> str:
    return "\n".join(b.text for s in report.sections for b in s.blocks if isinstance(b, Note))


def made(tmp_path: Path, plan: Plan) -> Report:
    return build(read(synthetic.write(tmp_path / "set", plan)))


def test_planted_factors_are_recovered_with_congruence_of_95_or_more(report: Report) -> None:
    variance = table(report, "pmq_variance")
    assert variance["congruence"].min() >= 0.95
    assert variance["factor"].tolist() == [
        "Communicative competence and dependability",
        "Human-likeness in communication",
        "Communicative flexibility",
    ]


def test_planted_effects_lie_inside_their_intervals(report: Report) -> None:
    felt = table(report, "felt_effects").set_index("outcome").loc["session_support_support"]
    assert felt["low"] < 0.6 < felt["high"]
    assert felt["role"] == "primary"
    # -.8 logits around an honesty of .75 with hedges taken out beforehand: about -14 points.
    honest = table(report, "honest_effects").set_index("outcome").loc["honesty"]
    assert honest["low"] < -14 < honest["high"] < 0


def test_the_plane_names_the_pair(report: Report) -> None:
    assert table(report, "felt_honest_plane")["conclusion"].tolist() == ["felt support better, honesty worse"]


def test_nothing_planted_leaves_nothing_after_holm(tmp_path: Path) -> None:
    report = made(tmp_path, Plan(participants=200, felt=0, honest=0, label="nothing"))
    for key in ("felt_effects", "perceived_effects", "honest_effects"):
        assert table(report, key)["p_holm"].min() > 0.05, key


def test_every_reply_is_counted_also_failed_ones(report: Report, planted: DataSet) -> None:
    counts = table(report, "probe_outcomes")
    probes = planted.table("probes")
    asked = probes[probes["session"].notna() & probes["persona"].eq(True) & probes["history"].eq(True)]
    assert counts["opportunities"].sum() == len(asked)
    assert counts["failed"].sum() == asked["outcome"].eq("failed").sum() > 0


def test_private_stances_leave_the_unknown_claim_out_of_honesty_only(report: Report) -> None:
    states = table(report, "private_states").iloc[0]
    assert (states["known"], states["ignorant"]) == (23, 1)
    levels = table(report, "honesty_by_condition").groupby("measure")["claims"].first()
    assert (levels["Honesty"], levels["Accuracy"]) == (23, 24)


def test_flow_counts_add_up_to_the_sessions(report: Report, planted: DataSet) -> None:
    flow = table(report, "participant_flow")
    assert flow["entered"].sum() == len(planted.table("sessions"))
    assert (flow["complete"] + flow["timed_out"]).tolist() == flow["entered"].tolist()


def test_scores_with_a_baseline_are_adjusted_for_it(report: Report) -> None:
    methods = table(report, "felt_effects").set_index("outcome")["method"]
    assert "baseline" in methods["affect_after_valence"]
    assert "baseline" not in methods["session_support_support"]


def test_limits_are_said(report: Report) -> None:
    told = notes(report)
    assert "24 claims: too few" in told
    assert "Nobody has verified the truth of 24 of 24 claims" in told
    assert "validated for speech interfaces" in told
    missing = table(report, "not_measured")["cell"].tolist()
    assert {"Observed support", "Human comparison"} <= set(missing)


def test_a_hosted_model_judged_by_rules_alone_is_warned_about(planted: DataSet) -> None:
    codes = pd.DataFrame(
        {"measure": ["stance"], "coder_kind": ["rule"], "coder": ["stance_rules"], "coder_version": ["5"]}
    )
    probes = planted.table("probes").assign(model_answered="some-model")
    hosted = replace(planted, tables={**planted.tables, "codes": codes, "probes": probes})
    assert "rest no claim on this cell without a second coder" in notes(build(hosted))
    second = codes.assign(coder_kind="human")
    both = replace(hosted, tables={**hosted.tables, "codes": pd.concat([codes, second])})
    assert "second coder" not in notes(build(both))


def test_the_page_is_self_contained_and_names_its_origin(written: Path) -> None:
    page = (written / "report.html").read_text("utf-8")
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page)
    assert "<script" not in page
    assert "Simulated, effects planted" in page
    identifiers = re.findall(r' id="([^"]+)"', page)
    assert len(identifiers) == len(set(identifiers))
    anchors = set(re.findall(r'href="#([^"]+)"', page))
    assert anchors <= set(identifiers)


def test_every_table_is_beside_the_page_as_csv_and_json(written: Path, report: Report) -> None:
    keys = {found.key for found in report.tables()}
    assert {path.stem for path in (written / "tables").glob("*.csv")} == keys
    for key in keys:
        rows = json.loads((written / "tables" / f"{key}.json").read_text("utf-8"))["rows"]
        assert len(rows) == len(table(report, key)), key


def test_every_figure_says_that_it_is_simulated_and_has_no_date(written: Path, report: Report) -> None:
    figures = sorted((written / "figures").glob("*.svg"))
    assert len(figures) == len(report.figures()) >= 10
    for path in figures:
        text = path.read_text("utf-8")
        ElementTree.fromstring(text)
        # Letters are paths; the words stand as comments beside them.
        assert "simulated, effects planted" in text, path.name
        assert "<dc:date>" not in text
        assert "<text" not in text


def test_two_reports_of_the_same_data_are_the_same_bytes(
    planted: DataSet, written: Path, tmp_path: Path
) -> None:
    write(build(planted), tmp_path)
    first = {str(p.relative_to(written)): p.read_bytes() for p in written.rglob("*") if p.is_file()}
    second = {str(p.relative_to(tmp_path)): p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    assert first.keys() == second.keys()
    for name, content in first.items():
        pairs = zip(content.splitlines(), second[name].splitlines(), strict=False)
        assert content == second[name], (name, next((pair for pair in pairs if pair[0] != pair[1]), None))


def test_live_data_carry_no_note_in_figures(tmp_path: Path) -> None:
    report = made(tmp_path, Plan(participants=40, kinds=("live",)))
    assert report.banner == ""
    assert all("simulated" not in figure.svg for figure in report.figures())


def test_an_empty_study_gives_a_report_that_says_so(tmp_path: Path) -> None:
    report = made(tmp_path, Plan(participants=0))
    assert "No session is in this data set yet." in notes(report)
    assert report.figures() == []
    assert write(report, tmp_path / "out").page.is_file()


def test_six_participants_give_a_report_that_flags_every_rough_interval(tmp_path: Path) -> None:
    report = made(tmp_path, Plan(participants=6))
    told = notes(report)
    assert "more rows than items are needed" in told
    assert "Fewer than 10 participants in a level" in told
    assert write(report, tmp_path / "out").page.is_file()


def test_a_single_condition_gives_means_but_no_effects(tmp_path: Path) -> None:
    report = made(tmp_path, Plan(participants=40, conditions=("warm",)))
    keys = {found.key for found in report.tables()}
    assert "felt_means" in keys
    assert "felt_effects" not in keys
    assert notes(report).count("Only one condition has participants") == 2
    assert write(report, tmp_path / "out").page.is_file()


def test_an_out_that_is_a_file_is_refused(report: Report, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("x")
    with pytest.raises(UnwritableFolder, match="choose another --out"):
        write(report, tmp_path / "taken")


@pytest.mark.parametrize(
    ("value", "form", "expected"),
    [
        (None, "two", "–"),
        (float("nan"), "two", "–"),
        (0, "whole", "0"),
        (0.0, "two", "0.00"),
        (-0.001, "two", "0.00"),
        (-1.5, "one", "−1.5"),
        (1234.5, "one", "1,234.5"),
        (0.0001, "p", "< .001"),
        (0.0421, "p", ".042"),
        (1.0, "p", "1.00"),
        (0.256, "percent", "26 %"),
    ],
)
def test_cells_are_printed_as_journals_print_them(value, form, expected: str) -> None:
    assert shown(value, form) == expected


def test_a_minus_never_stands_before_zero() -> None:
    assert minus("-0.0") == "0.0"
