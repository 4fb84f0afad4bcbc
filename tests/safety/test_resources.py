"""Everyone is shown somewhere to turn to, and nothing claims to have been checked by nobody."""

import re

import pytest

from studyapp.safety.resources import INTERNATIONAL, listed_countries, resources


def test_a_country_comes_first_and_the_international_ones_always_follow() -> None:
    found = resources(["GB"])
    assert [resource.country for resource in found[:2]] == ["GB", "GB"]
    assert found[-1].country == INTERNATIONAL
    assert "findahelpline.com" in found[-1].web


def test_countries_keep_their_order_and_count_once_in_either_case() -> None:
    order = list(dict.fromkeys(resource.country for resource in resources(["ie", "US", "IE "])))
    assert order == ["IE", "US", INTERNATIONAL]
    assert resources(["ie", "IE"]) == resources(["IE"])


@pytest.mark.parametrize("countries", [[], ["XX"]])
def test_without_a_listed_country_the_international_ones_remain(countries: list[str]) -> None:
    assert resources(countries)
    assert {resource.country for resource in resources(countries)} == {INTERNATIONAL}


def test_seven_countries_are_listed() -> None:
    assert set(listed_countries()) == {"US", "GB", "IE", "CA", "AU", "NZ", "DE"}


def test_every_place_is_named_in_words() -> None:
    places = {resource.country: resource.place for resource in resources(listed_countries())}
    assert places["NZ"] == "New Zealand" and places[INTERNATIONAL] == "Anywhere in the world"
    assert all(len(name) > 2 for name in places.values())


@pytest.mark.parametrize("country", ["US", "GB", "IE", "CA", "AU", "NZ", "DE"])
def test_each_country_begins_with_its_emergency_number(country: str) -> None:
    first = resources([country])[0]
    assert first.what_for.startswith("immediate danger")
    assert re.match(r"\d{3}", first.phone)


def test_every_entry_names_a_source_and_says_who_verified_it_or_that_nobody_did() -> None:
    for resource in resources(listed_countries()):
        assert resource.source.startswith("https://"), resource.name
        assert resource.verified == "no" or re.fullmatch(r".+, \d{4}-\d\d-\d\d", resource.verified)
        assert resource.phone or resource.text or resource.web or resource.country == INTERNATIONAL
