"""Models are read as lavaan reads them, and what cannot be read is pointed at."""

import math

import pytest

from analysis.cfa.errors import ModelTextError
from analysis.cfa.model_text import parse
from analysis.cfa.parameters import tabulate


def test_factors_items_labels_and_fixed_values_are_read() -> None:
    model = parse("f =~ x1 + a*x2 + 0.5*x3 + NA*x4 + start(0.3)*x5\nf ~~ 1*f")
    assert model.latents == ("f",)
    assert model.observed == ("x1", "x2", "x3", "x4", "x5")
    terms = {term.rhs: term for term in model.terms}
    assert terms["x2"].labels == ("a",)
    assert terms["x3"].fixed == (0.5,)
    assert math.isnan(terms["x4"].fixed[0])
    assert terms["x5"].starts == (0.3,)
    assert terms["f"].fixed == (1.0,)


def test_lines_go_on_after_a_plus_and_comments_are_left_out() -> None:
    model = parse("f =~ x1 + # the first\n  x2 +\n  x3 ! the last\n\n; g =~ x4 + x5\n + x6")
    assert [term.rhs for term in model.terms] == ["x1", "x2", "x3", "x4", "x5", "x6"]
    assert model.terms[2].place.line == 3


def test_several_names_may_stand_on_the_left() -> None:
    model = parse("f =~ x1 + x2 + x3\nx1 + x2 ~ age")
    assert [(t.lhs, t.op, t.rhs) for t in model.terms[3:]] == [("x1", "~", "age"), ("x2", "~", "age")]


def test_an_intercept_is_an_operator_of_its_own() -> None:
    model = parse("f =~ x1 + x2 + x3\nx1 ~ 1\nx2 ~ -0.5*1")
    assert [(t.lhs, t.op, t.fixed) for t in model.terms[3:]] == [("x1", "~1", ()), ("x2", "~1", (-0.5,))]


def test_names_with_unusual_signs_stand_between_backticks() -> None:
    assert parse("f =~ `Q1[1]` + `Q1[2]` + `item 3`").observed == ("Q1[1]", "Q1[2]", "item 3")


def test_the_items_of_a_second_order_factor_are_those_of_its_factors() -> None:
    model = parse("a =~ x1 + x2\nb =~ x3 + x4\ng =~ a + b")
    assert model.items_of("g") == ("x1", "x2", "x3", "x4")


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("f = x1", 1, 3, "'=' means nothing here"),
        ("f =~ x1 +", 1, 10, "is missing"),
        ("f =~ x1 x2", 1, 9, "'+' or the end of the line"),
        ("f =~ x1 + x2\ng =~ 3", 2, 6, "a name is due"),
        ("f =~ x1 + x1", 1, 11, "already in line 1"),
        ("f =~ x1\nf =~ x2\nx1 ~~ x2\nx2 ~~ x1", 4, 7, "already in the model"),
        ("f =~ g\ng =~ f", 2, 6, "measured by itself"),
        ("f =~ x1\nx1 ~ x1", 2, 6, "cannot depend on itself"),
        ("", 1, 1, "the model is empty"),
        ("f =~ c(a, 1)*x1", 1, 6, "cannot stand in one"),
        ("f =~ x$1", 1, 7, "cannot be read"),
        ("=~ x1", 1, 1, "a factor or an item is due"),
        ("f x1", 1, 3, "an operator"),
        ("f =~ a*", 1, 8, "is missing"),
        ("f =~ c(a, b*x1", 1, 6, "not closed"),
        ("ab := a*b", 1, 4, "not fitted here"),
        ("f <~ x1", 1, 3, "not fitted here"),
    ],
)
def test_what_cannot_be_read_is_pointed_at(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(ModelTextError) as found:
        parse(text)
    message = str(found.value)
    assert message.startswith(f"model, line {line}, column {column}: ")
    assert words in message
    pointer = message.splitlines()[-1]
    assert pointer.index("^") == column + 1


def test_a_label_that_is_not_there_cannot_be_made_equal() -> None:
    with pytest.raises(ModelTextError, match="line 2, column 1: no parameter has the label 'b'"):
        tabulate(parse("f =~ x1 + a*x2 + x3\na == b"))


def test_modifiers_for_another_number_of_groups_are_refused() -> None:
    with pytest.raises(ModelTextError, match=r"2 labels for 3 group\(s\)"):
        tabulate(parse("f =~ x1 + c(a, b)*x2 + x3"), ["one", "two", "three"])


def test_one_label_for_several_groups_is_equal_in_all_and_says_so() -> None:
    table = tabulate(parse("f =~ x1 + a*x2 + x3"), ["one", "two"])
    rows = [row for row in table.rows if row.label == "a"]
    assert len(rows) == 2 and rows[0].free == rows[1].free
    assert any("one label for 2 groups" in text for text in table.warnings)


def test_thresholds_are_left_to_ordinal_items() -> None:
    with pytest.raises(ModelTextError, match="belongs to ordinal items"):
        tabulate(parse("f =~ x1 + x2 + x3\nx1 | t1"))


def test_hostile_text_is_refused_with_a_place_and_never_run() -> None:
    for text in (
        "__import__('os')",
        "f =~ x1; drop table",
        "f =~ 1e999999999*x\x00",
        "((((",
        "'",
        "f =~ ()*x",
    ):
        with pytest.raises(ModelTextError, match="model, line 1"):
            parse(text)
