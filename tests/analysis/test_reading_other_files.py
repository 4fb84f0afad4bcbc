"""CSV, SPSS and Parquet files as other programs write them."""

import codecs
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from analysis.errors import AnalysisError, BadScaleDescription, TextCell, UnknownName, UnreadableFile
from analysis.loading import load_items

ANSWERS = [[1, 4, 2], [2, 5, 1], [3, 3, 3], [5, 1, 4], [4, 2, 5], [2, 2, 1]]


def saved(folder: Path, text: str, name: str = "data.csv", encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def lines(sep: str = ",", header: str = "q1,q2,q3") -> str:
    return "\n".join([header.replace(",", sep), *(sep.join(map(str, row)) for row in ANSWERS)]) + "\n"


def test_a_plain_file_is_one_group(tmp_path: Path) -> None:
    found = load_items(saved(tmp_path, lines()))
    assert found.names == ("q1", "q2", "q3")
    assert found.groups is None
    assert found.values.tolist() == ANSWERS
    assert found.rows[0] == "row 2"
    assert found.warnings == ()


@pytest.mark.parametrize("sep", [";", "\t", "|"])
def test_the_separator_is_found(tmp_path: Path, sep: str) -> None:
    assert load_items(saved(tmp_path, lines(sep))).values.tolist() == ANSWERS


def test_a_separator_can_be_named(tmp_path: Path) -> None:
    assert load_items(saved(tmp_path, lines("&")), sep="&").values.tolist() == ANSWERS


def test_a_decimal_comma_of_a_semicolon_file_is_a_decimal_sign(tmp_path: Path) -> None:
    found = load_items(saved(tmp_path, "q1;q2\n1,5;2\n2,25;3\n3;1\n"))
    assert found.values.tolist() == [[1.5, 2], [2.25, 3], [3, 1]]
    assert any(warning.startswith("decimal comma") and "q1" in warning for warning in found.warnings)


def test_a_decimal_comma_of_a_comma_file_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(TextCell, match=r"'q1' holds text \('1,5'\) in row 2.*decimal comma"):
        load_items(saved(tmp_path, 'q1,q2\n"1,5",2\n2,3\n3,1\n'), items="q1,q2")


@pytest.mark.parametrize("mark", [codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE])
def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path: Path, mark: bytes) -> None:
    encoding = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
    path = tmp_path / "data.csv"
    path.write_bytes(mark + lines().encode(encoding[mark]))
    assert load_items(path).names[0] == "q1"


def test_a_file_that_is_not_utf8_is_read_with_a_warning_and_by_its_name_without(tmp_path: Path) -> None:
    path = saved(tmp_path, lines(header="größe,q2,q3"), encoding="cp1252")
    guessed, named = load_items(path), load_items(path, encoding="latin-1")
    assert guessed.names[0] == named.names[0] == "größe"
    assert any(warning.startswith("encoding: line 1") for warning in guessed.warnings)
    assert named.warnings == ()


QUALTRICS = (
    "StartDate,Status,Finished,ResponseId,Q1_1,Q1_2,arm\n"
    '"Start Date","Response Type","Finished","Response ID","How warm, how cold? - It was warm",'
    '"It\nlistened",arm\n'
    '"{""ImportId"":""startDate""}","{""ImportId"":""status""}","{""ImportId"":""finished""}",'
    '"{""ImportId"":""_recordId""}","{""ImportId"":""QID1_1""}","{""ImportId"":""QID1_2""}",'
    '"{""ImportId"":""arm""}"\n'
    "2026-01-01 10:00:00,0,1,R_1,5,6,warm\n"
    "2026-01-01 10:05:00,0,1,R_2,3,,plain\n"
    "2026-01-01 10:09:00,0,1,R_1,4,2,warm\n"
)


def test_three_header_rows_of_qualtrics_are_header(tmp_path: Path) -> None:
    found = load_items(saved(tmp_path, QUALTRICS), condition="arm")
    assert found.names == ("Q1_1", "Q1_2")
    assert found.wordings[0] == "How warm, how cold? - It was warm"
    assert found.groups == ("warm", "plain", "warm")
    assert np.array_equal(found.values, [[5, 6], [3, np.nan], [4, 2]], equal_nan=True)
    assert found.rows == ("row 4", "row 5", "row 6")


