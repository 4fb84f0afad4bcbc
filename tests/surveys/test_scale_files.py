"""Every scale that ships, and what is said about one that is broken."""

import pytest
import yaml

from surveys import scale_file
from surveys.scale_file import ScaleFileError, UnknownScale, load, parse, read, shipped, shipped_keys
from tests.surveys.cast import MIXED


@pytest.mark.parametrize("key", shipped_keys())
def test_every_scale_names_licence_and_source_and_says_what_was_verified(key):
    scale = load(key)
    assert scale.licence.strip() and scale.reference.strip()
    assert scale.verified.instruction
    assert all(item.verified for item in scale.items)
    own = [item for item in scale.items if item.verified == "own, unvalidated"]
    assert not own or scale.wording == "own"


@pytest.mark.parametrize("key", shipped_keys())
def test_every_scale_survives_its_own_document(key):
    assert parse(load(key).document()) == load(key)


def test_scales_without_licence_ship_without_words():
    brought = {key for key, scale in shipped().items() if scale.wording == "bring-your-own"}
    assert brought == {"wai_sr", "pprs"}
    for key in brought:
        assert len(load(key).missing_wording()) == len(load(key).items)
    assert not any(scale.missing_wording() for key, scale in shipped().items() if key not in brought)


def test_the_pmq_has_nine_six_and_three_pairs_positive_pole_first_and_no_total():
    pmq = load("pmq")
    assert {score.key: len(score.items) for score in pmq.scores} == {
        "competence": 9,
        "human_likeness": 6,
        "flexibility": 3,
    }
    assert sorted(key for score in pmq.scores for key in score.items) == sorted(
        item.key for item in pmq.items
    )
    pairs = {(item.poles.positive, item.poles.negative) for item in pmq.items}
    assert ("Warm", "Cold") in pairs and ("Reliable", "Uncertain") in pairs and len(pairs) == 18
    assert (pmq.order, pmq.sides, pmq.points) == ("random", "random", 7)


def test_the_mdmt_has_four_blocks_with_one_item_of_each_dimension():
    mdmt = load("mdmt")
    blocks = {}
    for item in mdmt.items:
        blocks.setdefault(item.block, []).append(item.key.rsplit("_", 1)[0])
    assert all(sorted(block) == ["capable", "ethical", "reliable", "sincere"] for block in blocks.values())
    assert len(blocks) == 4 and mdmt.bounds(mdmt.items[0]) == (0, 7) and mdmt.does_not_fit
    part = load("mdmt_sincere_capable")
    assert {item.key: item.text for item in part.items}.items() <= {i.key: i.text for i in mdmt.items}.items()


def test_an_unknown_scale_is_refused_with_near_names():
    with pytest.raises(UnknownScale, match="there is no scale 'pqm'; did you mean pmq"):
        load("pqm")
    with pytest.raises(UnknownScale, match="there are: about, affect"):
        load("zzzzzzzz")


def a_score(*, key, items, rule, minimum_answered):
    return {
        "key": key,
        "label": "S",
        "items": items,
        "rule": rule,
        "minimum_answered": minimum_answered,
        "verified": "no",
    }


def write(tmp_path, text):
    path = tmp_path / "broken.yaml"
    path.write_text(text)
    return path


def good():
    return yaml.safe_dump({**MIXED, "key": "broken"}, sort_keys=False)


def test_a_problem_names_file_line_and_place(tmp_path):
    text = good().replace("  text: How many?", "  txet: How many?")
    line = text.splitlines().index("  txet: How many?") + 1
    with pytest.raises(ScaleFileError) as refused:
        read(write(tmp_path, text))
    assert f"broken.yaml, line {line}, items > count > txet: is not a key" in str(refused.value)


def test_all_problems_are_told_at_once(tmp_path):
    text = good().replace("licence: GPL-3.0-or-later\n", "").replace("points: 5", "points: 1")
    with pytest.raises(ScaleFileError) as refused:
        read(write(tmp_path, text))
    assert "licence: is missing" in str(refused.value) and "points: " in str(refused.value)


