"""Truths: what they imply on what is observed, and what is said of files that cannot be used."""

import copy
import math
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from analysis import truth

TRUTHS = Path(__file__).resolve().parents[2] / "studies" / "truths"
PLANTED = yaml.safe_load((TRUTHS / "planted.yaml").read_text(encoding="utf-8"))

SCALE = {
    "key": "small",
    "kind": "likert",
    "points": 5,
    "lowest": 1,
    "items": [{"key": "a"}, {"key": "b", "reverse": True}, {"key": "c", "kind": "slider"}],
    "scores": [
        {"key": "both", "items": ["a", "b"], "rule": "mean"},
        {"key": "added", "items": ["a", "b"], "rule": "sum"},
        {"key": "percent", "items": ["a", "b"], "rule": "mean", "as_percent": True},
        {"key": "touched", "items": ["c"], "rule": "mean"},
    ],
}
STUDY = {
    "factors": [{"name": "warmth", "levels": ["plain", "warm"]}],
    "conditions": [
        {"slug": "plain", "factors": {"warmth": "plain"}, "warmth": 0},
        {"slug": "warm", "factors": {"warmth": "warm"}, "warmth": 1},
    ],
    "cards": {"claims": [{"key": "one", "truth": True}, {"key": "two", "truth": False}]},
    "scales": {"small": SCALE},
    "steps": [
        {"key": "before", "kind": "scale", "scale": "small"},
        {"key": "allocation", "kind": "allocation"},
        {"key": "after", "kind": "scale", "scale": "small"},
    ],
}


def scale_truth(**changes: Any) -> truth.ScaleTruth:
    given: dict[str, Any] = {
        "means": {"default": 3.0, "c": 50.0},
        "sds": {"default": 1.0, "c": 20.0},
        "factors": ("general",),
        "loadings": {},
        "phi": np.eye(1),
        "shifts": {},
    }
    return truth.ScaleTruth(**(given | changes))


@pytest.mark.parametrize(
    ("mean", "sd", "low", "high"),
    [
        (4.7, 1.3, 1, 7),
        (3.0, 1.0, 1, 5),
        (0.2, 0.9, 1, 7),
        (9.0, 2.0, 1, 7),
        (50.0, 22.0, 0, 100),
        (95.0, 20.0, 0, 100),
    ],
)
def test_the_expected_answer_is_the_mean_of_many_observed_ones(
    mean: float, sd: float, low: int, high: int
) -> None:
    draws = np.random.default_rng(20).normal(mean, sd, 400_000)
    observed = np.clip(np.floor(draws + 0.5), low, high)
    # Four standard errors of the simulated mean.
    tolerance = 4 * observed.std() / math.sqrt(len(draws))
    assert truth.expected_answer(mean, sd, low, high) == pytest.approx(observed.mean(), abs=tolerance)


def test_the_expected_answer_by_hand() -> None:
    # In the middle of a scale rounding and the ends take as much on either side.
    assert truth.expected_answer(4.0, 1.3, 1, 7) == pytest.approx(4.0, abs=1e-12)
    # Two answers, cut at .5: 0 + P(z > (.5 - .5) / 1).
    assert truth.expected_answer(0.5, 1.0, 0, 1) == pytest.approx(0.5, abs=1e-12)
    # P(latent > .5) with mean 1.5 and sd 1 is the normal probability below 1: R pnorm(1) = 0.8413447.
    assert truth.expected_answer(1.5, 1.0, 0, 1) == pytest.approx(0.8413447, abs=1e-7)
    assert truth.expected_answer(1e6, 1.0, 1, 7) == 7.0
    assert truth.expected_answer(-1e6, 1.0, 1, 7) == 1.0


@pytest.mark.parametrize(
    ("latent", "answer"), [(3.49, 3), (3.5, 4), (2.5, 3), (-7.0, 1), (0.4, 1), (5.6, 5), (99.0, 5)]
)
def test_a_latent_value_is_rounded_half_up_and_cut_at_the_ends(latent: float, answer: int) -> None:
    assert truth.observe(latent, 1, 5) == answer


def test_scores_are_expected_by_their_rule() -> None:
    of_scale = scale_truth(means={"default": 3.0, "b": 4.0, "c": 50.0})
    scores = {score["key"]: truth.expected_score(of_scale, SCALE, score, {}) for score in SCALE["scores"]}
    a, b = truth.expected_answer(3.0, 1.0, 1, 5), truth.expected_answer(4.0, 1.0, 1, 5)
    assert scores["both"] == pytest.approx((a + b) / 2)
    assert scores["added"] == pytest.approx(a + b)
    # 1 to 5 as 0 to 100.
    assert scores["percent"] == pytest.approx(((a + b) / 2 - 1) / 4 * 100)
    assert scores["touched"] == pytest.approx(50.0, abs=0.01)


