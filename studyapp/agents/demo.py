"""The demo agent: authored English, the same reply for the same truth, seed, turns and context.

It shows how a study runs without any model, and what it says about claims comes from a truth that is known,
so that an analysis can be held against it. It is labelled DEMO and studies that go live refuse it.
"""

import random
import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from studyapp.agents.demo_truth import (
    OUTCOMES,
    default_truth,
    probability_told_private,
    stance_probabilities,
)
from studyapp.agents.protocol import Delta, Finished, ReplyRequest, Turn
from studyapp.canonical import sha256
from studyapp.seeds import derive, rng

__all__ = ["MODEL", "DemoAgent", "probability_told_private", "reply_text", "stance_probabilities"]

MODEL = "demo-1"
_FOLDER = Path(__file__).parent
_ABOUT_ITSELF = re.compile(
    r"\b(?:are|r) (?:you|u) (?:really |actually |just )?(?:an? )?(?:\w+ )?"
    r"(?:human|person|people|real|robot|bot|chatbot|machine|computer|program|ai)\b"
    r"|\b(?:am i|is this|are we) (?:talking|chatting|speaking|writing)? ?(?:to|with)? ?(?:an? )?(?:\w+ )?"
    r"(?:human|person|bot|chatbot|robot|machine|ai)\b",
    re.IGNORECASE,
)


class DemoAgent:
    """The provider of kind ``demo``. Keeps nothing between replies."""

    async def reply(self, request: ReplyRequest) -> AsyncIterator[Delta | Finished]:
        text = reply_text(request)
        for piece in re.findall(r"\S+\s*", text):
            yield Delta(piece)
        yield Finished(
            reason="stop",
            model=MODEL,
            # Words, not tokens: nothing here has a tokeniser, and the model's name says so.
            input_tokens=len(request.system.split()) + sum(len(turn.text.split()) for turn in request.turns),
            output_tokens=len(text.split()),
            request_id=f"demo-{derive(request.seed, 'request', _digest(request.turns)):x}",
        )

    async def aclose(self) -> None:
        """Nothing is held open."""


def reply_text(request: ReplyRequest) -> str:
    """The whole reply. Reads from the context: claim, stated, draw, persona, history, dose, truth.

    Raises ValueError when the context names a dose, a stated belief or a claim it cannot use.
    """
    context = request.context
    dose = float(context.get("dose", 0.0)) if context.get("persona", True) else 0.0
    if not -1.0 <= dose <= 1.0:
        raise ValueError(f"context dose {dose!r} is outside -1 to 1")
    if context.get("claim"):
        return _claim_reply(request, dose)
    return _chat_reply(request, dose)


def _digest(turns: Sequence[Turn]) -> str:
    return sha256("\x1e".join(f"{turn.role}\x1f{turn.text}" for turn in turns))


def _band(dose: float, chance: random.Random) -> str:
    """The band one piece is taken from: between 0 and full dose, a share of pieces as large as the dose."""
    if chance.random() >= abs(dose):
        return "default"
    return "warm" if dose > 0 else "cold"


# --- claims


@cache
def _claim_words() -> Mapping[str, Any]:
    words: dict[str, Any] = yaml.safe_load((_FOLDER / "demo_claims.yaml").read_text(encoding="utf-8"))
    return words


def _claim_reply(request: ReplyRequest, dose: float) -> str:
    context = request.context
    claim = context["claim"]
    stated = context.get("stated") or "none"
    persona, history = bool(context.get("persona", True)), bool(context.get("history", True))
    chance = rng(
        request.seed,
        "claim",
        claim["key"],
        stated,
        context.get("draw", 0),
        persona,
        history,
        dose,
        _digest(request.turns),
    )
    shares = stance_probabilities(
        context.get("truth") or default_truth(),
        claim["key"],
        dose=dose,
        stated=stated,
        persona=persona,
        history=history,
        claim_truth=claim.get("truth"),
    )
    outcome = chance.choices(OUTCOMES, weights=[shares[name] for name in OUTCOMES])[0]
    words = _claim_words()
    cores = words["cores"][outcome]
    core = chance.choice(cores.get(stated) or cores["any"])
    opener = chance.choice(words["openers"][_band(dose, chance)])
    closer = chance.choice(words["closers"][_band(dose, chance)])
    return f"{opener} {core.format(claim=claim['text'].strip().rstrip('.'))} {closer}"


# --- conversation


@cache
def _chat_words() -> Mapping[str, Any]:
    words: dict[str, Any] = yaml.safe_load((_FOLDER / "demo_chat.yaml").read_text(encoding="utf-8"))
    return words


def _stage(number: int) -> str:
    """The stage at the participant's message of this number, from 1: asks three times, then closes."""
    return {1: "first", 2: "explore", 3: "deepen"}.get(number, "close")


def _chat_reply(request: ReplyRequest, dose: float) -> str:
    words = _chat_words()
    asked = [turn.text for turn in request.turns if turn.role == "participant"]
    said = [turn.text for turn in request.turns if turn.role == "agent"]
    latest = asked[-1] if asked else ""
    chance = rng(request.seed, "chat", dose, _digest(request.turns))
    plain = latest.replace("\u2019", "'").lower()
    if any(phrase in plain for phrase in words["heavy_words"]):
        return _unsaid([words["heavy"]], said, chance)
    if _ABOUT_ITSELF.search(plain):
        return _unsaid([words["about_itself"][_band(dose, chance)]], said, chance)
    stage = _stage(len(asked))
    receive, middle, last = (_band(dose, chance) for _ in range(3))
    topic = _topic(plain, words["topics"])
    fitting = [*words["receive"][topic][receive]] if topic else []
    if not any(_fresh(piece, said) for piece in fitting):
        fitting = words["receive"]["general"][receive]
    return _unsaid([fitting, words["middle"][stage][middle], words["last"][stage][last]], said, chance)


def _topic(text: str, topics: Mapping[str, Iterable[str]]) -> str | None:
    """The topic with most of its words in the text; the first listed of equals; None without any."""
    found = set(re.findall(r"[a-z']+", text))
    counts = {topic: len(found & set(names)) for topic, names in topics.items()}
    best = max(counts, key=lambda topic: counts[topic])
    return best if counts[best] else None


def _fresh(piece: str, said: Sequence[str]) -> bool:
    return not any(piece in text for text in said)


def _unsaid(slots: Sequence[Sequence[str]], said: Sequence[str], chance: random.Random) -> str:
    """One piece per slot, of pieces not said yet while there are any; never a whole reply said before.

    When every combination was used, the last resort is the first in this turn's own order.
    """
    orders = [chance.sample(list(slot), len(slot)) for slot in slots]
    fresh_first = [sorted(order, key=lambda piece: not _fresh(piece, said)) for order in orders]
    replies = (" ".join(pieces) for pieces in product(*fresh_first))
    last_resort = " ".join(order[0] for order in orders)
    return next((reply for reply in replies if reply not in said), last_resort)
