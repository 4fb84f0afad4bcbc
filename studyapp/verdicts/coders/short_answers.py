"""Answers without content of their own: "it does", "bats aren't", "honeybees do, bumblebees do not"."""

import re

from studyapp.verdicts.coders.claim_shape import ClaimShape
from studyapp.verdicts.coders.clauses import Clause
from studyapp.verdicts.coders.stance_words import pattern
from studyapp.verdicts.coders.stems import stems

_SHORT = re.compile(
    r"^(?:(?:yes|no|yeah|nope|actually|well|indeed|sure|and|but|still) )*(?P<who>(?:[\w'-]+ ){0,4}?[\w-]+?)"
    r"(?: really| actually| certainly| definitely| indeed| most certainly| simply| truly| just| sure| surely|"
    r" absolutely| totally)*"
    r"(?P<verb> (?:does|do|did|can|could|will|would|has|have|had|is|are|was|were)|'s(?= not)|'re(?= not))"
    r"(?P<neg>n't| not|not)?(?: indeed| too| actually| really| so| either| at all)*$"
)
_PRONOUNS = frozenset(("it", "they", "that", "this", "he", "she", "we", "there", "those", "these"))


def short_answer(text: str, claim: ClaimShape) -> int | None:
    """The sign of "it does", "they don't", "bats aren't"."""
    match = _SHORT.match(text)
    if not match:
        return None
    who = match.group("who")
    named = set(stems(who))
    if who not in _PRONOUNS and not (named and named <= set(claim.subject)):
        return None
    sign = -1 if match.group("neg") else 1
    of_its_truth = who in _PRONOUNS and match.group("verb").strip() in {"is", "was", "'s"}
    return sign if of_its_truth else sign * claim.sign


def tell_apart(one: Clause, other: Clause) -> bool:
    """Whether two clauses answer yes for one part and no for another.

    "True of honeybees, but most others survive"; "honeybees do, bumblebees do not"; "in the kitchen yes,
    in botany no".
    """
    if one.question or other.question:
        return False
    if {_last_answer(one.text), _last_answer(other.text)} == {"yes", "no"}:
        return True
    if pattern("partial", "some").search(one.text) and pattern("partial", "rest").search(other.text):
        return True
    matches = [_SHORT.match(part.text) for part in (one, other)]
    if not all(match and stems(match.group("who")) for match in matches):
        return False
    return len({bool(match and match.group("neg")) for match in matches}) == 2


def _last_answer(text: str) -> str:
    """The yes or no that ends a clause of several words: "in the kitchen no"."""
    words = text.split()
    return words[-1] if len(words) > 1 and words[-1] in {"yes", "no"} else ""
