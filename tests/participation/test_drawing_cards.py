from collections import Counter

import pytest

from studyapp.participation.cards import CardsTooFew, draw

CLAIMS = [{"key": f"t{n}", "truth": True} for n in range(12)] + [
    {"key": f"f{n}", "truth": False} for n in range(12)
]


def test_three_true_and_three_false_are_rated_and_three_of_them_discussed() -> None:
    for seed in range(50):
        hand = draw(CLAIMS, seed=seed, rated=6, discussed=3)
        assert Counter(key[0] for key in hand.rated) == {"t": 3, "f": 3}
        assert len({card.key for card in hand.discussed}) == 3
        assert {card.key for card in hand.discussed} <= set(hand.rated)


def test_which_truth_is_discussed_twice_is_drawn() -> None:
    true = Counter(
        sum(card.key[0] == "t" for card in draw(CLAIMS, seed=seed, rated=6, discussed=3).discussed)
        for seed in range(600)
    )
    assert set(true) == {1, 2}
    # Four standard errors around a half.
    assert abs(true[1] / 600 - 0.5) < 4 * (0.25 / 600) ** 0.5


def test_stated_beliefs_are_balanced_and_know_nothing_of_the_truth() -> None:
    pairs: Counter[tuple[str, str]] = Counter()
    for seed in range(900):
        hand = draw(CLAIMS, seed=seed, rated=6, discussed=3)
        assert sorted(card.stated for card in hand.discussed) == ["against", "for", "none"]
        pairs.update((card.key[0], card.stated) for card in hand.discussed)
    for truth in "tf":
        total = sum(pairs[truth, stated] for stated in ("for", "against", "none"))
        for stated in ("for", "against", "none"):
            assert abs(pairs[truth, stated] / total - 1 / 3) < 4 * (2 / 9 / total) ** 0.5


def test_every_claim_gets_its_turn() -> None:
    seen = Counter(key for seed in range(400) for key in draw(CLAIMS, seed=seed, rated=6, discussed=3).rated)
    assert set(seen) == {claim["key"] for claim in CLAIMS}
    assert min(seen.values()) > 50


def test_the_same_seed_deals_the_same_hand() -> None:
    assert draw(CLAIMS, seed=5, rated=6, discussed=3) == draw(CLAIMS, seed=5, rated=6, discussed=3)


def test_too_few_claims_are_refused_with_their_number() -> None:
    with pytest.raises(CardsTooFew, match="3 false claims are needed and the study has 2"):
        draw(CLAIMS[:14], seed=1, rated=6, discussed=3)
