"""Words of results: how many of a thing, in a sentence."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """A count with its noun.

    Examples
    --------
    >>> counted(1, "factor"), counted(3, "factor"), counted(0, "person")
    ('1 factor', '3 factors', '0 people')
    """
    plural = {"person": "people"}.get(noun, f"{noun}s")
    return f"{number} {noun if number == 1 else plural}"
