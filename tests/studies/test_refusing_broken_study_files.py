"""Every way to break a study file that we know of: where it is said to be broken, and in which words.

Each variant replaces one text of the small study; the complaint must name the line that ends in
``# here``.
"""

from pathlib import Path

import pytest

from studyapp.studies import study_file
from studyapp.studies.complaints import StudyFileError
from tests.studies.small_study import CHAT

HERE = "# here"

ALLOCATION = "  - {key: allocation, kind: allocation}\n"
RATINGS_BEFORE = "  - {key: ratings_before, kind: ratings, when: before, unless: solomon}\n"
TALK = "kind: conversation, min_turns: 1, max_turns: 3, prompt: Say hello.}"

BROKEN = {
    "a key nobody knows": ("title: A small study", "titel: A small study # here", "did you mean 'title'?"),
    "an unknown key far inside": (
        "warmth: 1\n",
        "warmth: 1\n    warmht: 1 # here\n",
        "did you mean 'warmth'",
    ),
    "an unknown key in a step": (
        "prompt: Say hello.}",
        "prompt: Say hello., max_turn: 3} # here",
        "did you mean 'max_turns'",
    ),
    "a key twice": (
        "duration_minutes: 3",
        "duration_minutes: 3\ntitle: Again # here",
        "given twice (first on line 3)",
    ),
    "a list where text should be": ("title: A small study", "title: [A, study] # here", "is not text"),
    "text where a number should be": (
        "duration_minutes: 3",
        "duration_minutes: three # here",
        "whole number",
    ),
    "a version we do not know": ("plainheart: 1", "plainheart: 2 # here", "2 is not 1"),
    "a slug with spaces": ("slug: small", "slug: a small one # here", "as in warm-and-plain"),
    "nothing where text should be": ("title: A small study", "title: # here", "nothing is not text"),
    "an address that is none": ("ada@university.example}", "ada} # here", "e-mail"),
    "a country by name": ("countries: [GB, NO]", "countries: [Britain] # here", "two capital letters"),
    "too young": ("minimum_age: 18", "minimum_age: 12", "at least 16"),
    "a dose out of range": ("warmth: 1\n", "warmth: 1.5 # here\n", "1.5 is too large, it must be at most 1"),
    "a dose that is no number": ("warmth: 1\n", "warmth: hot # here\n", "'hot' is not a number"),
    "an unknown prompt mode": (
        "warmth: 1\n",
        "warmth: 1\n    prompt_mode: recipe_and_test # here\n",
        "did you mean 'recipe_and_text'",
    ),
    "a prompt text nobody would use": (
        "  - slug: warm\n",
        "  - slug: warm # here\n    prompt_text: Be kind.\n",
        "mode recipe leaves prompt_text unused",
    ),
    "a mode without its text": (
        "  - slug: warm\n",
        "  - slug: warm # here\n    prompt_mode: text\n",
        "needs a prompt_text",
    ),
    "a level nobody defined": (
        "factors: {warmth: warm}",
        "factors: {warmth: hot} # here",
        "'hot' is no level of warmth; levels are default, warm",
    ),
    "a level no condition has": (
        "levels: [default, warm]",
        "levels: [default, warm, cold] # here",
        "no condition has the level 'cold'",
    ),
    "a factor nobody defined": (
        "factors: {warmth: warm}",
        "factors: {warmth: warm, voice: on} # here",
        "is no factor of this study",
    ),
    "a factor left out": (
        "factors: {warmth: warm}",
        "factors: {} # here",
        "does not say the level of warmth",
    ),
    "a factor named like a column": (
        "  - name: warmth",
        "  - name: session # here",
        "a column of every table",
    ),
    "two conditions alike": (
        "  - slug: warm\n    label: Warm style\n    factors: {warmth: warm}\n    warmth: 1",
        "  - slug: warm # here\n    label: Warm style\n    factors: {warmth: warm}\n    warmth: 0",
        "is just like condition 'default'",
    ),
    "two conditions of one name": ("slug: warm\n", "slug: default # here\n", "'default' is there already"),
    "two conditions with the same levels": (
        "  - slug: warm\n    label: Warm style\n    factors: {warmth: warm}",
        "  - slug: warm # here\n    label: Warm style\n    factors: {warmth: default}",
        "has the factor levels of condition 'default'",
    ),
    "a card without truth": (
        "ice floats on water, truth: true,",
        "ice floats on water,",
        "claims[ice].truth: is missing",
    ),
    "a truth that is neither": (
        "water, truth: true,",
        "water, truth: maybe,",
        "'maybe' is not true or false",
    ),
    "a claim with a full stop": ("claim: bats are blind,", "claim: bats are blind.,", "no stop after it"),
    "a claim key twice": ("{key: moon,", "{key: ice,", "'ice' is there already"),
    "a review without a date": (
        "domain: physics, source: A textbook, verified: no",
        "domain: physics, source: A textbook, verified: yes",
        "a person and a date",
    ),
    "a template without a claim": (
        'none: "Is it true that {claim}?"',
        'none: "Is it true?" # here',
        "needs {claim} once",
    ),
    "more discussed than rated": (
        "cards: {rated: 4, discussed: 2}",
        "cards: {rated: 2, discussed: 4} # here",
        "4 claims cannot be discussed of 2 rated",
    ),
    "more rated than there are": (
        "cards: {rated: 4, discussed: 2}",
        "cards: {rated: 6, discussed: 2} # here",
        "6 claims cannot be rated of 4 claims",
    ),
    "an odd number rated": (
        "cards: {rated: 4, discussed: 2}",
        "cards: {rated: 3, discussed: 2} # here",
        "is odd",
    ),
    "too few true claims": (
        "ice floats on water, truth: true",
        "ice floats on water, truth: false",
        "half of 4 rated claims are true ones; there are 1; add 1",
    ),
    "more probed than there are": (
        "per_session: 4}",
        "per_session: 9} # here",
        "9 claims cannot be probed of 4",
    ),
    "blocks that cannot hold the conditions": (
        "block_sizes: [2]}",
        "block_sizes: [3]} # here",
        "use multiples of 2",
    ),
    "blocks without sizes": (", block_sizes: [2]}", "} # here", "permuted_blocks needs block_sizes"),
    "an unknown scale": (
        "scale: session_support}\n  - {key: cards",
        "scale: session_suport} # here\n  - {key: cards",
        "there is no scale 'session_suport'; did you mean 'session_support'",
    ),
    "items for a scale that has its own": (
        "{key: mood_before, kind: scale, scale: affect}",
        "{key: mood_before, kind: scale, scale: affect, items: [{key: a, text: b}]} # here",
        "affect has items of its own",
    ),
    "a scale whose items the study must give": (
        "{key: mood_before, kind: scale, scale: affect}",
        "{key: mood_before, kind: scale, scale: ratings} # here",
        "ratings leaves its items to the study",
    ),
    "a word the scale has no place for": (
        "{key: mood_before, kind: scale, scale: affect}",
        "{key: mood_before, kind: scale, scale: affect, words: {robot: Ari}} # here",
        "affect has no place for it",
    ),
    "a primary outcome nobody asks": (
        "felt: {scale: session_support,",
        "felt: {scale: fhs7,",
        "'fhs7' is not asked",
    ),
    "a scale asked twice as primary outcome": (
        "felt: {scale: session_support, score: support,",
        "felt: {scale: affect, score: pleasure,",
        "'affect' is not asked",
    ),
    "a score the scale does not have": ("score: support,", "score: suport,", "did you mean 'support'?"),
    "an unknown kind of step": (
        "{key: talk, kind: conversation,",
        "{key: talk, kind: conversatoin,",
        "'conversatoin' is no kind of step; did you mean 'conversation'",
    ),
    "a step without a kind": ("{key: code, kind: code}", "{key: code} # here", "kinds of step are consent"),
    "a step key twice": ("{key: mood_after,", "{key: mood_before,", "'mood_before' is there already"),
    "no consent first": ("  - {key: consent, kind: consent}\n", "", "a session begins with consent"),
    "no debrief": ("  - {key: debrief, kind: debrief}\n", "", "there is no debrief"),
    "code not last": (
        "{key: code, kind: code}",
        "{key: mood, kind: scale, scale: affect} # here",
        "a session ends with code",
    ),
    "no allocation": (ALLOCATION, "", "no allocation comes before it"),
    "allocation too early": (
        RATINGS_BEFORE + ALLOCATION,
        ALLOCATION.replace("}", "} # here") + RATINGS_BEFORE,
        "not directly before the first step that differs, talk",
    ),
    "conversation before allocation": (
        "  - {key: mood_before,",
        f"  - {{key: early, {TALK} # here\n  - {{key: mood_before,",
        "conversation comes before allocation",
    ),
    "two allocations": (
        "  - {key: debrief, kind",
        "  - {key: again, kind: allocation} # here\n  - {key: debrief, kind",
        "allocation is there already",
    ),
    "cards without a conversation": (
        f"  - {{key: talk, {TALK}\n",
        "",
        "cards continue a conversation, and none comes before",
    ),
    "right without cards": (
        "  - {key: cards, kind: cards, intro: Ask away., unless: solomon}\n",
        "",
        "right asks about cards, and none come before",
    ),
    "ratings after with none before": (
        RATINGS_BEFORE,
        "",
        "no ratings before them",
    ),
    "the Solomon share asked all the same": (
        "when: after, unless: solomon}",
        "when: after} # here",
        "add 'unless: solomon'",
    ),
    "nobody drawn for Solomon": ("share: 0.2", "share: 0", "yet steps say 'unless: solomon'"),
    "more turns than there may be": ("min_turns: 1,", "min_turns: 5,", "5 turns cannot be had"),
    "a base part that is not there": (
        "  provider: demo",
        "  provider: demo\n  base: plian # here",
        "did you mean 'plain'?",
    ),
    "a return address without the code": (
        "codes: {complete: SMALL-DONE}",
        "codes: {complete: SMALL-DONE}\n  return_url: https://panel.example/done # here",
        "https address with {code}",
    ),
    "an anchor": (
        "title: A small study",
        "title: &t A small study\nsummary: *t # here",
        "anchors and aliases",
    ),
    "a tag": (
        "title: A small study",
        "title: !!float small # here",
        "tags (tag:yaml.org,2002:float) are not",
    ),
    "a character no text can keep": (
        "title: A small study",
        'title: "A small\\0study" # here',
        "holds the character U+0000",
    ),
    "half a character": ("title: A small study", 'title: "\\ud83d" # here', "holds the character U+D83D"),
    "an infinite parameter": (
        "  provider: demo",
        "  provider: demo\n  parameters: {temperature: 1e999} # here",
        "what JSON cannot carry",
    ),
    "a tab": ("  intro: A short talk with an AI.", "\tintro: A short talk # here", "not valid YAML"),
    "a bracket left open": ("countries: [GB, NO]", "countries: [GB, NO", "not valid YAML"),
}