def test_a_key_given_twice_is_refused(tmp_path):
    with pytest.raises(ScaleFileError, match=r"broken.yaml, line \d+, key: is given twice"):
        read(write(tmp_path, good() + "key: other\n"))


def test_what_is_not_yaml_is_refused_with_its_line(tmp_path):
    with pytest.raises(ScaleFileError, match=r"broken.yaml, line 3: not YAML"):
        read(write(tmp_path, "key: broken\nname: [unclosed\nversion: 1\n"))
    with pytest.raises(ScaleFileError, match="a scale is a mapping"):
        read(write(tmp_path, "- a list\n"))
    with pytest.raises(ScaleFileError, match=r"broken\.yaml: cannot be read"):
        (tmp_path / "broken.yaml").write_bytes(b"\xff\xfe\x00")
        read(tmp_path / "broken.yaml")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"items": []}, "items: is empty"),
        ({"points": None}, "items > pair: is a semantic_differential, but the scale has no 'points'"),
        ({"anchors": {1: "Never"}}, "items > likert: needs anchors at both ends (1 and 5)"),
        ({"anchors": {1: "Never", 5: "Always", 9: "?"}}, "has an anchor at 9, outside its values 1 to 5"),
        ({"does_not_fit": "Does not fit"}, "items > line: is a slider; 'does_not_fit' is for items"),
        ({"order": "blocks"}, "items > pair: has no block"),
        ({"doi": "https://doi.org/10.1/x"}, "doi: string should match pattern"),
        ({"template": {"verified": "no"}}, "template: stands for items that a study brings"),
        (
            {"scores": [a_score(key="s", items=["likrt"], rule="mean", minimum_answered=1)]},
            "names 'likrt', which is no item of this scale; did you mean 'likert'?",
        ),
        (
            {"scores": [a_score(key="s", items=["short"], rule="mean", minimum_answered=1)]},
            "names 'short', whose answers are not numbers",
        ),
        (
            {"scores": [a_score(key="s", items=["line"], rule="mean", minimum_answered=2)]},
            "minimum_answered: is more than the 1 items",
        ),
        (
            {"scores": [a_score(key="s", items=["line", "one"], rule="sum", minimum_answered=1)]},
            "of a sum must be the number of its items",
        ),
        (
            {"scores": [a_score(key="line", items=["line"], rule="mean", minimum_answered=1)]},
            "'line' is already the name of a score or an item",
        ),
    ],
)
def test_contradictions_are_refused(change, complaint):
    with pytest.raises(ScaleFileError) as refused:
        parse({**MIXED, **change})
    assert complaint in str(refused.value)


def test_two_items_with_one_key_and_two_choices_with_one_value_are_refused():
    twice = [*MIXED["items"], MIXED["items"][1]]
    with pytest.raises(ScaleFileError, match="'likert' is used by an earlier item"):
        parse({**MIXED, "items": twice})
    same = {
        "key": "x",
        "kind": "choice",
        "text": "?",
        "verified": "no",
        "choices": [{"value": 1, "label": "a"}] * 2,
    }
    with pytest.raises(ScaleFileError, match="two choices with one value"):
        parse({**MIXED, "items": [same]})


def test_a_file_is_called_like_its_scale(tmp_path):
    path = tmp_path / "another.yaml"
    path.write_text(good())
    with pytest.raises(ScaleFileError, match=r"is 'broken', but the file is another\.yaml"):
        read(path)


def test_a_bare_no_is_a_word_here(tmp_path):
    text = good().replace("verified: own, unvalidated\n", "verified: no\n", 1)
    assert "verified: no\n" in text
    assert any(item.verified == "no" for item in read(write(tmp_path, text)).items)


def test_the_folder_holds_nothing_but_scales():
    assert {path.suffix for path in scale_file.FOLDER.iterdir()} == {".yaml"}
