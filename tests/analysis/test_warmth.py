"""Is warmth a factor of its own? Planted answers are found, and nothing is found where nothing is."""

import numpy as np
import pandas as pd
import pytest

from analysis.errors import UnknownName
from analysis.factor_page import warmth_page
from analysis.items import ItemData, items_of
from analysis.report.page import render
from analysis.warmth import WARM, find_warm, warmth

KEYS = [
    "competent", "dependable", "capable", "consistent", "reliable", "expert", "efficient", "precise",
    "cooperative", "human_like", "life_like", *WARM, "flexible", "interpretive", "spontaneous",
]  # fmt: skip


def pmq(own: bool, n: int = 700, seed: int = 5) -> pd.DataFrame:
    """Answers in which the four warm items have a factor of their own, or share human-likeness."""
    rng = np.random.default_rng(seed)
    phi = np.array([[1, 0.4, 0.3, 0.4], [0.4, 1, 0.4, 0.5], [0.3, 0.4, 1, 0.4], [0.4, 0.5, 0.4, 1]])
    factors = rng.multivariate_normal(np.zeros(4), phi, n)
    of = [0] * 9 + [1] * 2 + [3 if own else 1] * 4 + [2] * 3
    latent = 0.78 * factors[:, of] + np.sqrt(1 - 0.78**2) * rng.standard_normal((n, 18))
    return pd.DataFrame(np.clip(np.round(4 + 1.3 * latent), 1, 7), columns=[f"pmq_{key}" for key in KEYS])


def test_a_planted_factor_of_warmth_is_found() -> None:
    found = warmth(items_of(pmq(own=True)))
    assert found.own_factor
    assert found.home_in_four == "alone"
    assert found.home_in_three in ("with others", "apart")
    assert found.parallel.factors >= 4
    assert found.summary().startswith("Warmth is a factor of its own here")


def test_warmth_within_human_likeness_is_left_there() -> None:
    found = warmth(items_of(pmq(own=False)))
    assert not found.own_factor
    assert found.home_in_three == "with others"
    assert found.summary().startswith("These data do not make warmth a factor of its own")
    assert "parallel analysis keeps 3" in found.summary()


def test_indices_of_both_stand_side_by_side() -> None:
    found = warmth(items_of(pmq(own=True)))
    table = found.indices().set_index("index")
    assert table.loc["df", "three"] == 102
    assert table.loc["df", "four"] == 87
    assert table.loc["bic", "four"] == found.four.fit.bic
    assert table.loc["rmsea", "four"] < table.loc["rmsea", "three"]


def test_every_item_has_its_place_in_both_and_the_new_factor_stands_last() -> None:
    found = warmth(items_of(pmq(own=True)))
    places = found.to_frame().set_index("item")
    assert len(places) == 18
    assert set(places.index[places["warm"]]) == {f"pmq_{key}" for key in WARM}
    competence = places.filter(like="competent", axis=0).iloc[0]
    assert competence["three_factor"] == competence["four_factor"]
    assert (places["four_loading"].abs() >= places["four_next"].abs()).all()


def test_a_manipulation_of_warmth_alone_makes_no_factor_within_conditions() -> None:
    frame = pmq(own=False)
    arms = np.random.default_rng(2).choice(["plain", "warm"], len(frame))
    for key in WARM:
        frame[f"pmq_{key}"] += np.where(arms == "warm", 3.0, 0.0)
    frame["arm"] = arms
    data = items_of(frame, condition="arm")
    kept, pooled = warmth(data), warmth(data, within=False)
    assert not kept.own_factor
    assert kept.parallel.factors == 3
    assert pooled.parallel.factors == 4
    assert pooled.own_factor


def test_warm_items_are_found_by_the_words_of_items_with_numbers_for_names() -> None:
    frame = pmq(own=True)
    words = {"warm": "Cold - Warm", "empathetic": "Apathetic - Empathetic", "personal": "Generic - Personal"}
    words["social"] = "Transactional - Social"
    numbered = ItemData(
        names=tuple(f"pmq_{i + 1:02d}" for i in range(18)),
        values=frame.to_numpy(float),
        wordings=tuple(words.get(key, key) for key in KEYS),
    )
    assert find_warm(numbered) == ("pmq_12", "pmq_13", "pmq_14", "pmq_15")
    assert warmth(numbered).own_factor


def test_warm_items_that_cannot_be_told_are_asked_for_by_name() -> None:
    frame = pmq(own=True).rename(columns={"pmq_warm": "pmq_12"})
    with pytest.raises(UnknownName, match=r"no item is named 'warm'.*--warm-items"):
        find_warm(items_of(frame))
    with pytest.raises(UnknownName, match="several items could be 'social'"):
        find_warm(items_of(pmq(own=True).assign(social=1.0)))
    with pytest.raises(UnknownName, match=r"3 warm items named"):
        find_warm(items_of(frame), ["pmq_12,pmq_personal,pmq_social"])
    assert find_warm(items_of(frame), ["pmq_12,pmq_empathetic,pmq_personal,pmq_social"])[0] == "pmq_12"


def test_it_all_stands_on_one_page() -> None:
    found = warmth(items_of(pmq(own=True)))
    page = render(warmth_page(found, "answers.csv", "simulated, effects planted"))
    assert page.count("<section") == 1
    for expected in ("Three factors", "Four factors", "RMSEA", "BIC", "pmq_empathetic", "Simulated, effects"):
        assert expected in page
