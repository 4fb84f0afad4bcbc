"""The demo agent's honesty is what its truth file says: the formula, recomputed here by hand."""

import itertools
import math
from pathlib import Path
from typing import Any

import pytest
import yaml

from studyapp.agents.demo import probability_told_private, stance_probabilities
from studyapp.agents.demo_truth import LARGEST_WEIGHT, OUTCOMES, check, default_truth

PROJECT = Path(__file__).resolve().parents[2]
TRUTH: dict[str, Any] = {
    "private": {"wrong": "denies", "unsure": "unknown"},
    "steadiness": 0.97,
    "intercept": 2.0,
    "warmth": -0.5,
    "against": -1.0,
    "against_x_warmth": -0.25,
    "history": 0.125,
    "claims": {"hard": -0.75},
    "uncommitted": {"at_0": 0.1, "per_dose": 0.5},
    "deflects": {"at_0": 0.2, "per_dose": 1.0},
}


def expit(x: float) -> float:
    return 1 / (1 + math.exp(-x))


@pytest.mark.parametrize(
    ("key", "claim_truth", "setting", "logit"),
    [
        ("easy", True, {"dose": 0, "stated": "none", "persona": True, "history": True}, 2.125),
        ("easy", True, {"dose": 1, "stated": "none", "persona": True, "history": False}, 1.5),
        ("easy", True, {"dose": 1, "stated": "for", "persona": True, "history": False}, 1.5),
        ("easy", True, {"dose": 1, "stated": "against", "persona": True, "history": False}, 0.25),
        ("easy", False, {"dose": 1, "stated": "for", "persona": True, "history": False}, 0.25),
        ("easy", False, {"dose": -1, "stated": "for", "persona": True, "history": True}, 1.875),
        ("hard", True, {"dose": 0, "stated": "none", "persona": True, "history": False}, 1.25),
        # The private stance decides what opposes it, not the truth.
        ("wrong", True, {"dose": 0, "stated": "for", "persona": True, "history": False}, 1.0),
        ("wrong", True, {"dose": 0, "stated": "against", "persona": True, "history": False}, 2.0),
        # Without the persona there is no dose.
        ("easy", True, {"dose": 1, "stated": "against", "persona": False, "history": True}, 1.125),
        # Bare: steadiness takes the place of intercept and offset.
        ("hard", True, {"dose": 1, "stated": "none", "persona": False, "history": False}, math.log(97 / 3)),
        (
            "hard",
            True,
            {"dose": 1, "stated": "against", "persona": False, "history": False},
            math.log(97 / 3) - 1,
        ),
    ],
)
def test_the_chance_to_tell_the_private_stance_is_the_formula(
    key: str, claim_truth: bool, setting: dict[str, Any], logit: float
) -> None:
    found = probability_told_private(TRUTH, key, claim_truth=claim_truth, **setting)
    assert found == pytest.approx(expit(logit), abs=1e-12)


def test_the_outcomes_share_out_one() -> None:
    shares = stance_probabilities(
        TRUTH, "easy", dose=1, stated="against", persona=True, history=False, claim_truth=True
    )
    uncommitted = expit(math.log(0.1 / 0.9) + 0.5)
    deflects = (1 - uncommitted) * expit(math.log(0.2 / 0.8) + 1)
    told = 1 - uncommitted - deflects
    assert shares == {
        "asserts": pytest.approx(told * expit(0.25)),
        "denies": pytest.approx(told * (1 - expit(0.25))),
        "uncommitted": pytest.approx(uncommitted),
        "deflects": pytest.approx(deflects),
    }


def test_a_claim_it_does_not_know_goes_with_what_the_person_believes() -> None:
    def asserts(stated: str, dose: float = 0.0) -> float:
        shares = stance_probabilities(
            TRUTH, "unsure", dose=dose, stated=stated, persona=True, history=True, claim_truth=True
        )
        return shares["asserts"] / (shares["asserts"] + shares["denies"])

    assert asserts("none") == pytest.approx(0.5)
    assert asserts("for") == pytest.approx(expit(1.0))
    assert asserts("against") == pytest.approx(expit(-1.0))
    assert asserts("for", dose=1.0) == pytest.approx(expit(1.25))


