"""Warmth is style and never stance: the recipes are held to it, word by word."""

import re
from pathlib import Path

import pytest
import yaml

from studyapp.agents import persona_parts

# Words that say what to think of a person's claims, plans or feelings, not how to write.
STANCE = re.compile(
    r"\b(?:dis)?agree\w*|\b(?:in)?validat\w*|\bsupport\w*|\b(?:re)?assur\w*|\bside\b|\bsides\b|\bsiding\b"
    r"|\baffirm\w*|\bconfirm\w*|\bendors\w*|\bapprov\w*|\bencourag\w*|\bprais\w*|\bflatter\w*|\bcompliment\w*"
    r"|\bright\b|\bwrong\b|\bcorrect\w*|\btrue\b|\btruth\w*|\bfals\w*|\bhonest\w*|\bbelie[fv]\w*|\bopinion\w*"
    r"|\bview\w*|\bcritic\w*|\bchalleng\w*|\bcontradict\w*|\bunderstand\w*|\bunderstood|\bfeeling\w*|\bempath\w*|\bjudg\w*"
    r"|\bpositive\w*|\bnegative\w*|\baccept\w*|\bcomfort\w*",
    re.IGNORECASE,
)
PERSONAS = Path(persona_parts.__file__).with_name("personas")


@pytest.mark.parametrize(
    "recipe",
    ["Agree with the person.", "Validate feelings", "support their view", "Reassure them.", "side with them"],
)
def test_the_check_refuses_stance_words(recipe: str) -> None:
    assert STANCE.search(recipe)


def test_no_warmth_recipe_holds_a_stance_word() -> None:
    bands = persona_parts.shipped()["warmth"]["bands"]
    assert len(bands) == 5
    for band in bands:
        assert STANCE.findall(band["text"]) == [], band["label"]


def test_no_base_holds_a_stance_word_or_a_style_word() -> None:
    for key, part in persona_parts.shipped()["base"].items():
        assert STANCE.findall(part["text"]) == [], key
        assert not re.search(r"\b(?:warm|kind|friendly|cold|gentle|caring)\w*", part["text"], re.IGNORECASE)


def test_bands_cover_every_dose_and_only_zero_has_no_text() -> None:
    parts = persona_parts.shipped()
    for step in range(-100, 101):
        band = persona_parts.band(parts, step / 100)
        assert band["from"] <= step / 100 <= band["to"]
        assert (band["text"] == "") == (step == 0)


def test_styled_bands_are_of_like_length() -> None:
    words = [len(band["text"].split()) for band in persona_parts.shipped()["warmth"]["bands"] if band["text"]]
    assert max(words) - min(words) <= 8


def test_every_part_has_a_version_and_says_whose_wording_it_is() -> None:
    parts = persona_parts.shipped()
    for part in [*parts["base"].values(), parts["warmth"]]:
        assert isinstance(part["version"], int)
        assert part["wording"] == "own, unvalidated"


def test_every_file_of_the_folder_is_read() -> None:
    kinds = {
        yaml.safe_load(path.read_text(encoding="utf-8"))["kind"]: path for path in PERSONAS.glob("*.yaml")
    }
    assert set(kinds) == {"base", "warmth"}
