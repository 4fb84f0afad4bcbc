"""The agent's formula stands twice, in the agent and where planted values come from; here they meet."""

from itertools import product
from pathlib import Path

import pytest
import yaml

from analysis import truth
from studyapp.agents import demo_truth

TRUTHS = Path(__file__).resolve().parents[2] / "studies" / "truths"
CLAIMS = [
    {"key": "octopus_hearts", "truth": True},
    {"key": "goldfish_memory", "truth": False},
    {"key": "eiffel_summer", "truth": True},
    {"key": "window_glass", "truth": False},
    {"key": "reno_west", "truth": True},
    {"key": "not_listed", "truth": True},
    {"key": "not_listed_either", "truth": False},
]


def agents() -> dict[str, dict]:
    read = {
        name: yaml.safe_load((TRUTHS / f"{name}.yaml").read_text(encoding="utf-8"))["agent"]
        for name in ("planted", "nothing")
    }
    return {**read, "the demo agent's own": dict(demo_truth.default_truth())}


@pytest.mark.parametrize("name", ["planted", "nothing", "the demo agent's own"])
def test_both_say_the_same_of_every_claim_dose_and_cell(name: str) -> None:
    agent = agents()[name]
    demo_truth.check(agent)
    grid = product(CLAIMS, (-1.0, -0.3, 0.0, 0.5, 1.0), truth.STATED, (True, False), (True, False))
    for claim, dose, stated, persona, history in grid:
        planted = truth.agent_outcomes(
            agent, claim, dose=dose, stated=stated, persona=persona, history=history
        )
        told = demo_truth.stance_probabilities(
            agent,
            claim["key"],
            dose=dose,
            stated=stated,
            persona=persona,
            history=history,
            claim_truth=claim["truth"],
        )
        assert planted == pytest.approx(told, abs=1e-12), (claim, dose, stated, persona, history)
        assert sum(planted.values()) == pytest.approx(1.0, abs=1e-12)


def test_both_agree_on_what_is_held_in_private() -> None:
    agent = agents()["planted"]
    for claim in CLAIMS:
        assert truth.private_stance(agent, claim) == demo_truth.private_stance(
            agent, claim["key"], claim["truth"]
        )
