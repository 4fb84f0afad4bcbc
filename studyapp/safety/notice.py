"""Noticing words of distress in a participant's message. Pure; decides nothing but whether help is shown."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

DISTRESS_FILE = Path(__file__).with_name("distress.yaml")
# Straight, curly and modifier apostrophes, accents used as such: people type all of them, or none.
_APOSTROPHES = re.compile("['\u2018\u2019\u201b\u02bc\u02b9\u2032`\u00b4]")
_NOT_A_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Hit:
    """A phrase of the list that was found: ``rule`` is the phrase as listed, not the person's words."""

    rule: str
    category: str


def notice(text: str) -> list[Hit]:
    """Every listed phrase in the text, in the order of the list; [] when there is none.

    Negation is ignored on purpose: help that was not needed does no harm.
    """
    padded = f" {_normalised(text)} "
    return [Hit(rule, category) for rule, category in _rules().items() if f" {rule} " in padded]


def _normalised(text: str) -> str:
    """Lower case, apostrophes dropped, everything that is not a word turned into one blank."""
    plain = _APOSTROPHES.sub("", unicodedata.normalize("NFKC", _APOSTROPHES.sub("", text)).casefold())
    return _NOT_A_WORD.sub(" ", plain).strip()


@cache
def _rules() -> Mapping[str, str]:
    """Phrase -> category."""
    document = yaml.safe_load(DISTRESS_FILE.read_text(encoding="utf-8"))
    return {phrase: category for category, phrases in document["categories"].items() for phrase in phrases}
