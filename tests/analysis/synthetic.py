"""Write data sets as docs/data-set.md describes them, with effects planted, without a database.

The demo study and the shipped scales are the ground, so that names, ranges and cells are real ones.
"""

import csv
import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from surveys import scale_file

ROOT = Path(__file__).resolve().parents[2]
STATED = ("for", "against", "none")


@dataclass
class Plan:
    """What to write. Effects are those of ``warm`` against ``default``."""

    participants: int = 200
    seed: int = 1
    conditions: tuple[str, ...] = ("default", "warm")
    felt: float = 0.6  # in points of the agree items
    honest: float = -0.8  # in logits
    label: str = "planted"
    kinds: tuple[str, ...] = ("simulated",)
    failed: float = 0.02
    study: dict[str, Any] = field(
        default_factory=lambda: yaml.safe_load((ROOT / "studies/warm-and-plain.yaml").read_text("utf-8"))
    )


def write(folder: Path, plan: Plan) -> Path:
    """Write the data set into ``folder`` (made if needed) and return it."""
    maker = _Maker(plan)
    maker.sessions()
    maker.private()
    return maker.save(folder)


class _Maker:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.rng = np.random.default_rng(plan.seed)
        self.study = plan.study
        self.factors = [factor["name"] for factor in self.study["factors"]]
        self.slugs = {condition["slug"]: condition for condition in self.study["conditions"]}
        self.claims = self.study["cards"]["claims"]
        self.offset = {claim["key"]: self.rng.normal(0, 0.6) for claim in self.claims}
        # The agent errs on every fifth claim and knows nothing of the last.
        self.held = {
            claim["key"]: claim["truth"] if number % 5 else not claim["truth"]
            for number, claim in enumerate(self.claims)
        }
        self.tables: dict[str, list[dict[str, Any]]] = {
            name: [] for name in ("sessions", "wide", "cards", "probes")
        }
        steps = [step for step in self.study["steps"] if step["kind"] == "scale"]
        often = [step["scale"] for step in steps]
        self.askings = [
            (step["key"] if often.count(step["scale"]) > 1 else step["scale"], scale_file.load(step["scale"]))
            for step in steps
        ]
        self.early = [step["key"] for step in self.study["steps"]]
        self.early = self.early[: self.early.index("allocation")]

    def sessions(self) -> None:
        for number in range(self.plan.participants):
            slug = self.plan.conditions[number % len(self.plan.conditions)]
            kind = self.plan.kinds[number % len(self.plan.kinds)]
            lead = self._lead(f"s{number:04d}", slug, kind)
            warm = float(self.slugs[slug]["warmth"] > 0)
            complete = self.rng.random() < 0.95
            solomon = self.rng.random() < 0.2
            common = {"participant": f"p{number:04d}", "status": "complete" if complete else "timed_out"}
            self.tables["sessions"].append(
                {
                    **lead, **common, "wave": 1, "minutes": round(float(self.rng.gamma(9, 1.3)), 2),
                    "solomon": solomon, "app_version": "0.1.0", "app_commit": "",
                    "missing_items": int(self.rng.poisson(0.4)), "longstring_max": int(self.rng.poisson(4)),
                    "median_item_ms": int(self.rng.gamma(9, 300)), "turns": int(self.rng.integers(4, 9)),
                    "participant_words": int(self.rng.poisson(80)),
                    "agent_words": int(self.rng.poisson(200 + 60 * warm)), "reports": 0,
                }
            )  # fmt: skip
            self.tables["wide"].append({**lead, **common, **self._answers(warm, complete)})
            self._probes(lead, warm)
            if not solomon:
                self._cards(lead, warm)

    def _lead(self, session: str, slug: str, kind: str) -> dict[str, Any]:
        levels = self.slugs[slug]["factors"] if slug else {}
        return {
            "session": session, "condition": slug, **{name: levels.get(name, "") for name in self.factors},
            "study_version": 1, "kind": kind,
        }  # fmt: skip

    def _answers(self, warm: float, complete: bool) -> dict[str, Any]:
        general = self.rng.normal()
        values: dict[str, Any] = {}
        for asking, scale in self.askings:
            if not complete and asking not in self.early and self.rng.random() < 0.7:
                continue
            effect = self.plan.felt * warm if scale.cell in ("felt", "process") else 0.0
            effect = 0.0 if asking in self.early else effect
            factors = {score.factor for score in scale.scores if score.factor}
            latent = {factor: 0.55 * general + 0.83 * self.rng.normal() for factor in sorted(factors)}
            common = 0.6 * general + 0.8 * self.rng.normal()
            of_item = {item: score.factor for score in scale.scores if score.factor for item in score.items}
            numbers: dict[str, float] = {}
            for item in scale.items:
                low, high = scale.bounds(item)
                if low is None or high is None or self.rng.random() < 0.01:
                    continue
                if scale.kind_of(item) == "choice":
                    numbers[item.key] = float(self.rng.choice([c.value for c in scale.choices_of(item)]))
                    continue
                source = latent.get(of_item.get(item.key, ""), common)
                width = (high - low) / 6
                drawn = (low + high) / 2 + width * (effect + 0.9 * source + 0.7 * self.rng.normal())
                drawn = low + high - drawn if item.reverse else drawn
                numbers[item.key] = float(np.clip(round(drawn), low, high))
            for key, value in numbers.items():
                values[f"{asking}_{key}"] = value
                if scale.item(key).reverse:
                    bounds = scale.bounds(scale.item(key))
                    values[f"{asking}_{key}_r"] = float(bounds[0] or 0) + float(bounds[1] or 0) - value
            for score in scale.scores:
                scored = [
                    values.get(f"{asking}_{item}_r", numbers.get(item))
                    for item in score.items
                    if numbers.get(item) is not None
                ]
                if len(scored) >= score.minimum_answered:
                    total = float(np.mean(scored)) if score.rule == "mean" else float(np.sum(scored))
                    values[f"{asking}_{score.key}"] = total
        return values

    def _told(self, claim: dict[str, Any], stated: str, warm: float) -> str:
        if self.rng.random() < self.plan.failed:
            return "failed"
        if self.rng.random() < 0.08:
            return str(self.rng.choice(["mixed", "uncommitted", "deflects", "refuses"]))
        held = self.held[claim["key"]]
        against = stated == ("against" if held else "for")
        logit = 1.6 + self.offset[claim["key"]] + self.plan.honest * warm - 0.8 * against
        honest = self.rng.random() < 1 / (1 + np.exp(-logit))
        return "asserts" if held == honest else "denies"

    def _probe(self, lead: dict[str, Any], claim: dict[str, Any], **more: Any) -> None:
        fork = len(self.tables["probes"]) + 1
        self.tables["probes"].append(
            {
                **lead, "fork": fork, "agent": "a1b2c3d4", "probe": claim["key"], "domain": claim["domain"],
                "truth": claim["truth"], "refusal": claim.get("refusal", "uncommitted"), "words": 20,
                "message": fork, "provider": "demo", "model_answered": "demo-1", "failure": "", **more,
            }
        )  # fmt: skip

    def _probes(self, lead: dict[str, Any], warm: float) -> None:
        chosen = self.rng.permutation(len(self.claims))[: self.study["probes"]["per_session"]]
        for position, number in enumerate(chosen):
            claim, stated = self.claims[number], STATED[position % 3]
            point = ("first", "middle", "last")[position % 3]
            for draw in range(1, self.study["probes"]["draws"] + 1):
                for persona in (True, False):
                    for history in (True, False):
                        self._probe(
                            lead, claim, battery="", point=point, turn=1, stated=stated, persona=persona,
                            history=history, draw=draw, outcome=self._told(claim, stated, warm * persona),
                        )  # fmt: skip

    def private(self) -> None:
        """Private draws: the last claim is not known (three to two)."""
        for claim in self.claims:
            for draw in range(1, self.study["probes"]["private_draws"] + 1):
                side = self.held[claim["key"]]
                if claim is self.claims[-1]:
                    side = draw % 2 == 0
                self._probe(
                    self._lead("", "", self.plan.kinds[0]), claim, battery="private", point="", turn=0,
                    stated="none", persona=False, history=False, draw=draw,
                    outcome="asserts" if side else "denies",
                )  # fmt: skip

    def _cards(self, lead: dict[str, Any], warm: float) -> None:
        chosen = self.rng.permutation(len(self.claims))[:6]
        for position, number in enumerate(chosen):
            claim, discussed = self.claims[number], position < 3
            stated = STATED[int(self.rng.integers(3))] if discussed else ""
            before = float(np.clip(round(self.rng.normal(55 if claim["truth"] else 45, 20)), 0, 100))
            asked = discussed and self.rng.random() < 0.95
            outcome = self._told(claim, stated, warm) if asked else ""
            shift = {"asserts": 15, "denies": -15}.get(outcome, 0)
            self.tables["cards"].append(
                {
                    **lead, "card": claim["key"], "domain": claim["domain"], "truth": claim["truth"],
                    "role": "discussed" if discussed else "rated_only", "stated": stated,
                    "opportunity": ("asked" if asked else "not_asked") if discussed else "",
                    "raised_in_turn": position + 1 if asked else "", "outcome": outcome,
                    "belief_before": before,
                    "belief_after": float(np.clip(round(before + shift + self.rng.normal(0, 8)), 0, 100)),
                    "right_rating": float(np.clip(round(self.rng.normal(60, 20)), 0, 100)) if asked else "",
                }
            )  # fmt: skip

    def save(self, folder: Path) -> Path:
        (folder / "data").mkdir(parents=True, exist_ok=True)
        (folder / "scales").mkdir(exist_ok=True)
        rows: dict[str, int | None] = {}
        codebook: list[dict[str, Any]] = []
        for name, table in self.tables.items():
            columns = self._columns(name)
            path = f"data/study-{self.study['slug'].replace('-', '')}_description-{name}_data.csv"
            _csv(folder / path, list(columns), table)
            rows[path] = len(table)
            codebook += [{"table": name, "column": column, **facts} for column, facts in columns.items()]
        header = (
            "table", "column", "type", "description", "scale", "item", "score", "construct", "minimum",
            "maximum", "labels", "reversed", "missing", "identifying", "wording_verified", "licence",
        )  # fmt: skip
        _csv(folder / "codebook.csv", list(header), codebook)
        texts = {"study.yaml": yaml.safe_dump(self.study, allow_unicode=True, sort_keys=False)}
        for _, scale in self.askings:
            texts[f"scales/{scale.key}.yaml"] = yaml.safe_dump(scale.document(), allow_unicode=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
        for name in ("codebook.csv", *texts):
            rows[name] = None
        kinds = sorted(set(self.plan.kinds))
        manifest = {
            "format": "plainheart-dataset",
            "version": 1,
            "study": self.study["slug"],
            "study_versions": [{"number": 1, "sha256": "0" * 64, "kind": "pilot"}],
            "kinds": kinds,
            "simulated": {"label": self.plan.label, "seed": self.plan.seed, "sha256": "1" * 64}
            if "simulated" in kinds
            else None,
            "files": {
                name: {
                    "sha256": hashlib.sha256((folder / name).read_bytes()).hexdigest(),
                    "bytes": (folder / name).stat().st_size,
                    "rows": count,
                }
                for name, count in sorted(rows.items())
            },
        }
        (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        return folder

    def _columns(self, name: str) -> dict[str, dict[str, Any]]:
        lead = ["session", "condition", *self.factors, "study_version", "kind"]
        found: dict[str, dict[str, Any]] = {column: {"type": "string"} for column in lead}
        if name == "wide":
            found |= {"participant": {"type": "string"}, "status": {"type": "string"}}
            for asking, scale in self.askings:
                found |= _scale_columns(asking, scale)
            return found
        numbers = {
            "sessions": "wave minutes missing_items longstring_max median_item_ms turns participant_words "
            "agent_words reports",
            "cards": "raised_in_turn belief_before belief_after right_rating",
            "probes": "fork turn draw words message",
        }[name].split()
        booleans = {"sessions": ["solomon"], "cards": ["truth"], "probes": ["truth", "persona", "history"]}[
            name
        ]
        texts = {
            "sessions": "participant status app_version app_commit",
            "cards": "card domain role stated opportunity outcome",
            "probes": "battery agent point probe domain stated outcome provider model_answered failure "
            "refusal",
        }[name].split()
        for columns, kind in ((texts, "string"), (numbers, "number"), (booleans, "boolean")):
            found |= {column: {"type": kind} for column in columns}
        return found


def _scale_columns(asking: str, scale: scale_file.Scale) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for item in scale.items:
        low, high = scale.bounds(item)
        labels = {str(choice.value): choice.label for choice in scale.choices_of(item)}
        labels = labels or {str(value): label for value, label in scale.anchors_of(item).items()}
        facts = {
            "type": "string" if low is None else "number",
            "scale": asking,
            "item": item.key,
            "construct": scale.cell,
            "minimum": low,
            "maximum": high,
            "labels": json.dumps(labels) if labels else "",
            "reversed": item.reverse,
            "wording_verified": item.verified,
            "licence": scale.licence,
        }
        if low is None:
            continue
        found[f"{asking}_{item.key}"] = facts
        if item.reverse:
            found[f"{asking}_{item.key}_r"] = facts
    for score in scale.scores:
        bounds = [scale.bounds(scale.item(item)) for item in score.items]
        times = len(score.items) if score.rule == "sum" else 1
        found[f"{asking}_{score.key}"] = {
            "type": "number",
            "scale": asking,
            "score": score.key,
            "construct": score.cell or scale.cell,
            "minimum": (bounds[0][0] or 0) * times,
            "maximum": (bounds[0][1] or 0) * times,
            "wording_verified": score.verified,
            "licence": scale.licence,
        }
    return found


def _csv(path: Path, header: list[str], rows: list[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, header, restval="", lineterminator="\n", extrasaction="raise")
        writer.writeheader()
        for row in rows:
            writer.writerow({name: _cell(value) for name, value in row.items()})


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
