"""Part n of m, on every page: the number goes up by one, the total stays, the minutes only go down."""

import re

import pytest
from django.test import Client

from studyapp.participation import progress, withdrawal
from studyapp.participation.models import Session
from studyapp.participation.pages.frame import part_of
from tests import cast

pytestmark = pytest.mark.django_db


def client_of(session: Session) -> Client:
    """A browser that belongs to ``session``: it came by the recruitment link."""
    client = Client()
    client.get(f"/s/{session.study.slug}/", {"PROLIFIC_PID": cast.ADA})
    return client


def part_on(client: Client, address: str) -> tuple[int, int, str] | None:
    text = client.get(address).content.decode()
    found = re.search(r"Part (\d+) of (\d+)</strong> · ([^<]+)<", text)
    return (int(found[1]), int(found[2]), found[3]) if found else None


def address_of(session: Session) -> str:
    return f"/s/{session.study.slug}/{session.position}/"


@pytest.mark.parametrize("seed", [cast.SEED, cast.SOLOMON_SEED])
def test_the_total_stays_and_no_part_is_left_out_with_and_without_cards(seed: int) -> None:
    session = cast.arrives(cast.study(), recruitment_id=cast.ADA, seed=seed)
    client = client_of(session)
    parts = []
    while True:
        visit = progress.current(session)
        parts.append(part_on(client, address_of(session)))
        if visit.step_kind == "code":
            break
        cast.take_step(session, visit)
    assert [part[0] for part in parts if part] == list(range(1, len(parts) + 1))
    assert {part[1] for part in parts if part} == {len(parts)}
    assert parts[-1] is not None and parts[-1][2] == "all done"


def test_the_ways_out_carry_the_part_of_the_step_one_came_from() -> None:
    session = cast.arrives(cast.study(), recruitment_id=cast.ADA)
    client = client_of(session)
    cast.walk(session, to="talk")
    here = part_on(client, address_of(session))
    assert here is not None
    for name in ("support", "problem", "stop"):
        assert part_on(client, f"/s/{session.study.slug}/{name}/") == here


def test_who_has_left_early_is_told_no_part() -> None:
    session = cast.arrives(cast.study(), recruitment_id=cast.ADA)
    client = client_of(session)
    cast.walk(session, to="talk")
    withdrawal.withdraw(session=session, keep=True)
    assert client.get(address_of(session)).status_code == 200
    assert part_on(client, address_of(session)) is None


def test_minutes_are_shared_out_by_what_a_step_takes() -> None:
    kinds = ["consent", "allocation", "conversation", None, "scale", "debrief", "code"]
    parts = [part_of(kinds, position, 8) for position in range(len(kinds)) if kinds[position]]
    assert [part.number for part in parts if part] == [1, 1, 2, 3, 4, 5]
    assert [part.minutes_left for part in parts] == [8, 7, 7, 2, 1, 0]
    assert parts[3].minutes_text == "about 2 minutes left"
    assert parts[4].minutes_text == "about 1 minute left"
    assert parts[5].minutes_text == "all done"
