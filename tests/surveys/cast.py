"""A small fixed cast of scales, and strings that have broken tables elsewhere."""

from typing import Any

from surveys.administration import administer
from surveys.models import Administration
from surveys.scale_file import load

HOSTILE = [
    "two\nlines",
    'he said "no", then left; \'twas odd',
    "tab\there",
    "a lone\rcarriage return",
    "line\u2028separator and \u2029 paragraph",
    "👩‍👩‍👧‍👦 family and 🏳️‍🌈",
    "שלום, مرحبا and \u202eturned\u202c",
    "e\u0301 combining",
    "=1+1",
    "<script>alert(1)</script>&amp;",
    "  spaces around  ",
    "\nfirst line empty",
    "a" * 8000,
]

# One item of every kind, and every way not to answer.
MIXED: dict[str, Any] = {
    "key": "mixed",
    "name": "Mixed",
    "version": "1",
    "construct": "none",
    "wording": "own",
    "licence": "GPL-3.0-or-later",
    "reference": "Own wording.",
    "verified": {"instruction": "own, unvalidated", "anchors": "own, unvalidated"},
    "instruction": "Please answer about {agent}.",
    "kind": "likert",
    "points": 5,
    "anchors": {1: "Never", 5: "Always"},
    "prefer_not": "I prefer not to say",
    "items": [
        {"key": "pair", "kind": "semantic_differential", "poles": {"positive": "Warm", "negative": "Cold"}},
        {"key": "likert", "text": "{agent} listens"},
        {"key": "line", "kind": "slider", "text": "How much?", "anchors": {0: "Nothing", 100: "All"}},
        {
            "key": "one",
            "kind": "choice",
            "text": "Which?",
            "choices": [{"value": 0, "label": "None"}, {"value": 1, "label": "One"}],
        },
        {
            "key": "many",
            "kind": "choices",
            "text": "Which of these?",
            "choices": [{"value": 1, "label": "A"}, {"value": 2, "label": "B"}, {"value": 10, "label": "C"}],
        },
        {"key": "count", "kind": "number", "text": "How many?", "minimum": 0, "maximum": 120},
        {"key": "short", "kind": "short_text", "text": "In a word?"},
        {"key": "long", "kind": "long_text", "text": "In your words?", "optional": True},
    ],
}
for _item in MIXED["items"]:
    _item["verified"] = "own, unvalidated"


def ask(key: str = "", *, seed: int = 1, **more: Any) -> Administration:
    """An asking of a shipped scale, or of the mixed one."""
    document = load(key).document() if key else MIXED
    return administer(scale=document, seed=seed, words={"agent": "Juno"}, **more)


def complete_form() -> dict[str, str]:
    """A form that answers every item of the mixed scale."""
    given = {"pair": "5", "likert": "2", "line": "0", "one": "0", "count": "0", "short": "yes"}
    return {f"i-{key}": value for key, value in given.items()} | {"i-many": "1,10", "i-long": "words"}
