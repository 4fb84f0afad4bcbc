"""Maximum likelihood equals R: lavaan::cfa(model, data, estimator = "ML"), lavaan 0.6-14."""

import pytest

from analysis.cfa.estimate import cfa
from tests.analysis import references
from tests.analysis.cfa import comparing


@pytest.mark.parametrize(
    ("entry", "options"),
    [
        ("ML", {}),  # cfa(m, hs)
        ("ML_stdlv", {"std_lv": True}),  # cfa(m, hs, std.lv = TRUE)
        ("ML_meanstructure", {"means": True}),  # cfa(m, hs, meanstructure = TRUE)
        ("ML_wishart", {"likelihood": "wishart"}),  # cfa(m, hs, likelihood = "wishart")
    ],
)
def test_three_factors_of_nine_tests_equal_lavaan(entry: str, options: dict) -> None:
    expected = references.values("hs1939_cfa")[entry]
    result = cfa(comparing.HS_MODEL, comparing.hs(), **options)
    assert result.converged and not result.improper
    comparing.assert_fit(result, expected)
    comparing.assert_estimates(result, expected)


def test_rows_with_a_missing_answer_are_left_out_and_counted() -> None:
    # cfa(m, hsm)
    result = cfa(comparing.HS_MODEL, comparing.hs_missing())
    comparing.assert_fit(result, references.values("hs1939_cfa")["listwise_on_missing"])
    assert result.sample.dropped == 301 - result.n
    assert any(f"{result.sample.dropped} row(s) lack an answer" in text for text in result.warnings)


def test_one_factor_reaches_a_minimum_no_higher_than_lavaan() -> None:
    # cfa("g =~ x1+x2+x3+x4+x5+x6+x7+x8+x9", hs): lavaan's own search stops 1e-5 from its minimum
    model = "g =~ x1+x2+x3+x4+x5+x6+x7+x8+x9"
    result = cfa(model, comparing.hs())
    early = references.values("hs1939_cfa")["one_factor"]
    comparing.assert_fit(result, early)
    comparing.assert_estimates(result, early, est=2e-5, std=2e-5)
    assert result.fit_indices.chisq <= early["fit"]["chisq"] + 1e-9
    converged = references.values("cfa_converged")["one_factor"]
    comparing.assert_estimates(result, converged, est=1e-6, se=1e-6)


def test_a_second_order_factor_equals_lavaan() -> None:
    # cfa(paste0(m, "\ng =~ visual+textual+speed"), hs)
    result = cfa(comparing.HS_MODEL + "\ng =~ visual+textual+speed", comparing.hs())
    expected = references.values("hs1939_cfa")["second_order"]
    comparing.assert_fit(result, expected)
    comparing.assert_estimates(result, expected)


def test_the_partner_modelling_questionnaire_equals_lavaan() -> None:
    # cfa(mq, q)
    reference = references.values("pmq18_cfa")
    result = cfa(reference["model"], comparing.pmq())
    comparing.assert_fit(result, reference["ML"])
    comparing.assert_estimates(result, reference["ML"])


def test_its_second_order_model_equals_lavaan() -> None:
    # cfa(paste0(mq, "\ng =~ f1+f2+f3"), q)
    reference = references.values("pmq18_cfa")
    result = cfa(reference["model"] + "\ng =~ f1+f2+f3", comparing.pmq())
    comparing.assert_fit(result, reference["second_order_ML"])
    comparing.assert_estimates(result, reference["second_order_ML"])


def test_its_bifactor_model_equals_lavaan() -> None:
    # cfa(bm, q, std.lv = TRUE, orthogonal = TRUE)
    items = comparing.pmq()
    names = items.names
    parts = [names, names[:6], names[6:12], names[12:]]
    text = "\n".join(
        f"{f} =~ {'+'.join(part)}" for f, part in zip(("g", "s1", "s2", "s3"), parts, strict=True)
    )
    result = cfa(text, items, std_lv=True, orthogonal=True)
    expected = references.values("pmq18_cfa")["bifactor_ML"]
    comparing.assert_fit(result, expected)
    comparing.assert_estimates(result, expected, est=1e-5)


def test_labels_fixed_values_equalities_and_residual_covariances_equal_lavaan() -> None:
    # cfa(lab, hs): a == b, 0.9*x6, NA*x7 with speed ~~ 1*speed, x7 ~~ x8, visual ~~ 0*speed, one label twice
    reference = references.values("cfa_converged")
    result = cfa(reference["labels_model"], comparing.hs())
    comparing.assert_fit(result, reference["labels"])
    comparing.assert_estimates(result, reference["labels"])


def test_implied_covariances_equal_lavaan() -> None:
    # lavInspect(cfa(m, hs), "implied")$cov
    result = cfa(comparing.HS_MODEL, comparing.hs())
    implied = references.matrix(references.values("hs1939_cfa")["implied_cov"])
    assert result.implied.cov[0] == pytest.approx(implied, abs=5e-6)


def test_standardised_estimates_have_errors_of_their_own() -> None:
    # standardizedSolution(cfa(m, hs))
    theirs = references.values("cfa_converged")["std_solution"]
    table = cfa(comparing.HS_MODEL, comparing.hs()).standardised()
    expected = {
        key: (est, se)
        for *key_, est, se in zip(
            theirs["lhs"], theirs["op"], theirs["rhs"], theirs["est.std"], theirs["se"], strict=True
        )
        for key in [tuple(key_)]
    }
    for row in table.itertuples():
        est, se = expected[row.lhs, row.op, row.rhs]
        assert row.std == pytest.approx(est, abs=1e-6)
        assert (row.se == pytest.approx(se, abs=1e-6)) if se > 0 else row.se != row.se
