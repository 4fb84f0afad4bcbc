"""What freeing a parameter would do equals R: lavaan::modindices(fit), lavaan::lavTestScore(fit)."""

import pytest

from analysis.cfa.estimate import cfa
from analysis.cfa.modification import equality_tests, modification_indices
from tests.analysis import references
from tests.analysis.cfa import comparing


def test_every_modification_index_equals_lavaan() -> None:
    # modindices(cfa(m, hs))
    theirs = references.values("cfa_converged")["modindices"]
    expected = {
        key: entry
        for *key_, mi, epc, sepc in zip(
            *(theirs[name] for name in ("lhs", "op", "rhs", "mi", "epc", "sepc.all")), strict=True
        )
        for key, entry in [(tuple(key_), (mi, epc, sepc))]
    }
    table = modification_indices(cfa(comparing.HS_MODEL, comparing.hs()))
    assert {(row.lhs, row.op, row.rhs) for row in table.itertuples()} == set(expected)
    for row in table.itertuples():
        mi, epc, sepc = expected[row.lhs, row.op, row.rhs]
        assert row.mi == pytest.approx(mi, abs=1e-5)
        assert row.epc == pytest.approx(epc, abs=1e-6)
        assert row.std_epc == pytest.approx(sepc, abs=1e-6)


def test_the_largest_ten_come_first() -> None:
    # modindices(fit, sort. = TRUE)[1:10, ]
    theirs = references.values("hs1939_cfa")["modindices_top10"]
    table = modification_indices(cfa(comparing.HS_MODEL, comparing.hs())).head(10)
    assert list(table["rhs"]) == theirs["rhs"]
    assert table["mi"].to_numpy() == pytest.approx(theirs["mi"], abs=2e-4)


def test_an_index_is_the_fall_of_chi_square_when_the_parameter_is_freed() -> None:
    result = cfa(comparing.HS_MODEL, comparing.hs())
    freed = cfa(comparing.HS_MODEL + "\nx2 ~~ x7", comparing.hs())
    table = modification_indices(result).set_index(["lhs", "op", "rhs"])
    row = table.loc[("x2", "~~", "x7")]
    assert row["mi"] == pytest.approx(result.fit_indices.chisq - freed.fit_indices.chisq, rel=0.1)


def test_tests_of_equalities_over_two_groups_equal_lavaan() -> None:
    # lavTestScore(cfa(m, hs, group = "school", group.equal = c("loadings", "intercepts")))$uni
    result = cfa(
        comparing.HS_MODEL, comparing.hs(), group=comparing.schools(), group_equal=comparing.STEPS["scalar"]
    )
    expected = references.values("hs1939_invariance")["scalar_scoretest_uni"]["X2"]
    table = equality_tests(result)
    assert len(table) == len(expected) == 15
    assert table["mi"].to_numpy() == pytest.approx(sorted(expected, reverse=True), abs=5e-5)
    assert table["rhs"][0] == "" and table["lhs"][0] == "x3"


def test_tests_of_equalities_over_four_groups_equal_lavaan() -> None:
    # lavTestScore(cfa(mq, qg, group = "group", group.equal = c("loadings", "intercepts")))$uni, without A
    reference = references.values("cfa_converged")["score_tests"]
    model = references.values("pmq18_invariance")["model"]
    result = cfa(model, comparing.pmq_groups(), group="condition", group_equal=comparing.STEPS["scalar"])
    names = {"1": "A", "2": "B", "3": "C", "4": "D"}
    expected = {}
    for key, statistic in zip(reference["rhs"], reference["X2"], strict=True):
        *parts, group = key.split()
        expected[" ".join(parts), names[group]] = statistic
    table = equality_tests(result)
    ours = {
        (f"{row.lhs} {row.op} {row.rhs}".strip(), row.group): row.mi
        for row in table.itertuples()
        if row.group != "A"
    }
    assert ours == pytest.approx(expected, abs=1e-4)
    assert table["lhs"][0] == "q05" and table["group"][0] == "D"
