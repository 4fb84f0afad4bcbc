"""Where people find help, by country: a data file with the source of every entry."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

RESOURCES_FILE = Path(__file__).with_name("resources.yaml")
INTERNATIONAL = "international"


@dataclass(frozen=True)
class Resource:
    """One place to turn to. ``verified`` is "no" or "person, date": who confirmed it at its source, and when.

    ``country`` is a code of ISO 3166-1 or ``international`` and ``place`` its name in English; ``phone`` and
    ``text`` (whom to text, or what to whom) are for display; "" where there is none.
    """

    country: str
    place: str
    name: str
    what_for: str
    phone: str
    text: str
    web: str
    source: str
    verified: str


def resources(countries: Iterable[str]) -> list[Resource]:
    """The resources of these countries in the order given, then the international ones, always.

    Codes are read in either case and each counts once; a country that is not listed adds nothing, so that
    its people are shown the international ones.
    """
    document = _document()
    found: list[Resource] = []
    for country in dict.fromkeys(code.strip().upper() for code in countries):
        found += [_resource(country, entry) for entry in document["countries"].get(country, [])]
    return found + [_resource(INTERNATIONAL, entry) for entry in document[INTERNATIONAL]]


def listed_countries() -> list[str]:
    """The countries that have entries of their own."""
    return list(_document()["countries"])


def _resource(country: str, entry: Mapping[str, str]) -> Resource:
    return Resource(
        country=country,
        place=_document()["names"][country],
        name=entry["name"],
        what_for=entry["for"],
        phone=entry.get("phone", ""),
        text=entry.get("text", ""),
        web=entry.get("web", ""),
        source=entry["source"],
        verified=entry["verified"],
    )


@cache
def _document() -> Mapping[str, Any]:
    document: dict[str, Any] = yaml.safe_load(RESOURCES_FILE.read_text(encoding="utf-8"))
    return document