def test_two_header_rows_are_known_by_text_above_numbers(tmp_path: Path) -> None:
    text = lines().replace("q1,q2,q3\n", "q1,q2,q3\nI was heard,I was seen,I was met\n")
    found = load_items(saved(tmp_path, text))
    assert found.values.tolist() == ANSWERS
    assert found.wordings == ("I was heard", "I was seen", "I was met")


def test_one_text_cell_in_the_first_row_is_no_header(tmp_path: Path) -> None:
    text = lines().replace("1,4,2\n", "often,4,2\n")
    with pytest.raises(TextCell, match=r"'q1' holds text \('often'\) in row 2 "):
        load_items(saved(tmp_path, text), items="q*")


def test_a_file_without_header_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="header"):
        load_items(saved(tmp_path, lines().split("\n", 1)[1]))


def test_duplicate_ids_are_reported_and_all_rows_kept(tmp_path: Path) -> None:
    found = load_items(saved(tmp_path, QUALTRICS), condition="arm")
    (told,) = [warning for warning in found.warnings if warning.startswith("duplicate ids")]
    assert "'R_1' in row 4, row 6" in told
    assert found.n == 3


def test_codes_of_missing_answers_are_taken_out_and_unused_ones_named(tmp_path: Path) -> None:
    text = lines().replace("3,3,3", "99,3,-9")
    found = load_items(saved(tmp_path, text), missing=["99", -9, "77"])
    assert int(np.isnan(found.values).sum()) == 2
    assert found.warnings == ("missing code: 77 is in none of the items",)


def test_a_condition_column_groups_the_rows_unless_they_are_pooled(tmp_path: Path) -> None:
    text = lines(header="q1,q2,Condition")
    assert load_items(saved(tmp_path, text)).groups == ("2", "1", "3", "4", "5", "1")
    pooled = load_items(saved(tmp_path, text), pooled=True)
    assert pooled.groups is None
    assert pooled.pooled


def test_rows_without_a_condition_are_left_out_by_name(tmp_path: Path) -> None:
    text = lines(header="q1,q2,arm").replace("3,3,3", "3,3,")
    found = load_items(saved(tmp_path, text), condition="arm")
    assert found.n == 5
    assert any("row 4" in warning for warning in found.warnings)


def test_names_of_r_rows_and_text_columns_are_no_items(tmp_path: Path) -> None:
    text = '"","q1","q2","note"\n' + "".join(f'"{i}",{i % 3},{i % 4},"x{i}"\n' for i in range(1, 8))
    found = load_items(saved(tmp_path, text))
    assert found.names == ("q1", "q2")
    assert any("note" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("q1,q2\n", "without a row"),
        ("q1,q2\n1,2\n1,2,3\n", "row 3 has 3 cells, the header 2"),
        ("q1,q2\n1,2\n1\n", "row 3 has 1 cells"),
    ],
)
def test_broken_text_is_refused_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UnreadableFile, match=words):
        load_items(saved(tmp_path, text))


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(AnalysisError, match="more than one column is named q1"):
        load_items(saved(tmp_path, lines(header="q1,q1,q3")))


def test_an_unknown_item_is_refused_with_near_ones(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean q3"):
        load_items(saved(tmp_path, lines()), items="q1,q33")


@pytest.mark.parametrize("name", ["data.xlsx", "data", "broken.sav", "broken.parquet"])
def test_other_files_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnreadableFile, match=name):
        load_items(saved(tmp_path, "neither", name))


def spss(folder: Path) -> Path:
    path = folder / "survey.sav"
    frame = pd.DataFrame(
        {
            "arm": [1.0, 2.0, 1.0, 2.0],
            "q1": [1.0, 99.0, 5.0, 3.0],
            "q2": [2.0, 4.0, 8.0, np.nan],
            "word": ["a", "b", "c", "d"],
        }
    )
    pyreadstat.write_sav(
        frame,
        str(path),
        column_labels=["Arm", "It listened", "It cared", "A word"],
        variable_value_labels={
            "arm": {1.0: "warm", 2.0: "plain"},
            "q1": {1.0: "never", 5.0: "always", 99.0: "refused"},
            "q2": {1.0: "never", 5.0: "always", 8.0: "do not know"},
        },
        missing_ranges={"q1": [99.0], "q2": [{"lo": 8.0, "hi": 9.0}]},
    )
    return path


