"""What the demo agent holds true, and with what probability it says so: the formula, as pure functions.

The same formula is written again, in numpy and without importing this, where planted effects are compared
with what an analysis found; a test holds the two together.
"""

import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

DEFAULT_FILE = Path(__file__).with_name("demo_truth.yaml")
STANCES = ("asserts", "denies", "unknown")
STATED = ("for", "against", "none")
OUTCOMES = ("asserts", "denies", "uncommitted", "deflects")
_WEIGHTS = ("intercept", "warmth", "against", "against_x_warmth", "history")
# Six weights of at most this size keep every probability strictly between 0 and 1 in double precision.
LARGEST_WEIGHT = 5.0


@cache
def default_truth() -> Mapping[str, Any]:
    """The truth the demo agent has when it is handed none."""
    truth: dict[str, Any] = yaml.safe_load(DEFAULT_FILE.read_text(encoding="utf-8"))
    check(truth)
    return truth


def check(truth: Mapping[str, Any]) -> None:
    """Raise ValueError naming the key of a demo truth that is missing or out of range."""
    for name in _WEIGHTS:
        _weight(truth.get(name), name)
    _share(truth.get("steadiness"), "steadiness")
    for name in ("uncommitted", "deflects"):
        part = truth.get(name)
        if not isinstance(part, Mapping):
            raise ValueError(f"demo truth: '{name}' must hold at_0 and per_dose, not {part!r}")
        _share(part.get("at_0"), f"{name}.at_0")
        _weight(part.get("per_dose"), f"{name}.per_dose")
    for key, offset in truth.get("claims", {}).items():
        _weight(offset, f"claims.{key}")
    for key, stance in truth.get("private", {}).items():
        if stance not in STANCES:
            raise ValueError(
                f"demo truth: 'private.{key}' must be one of {', '.join(STANCES)}, not {stance!r}"
            )


def _weight(value: object, name: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST_WEIGHT:
        raise ValueError(
            f"demo truth: '{name}' must be a number from -{LARGEST_WEIGHT:g} to {LARGEST_WEIGHT:g}, "
            f"not {value!r}"
        )


def _share(value: object, name: str) -> None:
    if not isinstance(value, float) or not 0.001 <= value <= 0.999:
        raise ValueError(f"demo truth: '{name}' must be a share from .001 to .999, not {value!r}")


def _expit(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


def _logit(p: float) -> float:
    return math.log(p / (1.0 - p))


def private_stance(truth: Mapping[str, Any], claim_key: str, claim_truth: bool | None) -> str:
    """The side held without persona and history: as ``private`` says, else as the claim's truth."""
    stance: str | None = truth.get("private", {}).get(claim_key)
    if stance is not None:
        return stance
    if claim_truth is None:
        raise ValueError(f"claim '{claim_key}': its truth is needed, since 'private' does not list it")
    return "asserts" if claim_truth else "denies"


def probability_told_private(
    truth: Mapping[str, Any],
    claim_key: str,
    *,
    dose: float,
    stated: str,
    persona: bool,
    history: bool,
    claim_truth: bool | None = None,
) -> float:
    """P(the stance told is the private stance, given that a stance is told at all).

    With d = dose if persona else 0; o = 1 if the stated belief opposes the private stance (stated *for* and
    private *denies*, or stated *against* and private *asserts*) else 0; h = 1 if history else 0;
    bare = neither persona nor history::

        base = logit(steadiness)                          if bare
        base = intercept + claims.get(claim_key, 0)       otherwise
        p = expit(base + warmth*d + against*o + against_x_warmth*d*o + history*h)

    A bare draw without a stated belief is therefore on the private side with probability ``steadiness``.
    ``claim_truth`` (true or false in the world) is needed for claims that ``private`` does not list: there
    the private stance is the truth. A claim whose private stance is *unknown* has no such probability
    (ValueError); see ``stance_probabilities``.
    """
    stance = private_stance(truth, claim_key, claim_truth)
    if stance == "unknown":
        raise ValueError(f"claim '{claim_key}': the private stance is unknown, so nothing told can be it")
    d = _effective_dose(dose, persona)
    o = _opposes(stated, stance)
    if persona or history:
        base = truth["intercept"] + truth.get("claims", {}).get(claim_key, 0.0)
    else:
        base = _logit(truth["steadiness"])
    return _expit(
        base
        + truth["warmth"] * d
        + truth["against"] * o
        + truth["against_x_warmth"] * d * o
        + truth["history"] * history
    )


def stance_probabilities(
    truth: Mapping[str, Any],
    claim_key: str,
    *,
    dose: float,
    stated: str,
    persona: bool,
    history: bool,
    claim_truth: bool | None = None,
) -> dict[str, float]:
    """P(asserts), P(denies), P(uncommitted), P(deflects): four numbers inside (0, 1) that add up to 1.

    With d as in ``probability_told_private`` (called p here)::

        u = expit(logit(uncommitted.at_0) + uncommitted.per_dose * d)
        f = expit(logit(deflects.at_0)    + deflects.per_dose * d)
        P(uncommitted) = u
        P(deflects) = (1 - u) * f
        P(private side) = (1 - u) * (1 - f) * p
        P(other side) = (1 - u) * (1 - f) * (1 - p)

    For an *unknown* private stance the agent goes with what the person believes, if anything::

        s = 1 if stated is for, -1 if against, 0 if none
        P(asserts | a stance is told) = expit(-s * (against + against_x_warmth * d))
    """
    d = _effective_dose(dose, persona)
    u = _share_at(truth["uncommitted"], d)
    f = _share_at(truth["deflects"], d)
    told = (1.0 - u) * (1.0 - f)
    stance = private_stance(truth, claim_key, claim_truth)
    if stance == "unknown":
        s = {"for": 1, "against": -1, "none": 0}[stated]
        asserts = _expit(-s * (truth["against"] + truth["against_x_warmth"] * d))
    else:
        p = probability_told_private(
            truth,
            claim_key,
            dose=dose,
            stated=stated,
            persona=persona,
            history=history,
            claim_truth=claim_truth,
        )
        asserts = p if stance == "asserts" else 1.0 - p
    return {
        "asserts": told * asserts,
        "denies": told * (1.0 - asserts),
        "uncommitted": u,
        "deflects": (1.0 - u) * f,
    }


def _share_at(part: Mapping[str, float], d: float) -> float:
    return _expit(_logit(part["at_0"]) + part["per_dose"] * d)


def _effective_dose(dose: float, persona: bool) -> float:
    if not -1.0 <= dose <= 1.0:
        raise ValueError(f"dose {dose!r} is outside -1 to 1")
    return float(dose) if persona else 0.0


def _opposes(stated: str, stance: str) -> int:
    if stated not in STATED:
        raise ValueError(f"stated {stated!r} is not one of {', '.join(STATED)}")
    return int((stated, stance) in {("for", "denies"), ("against", "asserts")})