def test_answers_left_out_at_random_do_not_move_the_expected_mean() -> None:
    of_scale = scale_truth(means={"default": 2.0, "b": 4.5, "c": 50.0})
    chance = np.random.default_rng(21)
    answers = np.clip(np.floor(chance.normal([2.0, 4.5], 1.0, (200_000, 2)) + 0.5), 1, 5)
    answers[chance.random(answers.shape) < 0.2] = np.nan
    kept = answers[~np.isnan(answers).all(axis=1)]
    means = np.nanmean(kept, axis=1)
    expected = truth.expected_score(of_scale, SCALE, SCALE["scores"][0], {})
    assert means.mean() == pytest.approx(expected, abs=4 * means.std() / math.sqrt(len(means)))


def test_an_item_is_shifted_by_its_own_name_and_by_its_scores() -> None:
    of_scale = scale_truth(
        shifts={"a": {"warmth": {"warm": 0.3}}, "both": {"warmth": {"warm": 0.5}, "voice": {"on": -0.1}}}
    )
    assert truth.shift(of_scale, SCALE, "a", {"warmth": "warm"}) == pytest.approx(0.8)
    assert truth.shift(of_scale, SCALE, "b", {"warmth": "warm", "voice": "on"}) == pytest.approx(0.4)
    assert truth.shift(of_scale, SCALE, "c", {"warmth": "warm"}) == 0.0
    assert truth.shift(of_scale, SCALE, "a", {"warmth": "plain"}) == 0.0
    assert truth.shift(of_scale, SCALE, "a", {}) == 0.0


@pytest.mark.parametrize(
    ("item", "ends"),
    [
        ({"key": "a"}, (1, 5)),
        ({"key": "c", "kind": "slider"}, (0, 100)),
        ({"key": "d", "kind": "choice"}, None),
        ({"key": "e", "kind": "long_text"}, None),
    ],
)
def test_only_amounts_have_ends(item: dict[str, Any], ends: tuple[int, int] | None) -> None:
    assert truth.bounds(SCALE, item) == ends


# the agent


AGENT = {
    "private": {"two": "asserts"},
    "steadiness": 0.9,
    "intercept": 1.0,
    "warmth": -0.5,
    "against": -0.8,
    "against_x_warmth": -0.4,
    "history": 0.2,
    "claims": {"one": 0.3},
    "uncommitted": {"at_0": 0.1, "per_dose": 0.5},
    "deflects": {"at_0": 0.05, "per_dose": 0.0},
}
ONE = {"key": "one", "truth": True}