def test_spss_labels_and_user_missing_codes_are_kept(tmp_path: Path) -> None:
    found = load_items(spss(tmp_path), items="q*", condition="arm")
    assert np.array_equal(found.values, [[1, 2], [np.nan, 4], [5, np.nan], [3, np.nan]], equal_nan=True)
    assert found.groups == ("warm", "plain", "warm", "plain")
    assert found.bounds == ((1, 5), (1, 5))
    assert found.wordings == ("It listened", "It cared")
    assert any("99 (refused) in 'q1'" in w and "1 answer" in w for w in found.warnings)
    assert any("8 (do not know) in 'q2'" in w for w in found.warnings)


def test_parquet_is_read_with_its_missing_cells(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    frame = pd.DataFrame(
        {"q1": [1.5, None, 3.0], "q2": pd.array([1, 2, None], dtype="Int64"), "b": [True, False, True]}
    )
    frame.to_parquet(path)
    found = load_items(path)
    assert np.array_equal(found.values, [[1.5, 1, 1], [np.nan, 2, 0], [3, np.nan, 1]], equal_nan=True)


DESCRIPTION = """\
items:
  - q1
  - {key: q2, text: I felt alone., reversed: true}
minimum: 1
maximum: 5
labels: {1: never, 5: always}
missing: [99]
"""


def test_a_scale_description_says_what_the_file_does_not(tmp_path: Path) -> None:
    scale = saved(tmp_path, DESCRIPTION, "scale.yaml")
    path = saved(tmp_path, "q1,q2,other\nalways,2,1\n3,99,2\nNever,5,3\n")
    found = load_items(path, scale=scale)
    assert found.names == ("q1", "q2")
    assert np.array_equal(found.values, [[5, 4], [3, np.nan], [1, 1]], equal_nan=True)
    assert found.bounds == ((1, 5), (1, 5))
    assert found.wordings[1] == "I felt alone."
    assert "reversed: q2" in found.warnings


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("itmes: [q1]", "unknown key 'itmes'; did you mean items"),
        ("items: q1", "items must be a list"),
        ("minimum: 7\nmaximum: 1", "the lower first"),
        ("labels: {never: 1}", "labels must name numbers"),
        ("items: [{text: a}]", "item 1 has no key"),
        ("- a", "holds no keys"),
        ("items: [", "not readable as YAML"),
    ],
)
def test_a_wrong_scale_description_is_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(BadScaleDescription, match=words):
        load_items(saved(tmp_path, lines()), scale=saved(tmp_path, text, "scale.yaml"))


def test_an_exported_data_set_is_read_by_its_codebook(folder: Path) -> None:
    found = load_items(folder, items="fhs7_*")
    assert found.note.startswith("simulated")
    assert len(set(found.groups or ())) > 1
    reversed_ones = [name for name in found.names if name.endswith("_r")]
    assert reversed_ones
    assert not {name.removesuffix("_r") for name in reversed_ones} & set(found.names)
    assert all(bounds == (1, 7) for bounds in found.bounds)
    by_raw_name = load_items(folder, items=reversed_ones[0].removesuffix("_r"))
    assert by_raw_name.names == (reversed_ones[0],)
    assert any("reversed" in warning for warning in by_raw_name.warnings)


def test_scores_of_a_data_set_are_no_items(folder: Path) -> None:
    with pytest.raises(UnknownName, match="pmq_competence"):
        load_items(folder, items="pmq_competence")


def test_the_separator_that_excel_names_in_the_first_row_is_taken(tmp_path: Path) -> None:
    found = load_items(saved(tmp_path, "sep=&\n" + lines("&")))
    assert found.values.tolist() == ANSWERS
    assert found.rows[0] == "row 3"