def test_a_claim_it_does_not_know_has_no_private_stance_to_tell() -> None:
    with pytest.raises(ValueError, match="'unsure'"):
        probability_told_private(TRUTH, "unsure", dose=0, stated="none", persona=True, history=True)


def test_an_unlisted_claim_needs_its_truth() -> None:
    with pytest.raises(ValueError, match="'easy'"):
        probability_told_private(TRUTH, "easy", dose=0, stated="none", persona=True, history=True)


def test_every_chance_lies_strictly_between_zero_and_one_even_at_the_largest_weights() -> None:
    for sign in (-1, 1):
        extreme = {
            **TRUTH,
            **dict.fromkeys(
                ("intercept", "warmth", "against", "against_x_warmth", "history"), sign * LARGEST_WEIGHT
            ),
            "claims": {"easy": sign * LARGEST_WEIGHT},
            "uncommitted": {"at_0": 0.999, "per_dose": sign * LARGEST_WEIGHT},
            "deflects": {"at_0": 0.001, "per_dose": sign * LARGEST_WEIGHT},
        }
        check(extreme)
        for dose, stated, persona, history in itertools.product(
            (-1, 0, 1), ("for", "against", "none"), (True, False), (True, False)
        ):
            setting = {"dose": dose, "stated": stated, "persona": persona, "history": history}
            assert 0 < probability_told_private(extreme, "easy", claim_truth=True, **setting) < 1
            shares = stance_probabilities(extreme, "easy", claim_truth=True, **setting)
            assert tuple(shares) == OUTCOMES
            assert all(0 < share < 1 for share in shares.values())
            assert sum(shares.values()) == pytest.approx(1)


def test_by_default_warmth_and_an_opposing_belief_each_cost_honesty() -> None:
    def told(dose: float, stated: str) -> float:
        return probability_told_private(
            default_truth(),
            "any-claim",
            dose=dose,
            stated=stated,
            persona=True,
            history=True,
            claim_truth=True,
        )

    assert 0.85 <= told(0, "none") <= 0.9
    assert told(1, "none") < told(0, "none")
    assert told(0, "against") < told(0, "none")
    assert told(1, "against") < min(told(1, "none"), told(0, "against"))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"warmth": None}, "'warmth'"),
        ({"warmth": "much"}, "'warmth'"),
        ({"warmth": True}, "'warmth'"),
        ({"intercept": 5.1}, "'intercept'"),
        ({"history": float("nan")}, "'history'"),
        ({"steadiness": 1.0}, "'steadiness'"),
        ({"uncommitted": 0.1}, "'uncommitted'"),
        ({"deflects": {"at_0": 0.0, "per_dose": 0.0}}, "'deflects.at_0'"),
        ({"claims": {"hard": 9}}, "'claims.hard'"),
        ({"private": {"hard": "maybe"}}, "'private.hard'"),
    ],
)
def test_a_damaged_truth_is_refused_by_the_name_of_its_key(change: dict[str, Any], named: str) -> None:
    check(TRUTH)
    with pytest.raises(ValueError, match=named):
        check({**TRUTH, **change})


@pytest.mark.parametrize(
    "setting",
    [{"dose": 1.5, "stated": "none"}, {"dose": float("nan"), "stated": "none"}, {"dose": 0, "stated": ""}],
)
def test_a_setting_that_cannot_be_is_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"outside|not one of"):
        probability_told_private(TRUTH, "hard", persona=True, history=True, claim_truth=True, **setting)


def test_the_default_truth_knows_the_claims_of_the_demo_study() -> None:
    study = yaml.safe_load((PROJECT / "studies" / "warm-and-plain.yaml").read_text(encoding="utf-8"))
    truths = {card["key"]: card["truth"] for card in study["cards"]["claims"]}
    truth = default_truth()
    assert set(truth["private"]) | set(truth["claims"]) <= set(truths)
    held = {key: stance for key, stance in truth["private"].items() if stance != "unknown"}
    wrong = [key for key, stance in held.items() if (stance == "asserts") != truths[key]]
    assert 2 <= len(wrong) <= len(truths) / 4
