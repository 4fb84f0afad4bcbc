"""A persona becomes a system prompt by one pure rule."""

import copy
import json
from typing import Any

import pytest

from studyapp.agents import persona_parts
from studyapp.agents.prompt import compose
from studyapp.canonical import sha256

PERSONA: dict[str, Any] = {"agent_name": "Robin", "warmth": 0.0, "prompt_mode": "recipe"}


def test_dose_zero_adds_no_style_text_at_all() -> None:
    base = persona_parts.shipped()["base"]["plain"]["text"].replace("{agent_name}", "Robin").strip()
    assert compose(PERSONA).system == base


def test_the_hash_is_of_the_text_and_the_same_persona_gives_the_same() -> None:
    composed = compose(PERSONA)
    assert composed.sha256 == sha256(composed.system)
    assert compose(dict(PERSONA)) == composed
    assert compose({**PERSONA, "warmth": 1.0}).sha256 != composed.sha256


@pytest.mark.parametrize(
    ("dose", "label"),
    [
        (-1.0, "cold"),
        (-0.5, "cold"),
        (-0.2, "cool"),
        (0.0, "default"),
        (-0.0, "default"),
        (0, "default"),
        (0.2, "friendly"),
        (0.5, "warm"),
        (1, "warm"),
    ],
)
def test_a_dose_has_the_style_of_its_band_after_the_base(dose: float, label: str) -> None:
    parts = persona_parts.shipped()
    band = persona_parts.band(parts, dose)
    assert band["label"] == label
    plain = compose(PERSONA).system
    expected = f"{plain}\n\n{band['text'].strip()}" if band["text"] else plain
    assert compose({**PERSONA, "warmth": dose}).system == expected


@pytest.mark.parametrize("dose", [-1.01, 1.5, float("nan")])
def test_a_dose_outside_the_range_is_refused(dose: float) -> None:
    with pytest.raises(ValueError, match="warmth"):
        compose({**PERSONA, "warmth": dose})


def test_text_comes_after_the_recipe_or_alone() -> None:
    text = "Speak of {agent_name} and of {other}."
    both = compose({**PERSONA, "prompt_mode": "recipe_and_text", "prompt_text": text}).system
    alone = compose({**PERSONA, "prompt_mode": "text", "prompt_text": text}).system
    assert alone == "Speak of Robin and of {other}."
    assert both == compose(PERSONA).system + "\n\n" + alone


@pytest.mark.parametrize("mode", ["text", "recipe_and_text"])
def test_a_mode_with_text_needs_one(mode: str) -> None:
    with pytest.raises(ValueError, match="prompt_text"):
        compose({**PERSONA, "prompt_mode": mode, "prompt_text": "  "})


def test_mode_none_sends_nothing_whatever_else_is_set() -> None:
    assert compose({**PERSONA, "prompt_mode": "none", "warmth": 1.0, "notes": ["x"]}).system == ""


def test_notes_come_last_and_unchanged() -> None:
    system = compose({**PERSONA, "warmth": 1.0, "notes": ["First note.", "Second note."]}).system
    assert system.endswith("\n\nFirst note.\n\nSecond note.")
    assert compose({**PERSONA, "notes": "One."}).system.endswith("\n\nOne.")


def test_unknown_modes_and_bases_are_named() -> None:
    with pytest.raises(ValueError, match="'poem'"):
        compose({**PERSONA, "prompt_mode": "poem"})
    with pytest.raises(ValueError, match=r"'grand' is not one of plain"):
        compose({**PERSONA, "base": "grand"})


def test_frozen_parts_are_used_instead_of_the_shipped_ones() -> None:
    frozen = json.loads(json.dumps(copy.deepcopy(persona_parts.shipped())))
    assert compose({**PERSONA, "parts": frozen}) == compose(PERSONA)
    frozen["base"]["plain"]["text"] = "As it was then."
    assert compose({**PERSONA, "parts": frozen}).system == "As it was then."
