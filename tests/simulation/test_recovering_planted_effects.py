"""The whole way, once with planted effects and once with none: simulate, export, report, and what comes back.

Four hundred simulated participants each, seed 1, on databases of their own and both at once. This takes
minutes; it is the test of the suite that takes longest.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
import yaml
from django.db import connection

from analysis import truth
from analysis.congruence import tucker
from launcher.locate import PROJECT
from tests import services

STUDY = "warm-and-plain"
PARTICIPANTS, SEED = 400, 1
EFFECTS = ("felt_effects", "perceived_effects", "process_effects", "check_effects", "honest_effects")
COUNTS = {
    "sessions": "SELECT count(*) FROM participation_session",
    "wide": "SELECT count(*) FROM participation_session",
    "responses": "SELECT count(*) FROM surveys_response",
    "messages": "SELECT count(*) FROM chat_message m JOIN chat_conversation c ON c.id = m.conversation_id "
    "WHERE c.kind <> 'fork'",
    # Dealt by draws; the Solomon share is dealt none.
    "cards": "SELECT coalesce(sum(jsonb_array_length(result -> 'rated')), 0) FROM participation_draw "
    "WHERE name = 'cards'",
    "codes": "SELECT count(*) FROM verdicts_code",
    "verdicts": "SELECT count(*) FROM verdicts_verdict",
    "probes": "SELECT count(*) FROM probes_fork",
    "events": "SELECT count(*) FROM participation_event",
}


@dataclass(frozen=True)
class Run:
    """One simulated study: its truth, data set, report, and the rows its database holds by table."""

    truth: truth.Truth
    data: Path
    report: Path
    counts: Mapping[str, int]

    @property
    def study(self) -> Mapping[str, Any]:
        return yaml.safe_load((self.data / "study.yaml").read_text(encoding="utf-8"))

    def rows(self, table: str) -> list[dict[str, Any]]:
        """A table of the report."""
        return json.loads((self.report / "tables" / f"{table}.json").read_text(encoding="utf-8"))["rows"]

    def effects(self) -> dict[str, dict[str, Any]]:
        """Estimated effects of all cells by outcome: a column of the wide table or a measure of probes."""
        return {
            f"probes_{row['outcome']}" if table == "honest_effects" else row["outcome"]: row
            for table in EFFECTS
            for row in self.rows(table)
        }


def _simulated(label: str, database: str, folder: Path) -> Run:
    """Run the commands as a researcher would, on a database of their own."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "studyapp.settings",
        "DATABASE_URL": services.database_url(database),
    }
    file = PROJECT / "studies" / "truths" / f"{label}.yaml"
    data, report = folder / "data", folder / "report"
    asked = ["--participants", str(PARTICIPANTS), "--seed", str(SEED), "--truth", str(file)]
    for command in (
        ["manage.py", "load_study", f"studies/{STUDY}.yaml", "--pilot"],
        ["manage.py", "simulate", STUDY, *asked],
        ["manage.py", "export", STUDY, "--out", str(data), "--only", "simulated"],
        ["-m", "analysis", "report", str(data), "--out", str(report)],
    ):
        done = subprocess.run(
            [sys.executable, *command],
            cwd=PROJECT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{' '.join(command)}:\n{done.stdout}{done.stderr}"
    with psycopg.connect(services.database_url(database)) as rows:
        counts = {}
        for name, query in COUNTS.items():
            (counts[name],) = rows.execute(query).fetchone()
    return Run(truth.read(file), data, report, counts)


@pytest.fixture(scope="module")
def runs(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Run]]:
    labels = ("planted", "nothing")
    source = services.template_of(connection.settings_dict["NAME"])
    names = {label: f"{source}_{label}" for label in labels}
    with psycopg.connect(services.database_url("postgres"), autocommit=True) as server:
        for name in names.values():
            server.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
            server.execute(f'CREATE DATABASE "{name}" TEMPLATE "{source}"')
        try:
            with ThreadPoolExecutor(len(labels)) as both:
                made = {
                    label: both.submit(_simulated, label, names[label], tmp_path_factory.mktemp(label))
                    for label in labels
                }
                yield {label: future.result() for label, future in made.items()}
        finally:
            for name in names.values():
                server.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


@pytest.fixture(scope="module")
def planted(runs: dict[str, Run]) -> Run:
    return runs["planted"]


@pytest.fixture(scope="module")
def nothing(runs: dict[str, Run]) -> Run:
    return runs["nothing"]


@pytest.mark.parametrize("label", ["planted", "nothing"])
def test_the_data_set_is_whole(runs: dict[str, Run], label: str) -> None:
    run = runs[label]
    manifest = json.loads((run.data / "manifest.json").read_text(encoding="utf-8"))
    rows = {}
    for name, facts in manifest["files"].items():
        assert hashlib.sha256((run.data / name).read_bytes()).hexdigest() == facts["sha256"], name
        if name.startswith("data/"):
            rows[name.split("description-")[1].removesuffix("_data.csv")] = facts["rows"]
    assert rows == dict(run.counts)
    assert rows["sessions"] == PARTICIPANTS
    assert manifest["simulated"] == {"label": label, "seed": SEED, "sha256": run.truth.sha256}


def test_the_planted_factors_of_the_partner_model_come_back(planted: Run) -> None:
    of_scale = planted.truth.scales["pmq"]
    rows = planted.rows("pmq_loadings")
    items = [row["item"] for row in rows]
    assert set(items) == set(of_scale.loadings)
    beside = {"item", "published_factor", "communality", "uniqueness"}
    found = np.array([[row[name] for name in row if name not in beside] for row in rows])
    wanted = np.array(
        [[of_scale.loading(item).get(name, 0.0) for name in of_scale.factors] for item in items]
    )
    congruences = np.abs(tucker(found, wanted))
    print("congruence with the planted factors:", congruences.max(axis=0).round(3))
    assert found.shape == wanted.shape
    assert sorted(congruences.argmax(axis=0)) == [0, 1, 2]
    assert congruences.max(axis=0).min() >= 0.95


def test_nine_in_ten_planted_effects_lie_inside_their_intervals(planted: Run) -> None:
    effects = planted.effects()
    wanted = truth.planted(planted.truth, planted.study)
    assert len(wanted) >= 15
    inside = {}
    for each in wanted:
        row = effects[each.outcome.replace(".", "_")]
        assert (row["factor"], row["level"], row["reference"]) == (each.factor, each.level, each.reference)
        inside[each.outcome] = row["low"] <= each.value <= row["high"]
        print(f"{each.outcome}: planted {each.value:.3f}, found {row['estimate']:.3f}", end=" ")
        print(f"({row['low']:.3f} to {row['high']:.3f}){'' if inside[each.outcome] else ' OUTSIDE'}")
    assert sum(inside.values()) >= 0.9 * len(inside), [name for name, held in inside.items() if not held]


def test_where_nothing_was_planted_nothing_is_found(nothing: Run) -> None:
    effects = nothing.effects()
    assert {each.value for each in truth.planted(nothing.truth, nothing.study)} == {0.0}
    for name, row in effects.items():
        print(f"{name}: {row['estimate']:.3f} ({row['low']:.3f} to {row['high']:.3f})", end=" ")
        print(f"Holm p = {row['p_holm']:.3f}")
    assert len(effects) >= 15
    assert {name for name, row in effects.items() if row["p_holm"] < 0.05} == set()
