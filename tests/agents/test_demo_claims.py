"""Put a claim to the demo agent: it answers by its truth, in plain words, differently from draw to draw."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from studyapp.agents import demo
from studyapp.agents.demo import MODEL, DemoAgent, reply_text, stance_probabilities
from studyapp.agents.demo_truth import default_truth
from studyapp.agents.protocol import ReplyRequest
from tests.agents.collecting import collect, said
from tests.agents.test_persona_files import STANCE

CLAIM = {"key": "honey", "text": "honey never spoils if it is kept sealed", "truth": True}


def asking(seed: int = 1, **context: Any) -> ReplyRequest:
    context = {"claim": CLAIM, "stated": "none", "draw": 0, "dose": 0.0, **context}
    return ReplyRequest(system="", turns=said("Is it true?"), model=MODEL, seed=seed, context=context)


def outcome_of(text: str) -> str:
    """Which of the authored ways of answering this is, told by their plain words."""
    if re.search(r"feelings|feels for you", text):
        return "deflects"
    if re.search(r"\bwhether honey\b", text):
        return "uncommitted"
    if re.search(r"\b(?:not true|false) that honey\b", text):
        return "denies"
    assert re.search(r"\b(?:true|correct) that honey\b", text), text
    return "asserts"


def test_the_same_request_gives_the_same_words() -> None:
    assert reply_text(asking(seed=9)) == reply_text(asking(seed=9))


def test_draws_seeds_and_turns_give_different_words() -> None:
    assert len({reply_text(asking(draw=draw)) for draw in range(20)}) > 8
    assert len({reply_text(asking(seed=seed)) for seed in range(20)}) > 8
    other = ReplyRequest("", said("Hello", "Welcome", "Is it true?"), MODEL, {}, 1, asking().context)
    assert len({reply_text(asking()), reply_text(other)}) == 2


@pytest.mark.parametrize(
    "setting",
    [
        {"dose": 0.0, "stated": "none", "persona": True, "history": True},
        {"dose": 1.0, "stated": "against", "persona": True, "history": True},
        {"dose": 1.0, "stated": "none", "persona": False, "history": False},
    ],
)
def test_it_answers_as_often_as_its_truth_says(setting: dict[str, Any]) -> None:
    draws = 2000
    counts = Counter(outcome_of(reply_text(asking(draw=draw, **setting))) for draw in range(draws))
    expected = stance_probabilities(default_truth(), "honey", claim_truth=True, **setting)
    for outcome, share in expected.items():
        # Four standard errors; the draws are seeded, so this passes or fails for good.
        assert counts[outcome] / draws == pytest.approx(share, abs=4 * (share * (1 - share) / draws) ** 0.5)


def test_a_truth_handed_over_replaces_the_default() -> None:
    always = {
        **default_truth(),
        "private": {"honey": "denies"},
        "intercept": 5.0,
        "uncommitted": {"at_0": 0.001, "per_dose": 0.0},
        "deflects": {"at_0": 0.001, "per_dose": 0.0},
    }
    outcomes = Counter(outcome_of(reply_text(asking(draw=draw, truth=always))) for draw in range(200))
    assert outcomes["denies"] > 190


def test_an_answer_against_the_stated_belief_says_so() -> None:
    texts = [reply_text(asking(draw=draw, stated="against")) for draw in range(300)]
    asserting = [text for text in texts if outcome_of(text) == "asserts"]
    assert asserting
    assert all(re.search(r"differently|otherwise", text) for text in asserting)
    assert not any(
        re.search(r"differently|otherwise", text) for text in texts if outcome_of(text) == "denies"
    )


def test_claims_are_answered_in_like_length_at_every_dose() -> None:
    for dose in (-1.0, 0.0, 1.0):
        words = [len(reply_text(asking(draw=draw, dose=dose)).split()) for draw in range(400)]
        assert min(words) >= 25 and max(words) <= 45
        assert 34 <= sum(words) / len(words) <= 38, dose


def test_with_the_persona_off_the_dose_changes_nothing_in_the_style() -> None:
    def openers(**context: Any) -> set[str]:
        return {" ".join(reply_text(asking(draw=draw, **context)).split()[:6]) for draw in range(60)}

    assert openers(dose=1.0, persona=False) == openers(dose=0.0)
    assert not openers(dose=1.0, persona=False) & openers(dose=1.0)


def test_a_claim_without_its_truth_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="'honey'"):
        reply_text(asking(claim={"key": "honey", "text": "honey never spoils"}))


async def test_it_streams_word_by_word_and_counts_words_under_its_own_name() -> None:
    request = asking()
    reply = await collect(DemoAgent(), request)
    assert reply.text == reply_text(request)
    assert len(reply.deltas) == len(reply.text.split()) == reply.finished.output_tokens
    assert reply.finished.model == MODEL
    assert reply.finished.reason == "stop"
    assert reply.finished.input_tokens == 3
    assert (await collect(DemoAgent(), request)).finished == reply.finished


def test_openers_and_closers_carry_style_and_no_stance() -> None:
    words = yaml.safe_load(Path(demo.__file__).with_name("demo_claims.yaml").read_text(encoding="utf-8"))
    for slot in ("openers", "closers"):
        assert len({len(words[slot][band]) for band in ("cold", "default", "warm")}) == 1
        for text in [text for band in words[slot].values() for text in band]:
            assert STANCE.findall(text) == [], text
            assert not re.search(r"\b(?:yes|no|not|sure)\b,", text, re.IGNORECASE), text
