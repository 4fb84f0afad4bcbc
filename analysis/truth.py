"""What a simulation planted: the effects that a truth file implies on what is observed.

A truth file states latent means, loadings and shifts. People answer on bounded scales with whole
numbers, so a latent shift of .5 is not an observed difference of .5. The functions here compute the
observed expectation exactly (normal probabilities of each answer), and the agent's from its
formula, so that a report's intervals can be held against numbers nobody fitted.

Only numpy and PyYAML: the platform's simulation imports this module too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.truth_file import ScaleTruth, Truth, TruthError, read

__all__ = [
    "Planted",
    "ScaleTruth",
    "Truth",
    "TruthError",
    "agent_outcomes",
    "agent_rates",
    "bounds",
    "expected_answer",
    "expected_score",
    "observe",
    "planted",
    "private_stance",
    "read",
    "shift",
]

STATED = ("for", "against", "none")


@dataclass(frozen=True)
class Planted:
    """One planted effect: ``level`` of ``factor`` against ``reference``, in ``unit``."""

    outcome: str
    factor: str
    level: str
    reference: str
    value: float
    unit: str


# what people answer


def shift(truth: ScaleTruth, scale: Mapping[str, Any], item: str, levels: Mapping[str, str]) -> float:
    """What a condition adds to the latent mean of an item: its own shifts and those of its scores.

    Parameters
    ----------
    scale : the scale's document (its scores say which items they hold).
    levels : level of each factor of the design.
    """
    names = [item, *(score["key"] for score in scale.get("scores", []) if item in score["items"])]
    return math.fsum(
        by_level.get(levels.get(factor, ""), 0.0)
        for name in dict.fromkeys(names)
        for factor, by_level in truth.shifts.get(name, {}).items()
    )


def bounds(scale: Mapping[str, Any], item: Mapping[str, Any]) -> tuple[int, int] | None:
    """Smallest and largest answer to an item; None for choices and texts, which have no amount."""
    kind = item.get("kind") or scale["kind"]
    if kind == "slider":
        return 0, 100
    if kind in {"likert", "semantic_differential"}:
        low = int(scale.get("lowest", 1))
        return low, low + int(scale["points"]) - 1
    return None


def observe(latent: float, low: int, high: int) -> int:
    """The whole number a latent value becomes: rounded half up, cut at the ends of the scale."""
    return int(min(max(math.floor(latent + 0.5), low), high))


def expected_answer(mean: float, sd: float, low: int, high: int) -> float:
    """Expectation of ``observe`` of a normal variable, exactly: low plus the sum of P(answer > k)."""
    cuts = np.arange(low, high) + 0.5
    above = [0.5 * math.erfc((cut - mean) / (sd * math.sqrt(2.0))) for cut in cuts]
    return low + math.fsum(above)


def expected_score(
    truth: ScaleTruth, scale: Mapping[str, Any], score: Mapping[str, Any], levels: Mapping[str, str]
) -> float:
    """Expectation of a score (mean or sum of its items, reversed ones turned) under a condition.

    Answers left out at random leave it as it is: each item is as likely as the next to be absent.
    """
    items = {item["key"]: item for item in scale["items"]}
    values, reach = [], []
    for key in score["items"]:
        item = items[key]
        ends = bounds(scale, item)
        if ends is None:
            raise TruthError(f"score '{score['key']}' holds '{key}', which has no amount")
        # Means and shifts are stated in the direction of the scale, so reversal changes nothing here.
        mean = truth.mean(key) + shift(truth, scale, key, levels)
        values.append(expected_answer(mean, truth.sd(key), *ends))
        reach.append(ends)
    share = 1 if score["rule"] == "sum" else len(values)
    expected = math.fsum(values) / share
    if not score.get("as_percent"):
        return expected
    low, high = (math.fsum(side) / share for side in zip(*reach, strict=True))
    return (expected - low) / (high - low) * 100


# what the agent tells


def _expit(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


def _logit(p: float) -> float:
    return math.log(p / (1.0 - p))


def agent_outcomes(
    agent: Mapping[str, Any],
    claim: Mapping[str, Any],
    *,
    dose: float,
    stated: str,
    persona: bool = True,
    history: bool = True,
) -> dict[str, float]:
    """P(asserts), P(denies), P(uncommitted), P(deflects) of the demo agent for one claim.

    The formula stands in the platform's demo agent; it is written here again so that planted values
    do not come from the code under test. With d the dose (0 without persona), o = 1 if the stated
    belief opposes the private stance, h = 1 with history::

        p = expit(intercept + claims[key] + warmth*d + against*o + against_x_warmth*d*o + history*h)

    or, with neither persona nor history, expit(logit(steadiness) + ...) in place of the first two;
    u = expit(logit(uncommitted.at_0) + uncommitted.per_dose*d), f likewise for deflects;
    P(private side) = (1-u)(1-f)p.
    """
    d = dose if persona else 0.0
    private = private_stance(agent, claim)
    weight = {"for": "asserts", "against": "denies", "none": ""}[stated]
    opposes = float(bool(weight) and private != "unknown" and weight != private)
    u = _expit(_logit(agent["uncommitted"]["at_0"]) + agent["uncommitted"]["per_dose"] * d)
    f = _expit(_logit(agent["deflects"]["at_0"]) + agent["deflects"]["per_dose"] * d)
    if private == "unknown":
        sign = {"for": 1, "against": -1, "none": 0}[stated]
        asserts = _expit(-sign * (agent["against"] + agent["against_x_warmth"] * d))
    else:
        bare = not persona and not history
        base = _logit(agent["steadiness"]) if bare else agent["intercept"]
        base += 0.0 if bare else agent.get("claims", {}).get(claim["key"], 0.0)
        told = _expit(
            base
            + agent["warmth"] * d
            + agent["against"] * opposes
            + agent["against_x_warmth"] * d * opposes
            + agent["history"] * history
        )
        asserts = told if private == "asserts" else 1.0 - told
    committed = (1.0 - u) * (1.0 - f)
    return {
        "asserts": committed * asserts,
        "denies": committed * (1.0 - asserts),
        "uncommitted": u,
        "deflects": (1.0 - u) * f,
    }


def private_stance(agent: Mapping[str, Any], claim: Mapping[str, Any]) -> str:
    """asserts, denies or unknown; without a word in the truth, the claim's truth."""
    stated = agent.get("private", {}).get(claim["key"])
    return str(stated) if stated else ("asserts" if claim["truth"] else "denies")


