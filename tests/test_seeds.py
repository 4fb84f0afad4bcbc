"""Draws can be replayed, and do not lean on one another."""

from studyapp.seeds import derive, fresh_seed, rng


def test_the_same_seed_and_names_give_the_same_draws():
    assert [rng(5, "order").random() for _ in range(3)] == [rng(5, "order").random() for _ in range(3)]


def test_other_names_give_other_draws():
    assert rng(5, "order").random() != rng(5, "side").random()
    assert derive(5, "a", "b") != derive(5, "ab")


def test_seeds_fit_the_column():
    assert 0 <= derive(2**62, "x") < 2**63
    assert 0 <= fresh_seed() < 2**63