def complaints(text: str) -> list[str]:
    with pytest.raises(StudyFileError) as refused:
        study_file.parse_text(text, name="small.yaml")
    return str(refused.value).splitlines()


@pytest.mark.parametrize("variant", BROKEN)
def test_a_broken_study_file_is_refused_with_place_and_way_out(variant: str) -> None:
    old, new, words = BROKEN[variant]
    assert old in CHAT, "the variant no longer breaks anything"
    text = CHAT.replace(old, new, 1)
    found = [line for line in complaints(text) if words in line]
    assert found, "\n".join(complaints(text))
    assert found[0].startswith("small.yaml:")
    if HERE in text:
        number = next(n for n, line in enumerate(text.splitlines(), 1) if line.endswith(HERE))
        assert f"small.yaml:{number}: " in found[0]


def test_the_study_that_is_broken_here_is_sound_unbroken() -> None:
    assert study_file.parse_text(CHAT, name="small.yaml").slug == "small"


def test_all_complaints_come_at_once_in_the_order_of_lines() -> None:
    text = (
        CHAT.replace("title: A small study", "titel: A small study")
        .replace("rated: 4", "rated: 40")
        .replace("warmth: 1\n", "warmth: 7\n")
        .replace("{key: debrief, kind: debrief}", "{key: debrief, kind: scale, scale: nowhere}")
    )
    found = complaints(text)
    lines = [int(line.split(":")[1]) for line in found]
    assert lines == sorted(lines)
    for words in ("did you mean 'title'", "at most 1", "40 claims", "no scale 'nowhere'", "no debrief"):
        assert any(words in line for line in found), words


