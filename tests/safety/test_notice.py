"""Words of distress are noticed however they are typed; everyday exaggeration is not."""

import pytest
import yaml

from studyapp.safety.notice import DISTRESS_FILE, Hit, notice


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Sometimes I want to die.", "suicide"),
        ("I DON’T WANT TO LIVE", "suicide"),
        ("i dont want to live", "suicide"),
        ("thinking about suicide, again", "suicide"),
        ("They'd be better-off without me", "suicide"),
        ("I could kill   myself", "suicide"),
        ("I've been cutting myself", "self_harm"),
        ("self-harm", "self_harm"),
        ("My dad hits me.", "abuse"),
        ("I'm scared of my boyfriend", "abuse"),
        ("he threatened to kill me", "danger"),
        ("I can`t go on", "hopelessness"),
        ("It all feels hopeless!!!", "hopelessness"),
    ],
)
def test_words_of_distress_are_noticed_with_their_category(text: str, category: str) -> None:
    assert category in {hit.category for hit in notice(text)}


def test_a_negated_phrase_still_counts_because_showing_help_is_harmless() -> None:
    assert notice("I would never hurt myself") == [Hit("hurt myself", "self_harm")]


@pytest.mark.parametrize(
    "text",
    [
        "this exam is killing me",
        "beats me, no idea",
        "I could murder a sandwich",
        "My phone is dying",
        "dead tired after work",
        "it was a dead end",
        "My suit is idealised",
        "That joke slayed",
        "I am fine, thanks",
        "the plant died",
        "",
        "   ",
        "🙂",
    ],
)
def test_everyday_words_are_not_noticed(text: str) -> None:
    assert notice(text) == []


def test_several_phrases_give_several_hits_and_no_words_of_the_person() -> None:
    hits = notice("Anna says it is hopeless and I want to die")
    assert hits == [Hit("want to die", "suicide"), Hit("hopeless", "hopelessness")]


def test_every_listed_phrase_finds_itself() -> None:
    listed = yaml.safe_load(DISTRESS_FILE.read_text(encoding="utf-8"))["categories"]
    phrases = [(phrase, category) for category, some in listed.items() for phrase in some]
    assert len(phrases) == len({phrase for phrase, _ in phrases}), "a phrase is listed twice"
    for phrase, category in phrases:
        assert Hit(phrase, category) in notice(f"well, {phrase.upper()}."), phrase


def test_a_very_long_message_is_read_to_its_end() -> None:
    assert notice("blah " * 200_000 + "want to die") == [Hit("want to die", "suicide")]
