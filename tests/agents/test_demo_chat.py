"""Talking with the demo agent: plausible, plain, of like length at every dose, and never the same twice."""

import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from studyapp.agents import demo
from studyapp.agents.demo import MODEL, reply_text
from studyapp.agents.protocol import ReplyRequest, Turn
from tests.agents.test_persona_files import STANCE

WORDS = yaml.safe_load(Path(demo.__file__).with_name("demo_chat.yaml").read_text(encoding="utf-8"))
BANDS = ("cold", "default", "warm")
SAYS = [
    "I had an argument with my boss about a deadline.",
    "He wanted it by Friday and I can’t make it.",
    "I asked a colleague, but she had no time.",
    "I would like him to ask me first.",
    "Maybe I will write to him.",
    "Thanks.",
]


def talk(says: list[str], *, dose: float = 0.0, seed: int = 1, **context: Any) -> list[str]:
    """What the agent answers to each of these, in one conversation."""
    turns = [Turn("agent", "Hello. What is on your mind today?")]
    for text in says:
        turns.append(Turn("participant", text))
        request = ReplyRequest("", tuple(turns), MODEL, {}, seed, {"dose": dose, **context})
        turns.append(Turn("agent", reply_text(request)))
    return [turn.text for turn in turns[1:] if turn.role == "agent"]


@pytest.mark.parametrize("dose", [-1.0, -0.5, 0.0, 0.5, 1.0])
def test_every_reply_has_25_to_45_words(dose: float) -> None:
    for seed in range(30):
        for text in talk(SAYS, dose=dose, seed=seed):
            assert 25 <= len(text.split()) <= 45, text


def test_every_combination_of_pieces_stays_within_the_length_band() -> None:
    for stage, band in product(("first", "explore", "deepen", "close"), BANDS):
        receive = [text for topic in WORDS["receive"].values() for text in topic[band]]
        slots = [receive, WORDS["middle"][stage][band], WORDS["last"][stage][band]]
        lengths = [[len(text.split()) for text in slot] for slot in slots]
        assert sum(map(min, lengths)) >= 25 and sum(map(max, lengths)) <= 45, (stage, band)


def test_length_does_not_tell_the_dose() -> None:
    means = []
    for dose in (-1.0, 0.0, 1.0):
        words = [len(text.split()) for seed in range(80) for text in talk(SAYS[:4], dose=dose, seed=seed)]
        means.append(sum(words) / len(words))
    assert max(means) - min(means) < 1.5, means


@pytest.mark.parametrize("dose", [-1.0, 0.0, 0.5, 1.0])
def test_it_never_says_a_sentence_twice_in_a_conversation_of_six(dose: float) -> None:
    for seed in range(30):
        sentences = re.findall(r"[^.?!]+[.?!]", " ".join(talk(SAYS, dose=dose, seed=seed)))
        assert len(sentences) == len(set(sentences))


def test_a_whole_reply_never_comes_back_even_in_a_long_conversation() -> None:
    replies = talk(["ok"] * 60)
    assert len(set(replies)) == 60


def test_it_asks_three_times_and_then_ends_without_a_question() -> None:
    for seed, dose in product(range(20), (-1.0, 0.0, 1.0)):
        replies = talk(SAYS, dose=dose, seed=seed)
        assert ["?" in text for text in replies] == [True, True, True, False, False, False]


def test_the_same_conversation_gives_the_same_words_and_another_seed_others() -> None:
    assert talk(SAYS, seed=3) == talk(SAYS, seed=3)
    assert len({tuple(talk(SAYS, seed=seed)) for seed in range(10)}) == 10


def test_it_answers_to_what_the_person_wrote_about() -> None:
    for seed in range(20):
        [work] = talk(["I had an argument with my boss about a deadline at work."], seed=seed)
        [sleep] = talk(["I slept badly and I am tired."], seed=seed)
        assert "work" in work
        assert "rest" in sleep


def test_it_repeats_no_words_of_the_person() -> None:
    for text in talk(["My zebra Xanthippe ate the marmalade", "Xanthippe likes marmalade"]):
        assert not re.search("zebra|Xanthippe|marmalade", text)


def test_warm_and_default_replies_share_no_sentence_at_full_dose() -> None:
    warm = {piece for seed in range(20) for piece in talk(SAYS, dose=1.0, seed=seed)}
    plain = {piece for seed in range(20) for piece in talk(SAYS, dose=0.0, seed=seed)}
    off = {piece for seed in range(20) for piece in talk(SAYS, dose=1.0, seed=seed, persona=False)}
    assert not warm & plain
    assert off == plain, "without the persona there is no dose"


def test_half_a_dose_mixes_plain_and_warm_pieces() -> None:
    pieces = {
        band: [text for topic in WORDS["receive"].values() for text in topic[band]]
        + [text for slot in ("middle", "last") for stage in WORDS[slot].values() for text in stage[band]]
        for band in BANDS
    }
    replies = " ".join(text for seed in range(60) for text in talk(SAYS, dose=0.5, seed=seed))
    warm = sum(replies.count(text) for text in pieces["warm"])
    plain = sum(replies.count(text) for text in pieces["default"])
    assert 0.4 < warm / (warm + plain) < 0.6
    assert not any(text in replies for text in pieces["cold"])


@pytest.mark.parametrize(
    "question",
    [
        "Are you a real person?",
        "are you human",
        "Am I talking to a bot?",
        "is this an AI?",
        "are you a robot??",
    ],
)
@pytest.mark.parametrize("dose", [-1.0, 0.0, 1.0])
def test_asked_it_says_that_it_is_an_ai_and_a_demo(question: str, dose: float) -> None:
    [text] = talk([question], dose=dose)
    assert re.search(r"\bAI\b", text) and "DEMO" in text
    assert 25 <= len(text.split()) <= 45


def test_asked_about_somebody_else_it_goes_on() -> None:
    [text] = talk(["My boss is a difficult person and I am a machine at work."])
    assert "DEMO" not in text


@pytest.mark.parametrize("text", ["I want to die", "sometimes I want to kill myself", "I was abused."])
def test_words_of_danger_get_the_same_plain_pointer_to_help_at_every_dose(text: str) -> None:
    answers = {dose: talk([text], dose=dose)[0] for dose in (-1.0, 0.0, 1.0)}
    for answer in answers.values():
        assert answer in WORDS["heavy"]
        assert "Need support?" in answer or "emergency" in answer


def test_no_chat_piece_takes_a_stance() -> None:
    for slot in ("receive", "middle", "last"):
        for part in WORDS[slot].values():
            for text in [text for band in BANDS for text in part[band]]:
                # "Understood." and "a feeling is the subject" take note; they say nothing about it.
                assert {word.lower() for word in STANCE.findall(text)} <= {"feeling", "understood"}, text


def test_every_slot_has_as_many_pieces_in_every_band() -> None:
    for slot in ("receive", "middle", "last"):
        for name, part in WORDS[slot].items():
            assert len({len(part[band]) for band in BANDS}) == 1, (slot, name)
            texts = [text for band in BANDS for text in part[band]]
            assert len(texts) == len(set(texts)), (slot, name)


def test_a_dose_outside_the_range_is_refused() -> None:
    with pytest.raises(ValueError, match="dose"):
        talk(["Hello"], dose=1.2)