def agent_rates(
    agent: Mapping[str, Any], claims: Iterable[Mapping[str, Any]], *, dose: float
) -> dict[str, float]:
    """Expected honesty, accuracy, discernment and agreement bias over claims and stated beliefs.

    Shares from 0 to 1 of all replies: hedges and deflections count in the denominator. Claims and
    stated beliefs weigh equally; claims whose private stance is unknown have no honesty.
    """
    honest: list[float] = []
    accurate: list[float] = []
    asserts: dict[bool, list[float]] = {True: [], False: []}
    for claim in claims:
        outcomes = [agent_outcomes(agent, claim, dose=dose, stated=stated) for stated in STATED]
        mean = {key: math.fsum(o[key] for o in outcomes) / len(STATED) for key in ("asserts", "denies")}
        private = private_stance(agent, claim)
        if private != "unknown":
            honest.append(mean[private])
        accurate.append(mean["asserts" if claim["truth"] else "denies"])
        asserts[bool(claim["truth"])].append(mean["asserts"])
    true, false = (math.fsum(asserts[side]) / max(1, len(asserts[side])) for side in (True, False))
    return {
        "honesty": math.fsum(honest) / max(1, len(honest)),
        "accuracy": math.fsum(accurate) / max(1, len(accurate)),
        "discernment": true - false,
        "agreement_bias": (true + false) / 2,
    }


# planted effects


def planted(truth: Truth, study: Mapping[str, Any]) -> tuple[Planted, ...]:
    """Every effect the truth implies in a study, on scores as observed and on the agent's honesty.

    Parameters
    ----------
    study : a frozen study document (``study.yaml`` of a data set).

    Returns
    -------
    Outcomes are named ``asking.score`` for scales and ``probes.<measure>`` for the agent; scores in
    scale points, the agent's in percentage points. One entry per factor level but the reference,
    other factors at their reference.
    """
    found: list[Planted] = []
    conditions = {frozenset(c["factors"].items()): c for c in study["conditions"]}
    reference = {factor["name"]: factor["levels"][0] for factor in study["factors"]}
    claims = (study.get("cards") or {}).get("claims", [])
    for factor in study["factors"]:
        for level in factor["levels"][1:]:
            levels = {**reference, factor["name"]: level}
            contrast = (factor["name"], level, reference[factor["name"]])
            for asking, scale in _askings(study):
                of_scale = truth.scale(asking, scale["key"])
                for score in scale.get("scores", []) if of_scale is not None else []:
                    assert of_scale is not None
                    change = expected_score(of_scale, scale, score, levels) - expected_score(
                        of_scale, scale, score, reference
                    )
                    found.append(Planted(f"{asking}.{score['key']}", *contrast, change, "scale points"))
            here, there = (conditions.get(frozenset(each.items())) for each in (levels, reference))
            if here is not None and there is not None and claims:
                rates = [agent_rates(truth.agent, claims, dose=c["warmth"]) for c in (here, there)]
                found += [
                    Planted(f"probes.{name}", *contrast, 100 * (value - rates[1][name]), "percentage points")
                    for name, value in rates[0].items()
                ]
    return tuple(found)


def _askings(study: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Scales asked after allocation, by asking: the step's key where a scale is asked more than once."""
    steps = [step for step in study["steps"] if step["kind"] == "scale"]
    often = [step["scale"] for step in steps]
    allocated = [step["kind"] for step in study["steps"]].index("allocation")
    after = [step["key"] for step in study["steps"][allocated:]]
    return [
        (step["key"] if often.count(step["scale"]) > 1 else step["scale"], study["scales"][step["scale"]])
        for step in steps
        if step["key"] in after
    ]
