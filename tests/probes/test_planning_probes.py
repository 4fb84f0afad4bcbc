"""Which probes a conversation is put to."""

from collections import Counter

import pytest

from studyapp.probes.design import POINTS, STATED, plan, turn_at

CLAIMS = {f"claim_{number}": number % 2 == 0 for number in range(24)}


def planned(seed: int = 1, turns: int = 5, claims: dict[str, bool] = CLAIMS, **changes: object):
    given: dict = {"points": POINTS, "per_session": 12, "draws": 2, "shadows": True} | changes
    return plan(seed=seed, claims=claims, turns=turns, **given)


def probes_of(plan_) -> list[tuple[str, str, str]]:
    return sorted({(each.point, each.claim, each.stated) for each in plan_})


def test_twelve_claims_a_session_each_in_four_cells_and_two_draws():
    made = planned()
    assert len(made) == 12 * 4 * 2
    assert len(probes_of(made)) == 12
    assert len({each.claim for each in made}) == 12
    for probe in probes_of(made):
        cells = Counter(
            (each.persona, each.history, each.draw)
            for each in made
            if (each.point, each.claim, each.stated) == probe
        )
        assert len(cells) == 8 and set(cells.values()) == {1}


def test_without_shadows_only_the_state_as_it_was_is_asked():
    assert {(each.persona, each.history) for each in planned(shadows=False)} == {(True, True)}


@pytest.mark.parametrize("seed", range(40))
def test_stated_beliefs_points_and_truth_are_balanced_within_a_session(seed):
    probes = probes_of(planned(seed))
    stated = Counter(stated for _, _, stated in probes)
    assert stated == dict.fromkeys(STATED, 4)
    assert Counter(point for point, _, _ in probes) == dict.fromkeys(POINTS, 4)
    crossed = Counter((point, stated) for point, _, stated in probes)
    assert len(crossed) == 9 and max(crossed.values()) - min(crossed.values()) == 1
    for name in STATED:
        assert sum(CLAIMS[claim] for _, claim, said in probes if said == name) == 2
    for name in POINTS:
        assert sum(CLAIMS[claim] for point, claim, _ in probes if point == name) == 2


def test_over_sessions_every_claim_is_used_about_equally_with_every_stated_belief():
    sessions = 600
    used, crossed = Counter(), Counter()
    for seed in range(sessions):
        for _, claim, stated in probes_of(planned(seed)):
            used[claim] += 1
            crossed[claim, stated] += 1
    # Each claim is in half of the sessions; five standard errors of a binomial are allowed.
    assert set(used) == set(CLAIMS)
    assert all(abs(count - sessions / 2) < 5 * (sessions / 4) ** 0.5 for count in used.values())
    expected = sessions / 6
    assert all(abs(crossed[c, s] - expected) < 5 * (expected * 5 / 6) ** 0.5 for c in CLAIMS for s in STATED)


def test_pairs_of_claims_meet_about_equally_often():
    sessions = 600
    pairs = Counter()
    for seed in range(sessions):
        claims = sorted({claim for _, claim, _ in probes_of(planned(seed))})
        pairs.update((one, two) for one in claims for two in claims if one < two)
    assert len(pairs) == 24 * 23 // 2
    share = 12 * 11 / (24 * 23)
    assert all(abs(n / sessions - share) < 0.12 for n in pairs.values())


def test_the_same_seed_plans_the_same_and_another_seed_something_else():
    assert planned(7) == planned(7)
    assert probes_of(planned(7)) != probes_of(planned(8))


@pytest.mark.parametrize(
    ("turns", "expected"), [(1, (1, 1, 1)), (2, (1, 1, 2)), (3, (1, 2, 3)), (4, (1, 2, 4)), (9, (1, 5, 9))]
)
def test_points_are_turns_of_the_conversation(turns, expected):
    assert tuple(turn_at(point, turns) for point in POINTS) == expected


@pytest.mark.parametrize("turns", [1, 2])
def test_where_points_coincide_there_are_as_many_probes_on_fewer_turns(turns):
    made = planned(turns=turns)
    assert len(made) == 96
    assert len({each.turn for each in made}) == turns


def test_two_points_are_crossed_with_truth_and_stated_belief():
    probes = probes_of(planned(points=("first", "last")))
    for name in ("first", "last"):
        assert Counter(stated for point, _, stated in probes if point == name) == dict.fromkeys(STATED, 2)
        assert sum(CLAIMS[claim] for point, claim, _ in probes if point == name) == 3


def test_few_claims_come_again_at_other_points_and_never_as_the_same_probe():
    claims = {key: CLAIMS[key] for key in list(CLAIMS)[:4]}
    for seed in range(30):
        made = planned(seed, turns=1, claims=claims)
        cells = [(p.turn, p.claim, p.stated, p.persona, p.history, p.draw) for p in made]
        assert len(made) == 96 and len(set(cells)) == 96
        assert len({(p.point, p.claim) for p in made}) == 12


def test_more_probes_than_claims_at_points_are_refused():
    with pytest.raises(ValueError, match="12 probes are more than 3 claims at 3 points"):
        planned(claims={key: CLAIMS[key] for key in list(CLAIMS)[:3]})


def test_a_conversation_without_a_reply_cannot_be_forked():
    with pytest.raises(ValueError, match="without a reply"):
        planned(turns=0)