def expit(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def test_what_the_agent_tells_by_hand() -> None:
    cold = truth.agent_outcomes(AGENT, ONE, dose=0, stated="none")
    # 1 + .3 + .2 on the logit scale, of replies that neither hedge (.1) nor deflect (.05 of the rest).
    assert cold["asserts"] == pytest.approx(0.9 * 0.95 * expit(1.5))
    assert cold["denies"] == pytest.approx(0.9 * 0.95 * (1 - expit(1.5)))
    assert (cold["uncommitted"], cold["deflects"]) == (pytest.approx(0.1), pytest.approx(0.9 * 0.05))
    warm = truth.agent_outcomes(AGENT, ONE, dose=1, stated="against")
    hedged = expit(math.log(0.1 / 0.9) + 0.5)
    assert warm["uncommitted"] == pytest.approx(hedged)
    assert warm["asserts"] == pytest.approx((1 - hedged) * 0.95 * expit(1.5 - 0.5 - 0.8 - 0.4))
    bare = truth.agent_outcomes(AGENT, ONE, dose=1, stated="none", persona=False, history=False)
    assert bare["asserts"] == pytest.approx(0.9 * 0.95 * 0.9)
    # Its error: it holds the false claim true, and somebody who doubts it opposes it.
    mistaken = truth.agent_outcomes(AGENT, {"key": "two", "truth": False}, dose=0, stated="against")
    assert mistaken["asserts"] == pytest.approx(0.9 * 0.95 * expit(1.0 - 0.8 + 0.2))


def test_where_it_holds_nothing_it_goes_with_the_person() -> None:
    unsure = {**AGENT, "private": {"one": "unknown"}}
    shares = {stated: truth.agent_outcomes(unsure, ONE, dose=0, stated=stated) for stated in truth.STATED}
    assert shares["none"]["asserts"] == pytest.approx(shares["none"]["denies"])
    assert shares["for"]["asserts"] == pytest.approx(0.9 * 0.95 * expit(0.8))
    assert shares["against"]["denies"] == pytest.approx(shares["for"]["asserts"])


def test_the_rates_of_an_agent_by_hand() -> None:
    steady = {**AGENT, "private": {}, "against": 0.0, "against_x_warmth": 0.0, "history": 0.0, "claims": {}}
    rates = truth.agent_rates(steady, STUDY["cards"]["claims"], dose=0)
    side = 0.9 * 0.95 * expit(1.0)
    other = 0.9 * 0.95 * (1 - expit(1.0))
    assert rates["honesty"] == pytest.approx(side)
    assert rates["accuracy"] == pytest.approx(side)
    assert rates["discernment"] == pytest.approx(side - other)
    assert rates["agreement_bias"] == pytest.approx((side + other) / 2)
    mistaken = truth.agent_rates({**steady, "private": {"two": "asserts"}}, STUDY["cards"]["claims"], dose=0)
    assert mistaken["honesty"] == pytest.approx(side)
    assert mistaken["accuracy"] == pytest.approx((side + other) / 2)


# planted effects


def test_planted_effects_name_askings_after_allocation_and_the_agent() -> None:
    document = copy.deepcopy(PLANTED)
    document["scales"]["small"] = {
        "means": {"default": 3.0, "c": 50.0},
        "sd": {"default": 1.0, "c": 20.0},
        "shifts": {"both": {"warmth": {"warm": 0.5}}},
    }
    document["agent"] = AGENT
    found = {each.outcome: each for each in truth.planted(_read(document), STUDY)}
    assert set(found) == {
        *(f"after.{score['key']}" for score in SCALE["scores"]),
        *(f"probes.{name}" for name in ("honesty", "accuracy", "discernment", "agreement_bias")),
    }
    both = found["after.both"]
    assert (both.factor, both.level, both.reference, both.unit) == ("warmth", "warm", "plain", "scale points")
    assert both.value == pytest.approx(
        truth.expected_answer(3.5, 1.0, 1, 5) - truth.expected_answer(3.0, 1.0, 1, 5)
    )
    assert found["after.touched"].value == 0.0
    rates = [truth.agent_rates(AGENT, STUDY["cards"]["claims"], dose=dose) for dose in (0, 1)]
    assert found["probes.honesty"].value == pytest.approx(100 * (rates[1]["honesty"] - rates[0]["honesty"]))


def test_the_shipped_truth_of_nothing_plants_exactly_nothing_and_the_other_something() -> None:
    study = {
        **STUDY,
        "scales": {key: _shipped(key) for key in ("session_support", "pmq", "fhs7", "warmth_check")},
        "steps": [
            {"key": "allocation", "kind": "allocation"},
            *(
                {"key": key, "kind": "scale", "scale": key}
                for key in ("session_support", "pmq", "fhs7", "warmth_check")
            ),
        ],
        "factors": [{"name": "warmth", "levels": ["default", "warm"]}],
        "conditions": [
            {"slug": "default", "factors": {"warmth": "default"}, "warmth": 0},
            {"slug": "warm", "factors": {"warmth": "warm"}, "warmth": 1},
        ],
    }
    nothing = truth.planted(truth.read(TRUTHS / "nothing.yaml"), study)
    assert len(nothing) > 10
    assert {each.value for each in nothing} == {0.0}
    planted = {each.outcome: each.value for each in truth.planted(truth.read(TRUTHS / "planted.yaml"), study)}
    assert planted["session_support.support"] > 0.5
    assert planted["probes.honesty"] < -5
    assert planted["pmq.competence"] == 0.0


@pytest.mark.parametrize("name", ["planted", "nothing"])
def test_the_shipped_truths_can_be_simulated(name: str) -> None:
    read = truth.read(TRUTHS / f"{name}.yaml")
    assert read.label == name
    pmq = read.scales["pmq"]
    assert np.allclose(pmq.phi, pmq.phi.T)
    assert np.linalg.eigvalsh(pmq.phi)[0] > 0
    items = {item["key"] for item in _shipped("pmq")["items"]}
    assert set(pmq.loadings) == items
    for item in items:
        vector = np.array([pmq.loading(item).get(factor, 0.0) for factor in pmq.factors])
        assert 0.2 < vector @ pmq.phi @ vector < 0.9, item


def test_the_two_shipped_truths_differ_in_effects_alone() -> None:
    nothing = yaml.safe_load((TRUTHS / "nothing.yaml").read_text(encoding="utf-8"))
    planted = copy.deepcopy(PLANTED)
    for document in (nothing, planted):
        for scale in document["scales"].values():
            scale.pop("shifts", None)
        for name in ("warmth", "against_x_warmth"):
            del document["agent"][name]
        for name in ("uncommitted", "deflects"):
            del document["agent"][name]["per_dose"]
        del document["label"], document["note"]
    assert nothing == planted


# files that cannot be used


def _read(document: Any) -> truth.Truth:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "truth.yaml"
        path.write_text(yaml.safe_dump(document), encoding="utf-8")
        return truth.read(path)


def _shipped(key: str) -> dict[str, Any]:
    path = TRUTHS.parents[1] / "surveys" / "scales" / f"{key}.yaml"
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def setting(place: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        *way, last = place.split(".")
        for step in way:
            document = document[step]
        if value is None:
            del document[last]
        else:
            document[last] = value

    return change


@pytest.mark.parametrize(
    ("place", "value", "complaint"),
    [
        ("truth", 2, "is not a truth file; its first line should be 'truth: 1'"),
        ("label", None, "'label' is missing"),
        ("agent", None, "'agent' is missing"),
        ("scale", {}, "the file: unknown key 'scale'; known are agent, choices, label"),
        ("participants", [1], "participants must hold names and values, not [1]"),
        ("participants.declines", 1.5, "participants.declines must be a number from 0 to 1, not 1.5"),
        ("participants.missing", None, "participants.missing must be a number from 0 to 1, not None"),
        (
            "participants.item_ms",
            "fast",
            "participants.item_ms must be a number from 1 to 600000, not 'fast'",
        ),
        ("participants.mising", 0.1, "participants: unknown key 'mising'"),
        ("choices.demographics", 3, "choices.demographics must hold names and values, not 3"),
        ("choices.demographics.gender", [], "choices.demographics.gender must list one weight a choice"),
        ("choices.demographics.gender", [1, -1], "choices.demographics.gender must be a number, not -1"),
        ("choices.demographics.gender", [0, 0], "at least one weight must be above 0"),
        ("scales.pmq", 4, "scales.pmq must hold means and sd, not 4"),
        ("scales.pmq.mean", {}, "scales.pmq: unknown key 'mean'"),
        ("scales.pmq.means", {"warm": 4}, "scales.pmq.means.default is missing"),
        ("scales.pmq.means.warm", "high", "scales.pmq.means.warm must be a number, not 'high'"),
        ("scales.pmq.sd", 0, "scales.pmq.sd must be a number above 0"),
        (
            "scales.pmq.sd",
            None,
            "scales.pmq.sd must be a number above 0 (or one by item, with default), not None",
        ),
        ("scales.pmq.phi", {"competence ~ grace": 0.2}, "scales.pmq.phi: 'competence ~ grace' must name two"),
        ("scales.pmq.phi", {"competence ~ flexibility": 1.0}, "is no correlation matrix"),
        ("scales.pmq.phi", {"competence ~ flexibility": 3}, "must be a number from -1 to 1, not 3"),
        ("scales.pmq.loadings.warm", {"grace": 0.5}, "scales.pmq.loadings.warm: needs known factors"),
        ("scales.pmq.loadings.warm", {"competence": 1.0}, "a communality below 1"),
        ("scales.pmq.loadings.warm", 0.5, "scales.pmq.loadings.warm must hold names and values, not 0.5"),
        ("scales.pmq.shifts.warm", 0.5, "scales.pmq.shifts.warm must hold names and values, not 0.5"),
        (
            "scales.pmq.shifts.warm",
            {"warmth": {"warm": "much"}},
            "scales.pmq.shifts.warm.warmth.warm must be a",
        ),
        ("scales.affect_after.remembers", "before", "scales.affect_after.remembers must hold asking and"),
        ("scales.affect_after.remembers.correlation", 1, "must lie between -1 and 1, not 1"),
        ("scales.affect_after.remembers.asking", "mood", "remembers.asking: there is no scales.mood"),
        ("scales.ratings", None, "scales.ratings is missing: how claims are rated"),
        ("agent.private", ["honey"], "agent.private must hold names and values, not ['honey']"),
    ],
)
def test_each_damage_is_named_with_its_place(place: str, value: Any, complaint: str) -> None:
    document = copy.deepcopy(PLANTED)
    setting(place, value)(document)
    with pytest.raises(truth.TruthError) as caught:
        _read(document)
    assert complaint in str(caught.value)
    assert "truth.yaml: " in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [(b"truth: [", "is not YAML"), (b"\xff\xfe", "cannot be read"), (b"- 1\n", "is not a truth file")],
)
def test_what_is_no_truth_file_is_refused(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "truth.yaml"
    path.write_bytes(content)
    with pytest.raises(truth.TruthError, match=complaint):
        truth.read(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(truth.TruthError, match="give the path of a truth file"):
        truth.read(tmp_path / "absent.yaml")