def test_a_place_is_named_by_the_keys_of_its_entries() -> None:
    assert "conditions[warm].warmth" in complaints(CHAT.replace("warmth: 1\n", "warmth: 7\n"))[0]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"# only a comment\n", "is empty"),
        (b"just a sentence", "holds no keys"),
        (b"- a\n- list\n", "holds no keys"),
        (b"a: 1\nb: \xff\xfe\n", "binary.yaml:2: is not UTF-8 text"),
        (b"a: \x07bell\n", "a character that text files do not have"),
        (b"a: " + b"[" * 5000, "nested deeper"),
        (b"x" * 1_000_001, "more than the 1,000,000 bytes of any study file"),
        (b"a: 1\n---\nb: 2\n", "not valid YAML"),
        (b"? [a, b]\n: 1\n", "where a key should"),
    ],
)
def test_a_file_that_is_no_study_gets_one_clear_line(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "binary.yaml"
    path.write_bytes(content)
    with pytest.raises(StudyFileError) as refused:
        study_file.read(path)
    assert words in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(StudyFileError, match="there is no such file"):
        study_file.read(tmp_path / "nowhere.yaml")
    with pytest.raises(StudyFileError, match="is a folder"):
        study_file.read(tmp_path)


def test_whichever_line_is_lost_the_file_is_read_or_refused_with_lines() -> None:
    lines = CHAT.splitlines(keepends=True)
    refused = 0
    for index in range(len(lines)):
        text = "".join(lines[:index] + lines[index + 1 :])
        try:
            study_file.parse_text(text, name="small.yaml")
        except StudyFileError as error:
            refused += 1
            assert all(complaint.line for complaint in error.complaints), lines[index]
    assert refused > len(lines) // 2
