"""Disagreeing kindly: something is granted, then the reply turns from it.

"It's such a romantic idea! In truth the glass stays still." Neither half says that the claim is false; that
one follows the other does. Warm replies disagree like this far more often than curt ones, so a coder that
cannot read it misses stance by style. Weak evidence: it counts only where nothing else in the reply speaks.
"""

import re
from collections.abc import Sequence

from studyapp.verdicts.coders.clauses import Clause
from studyapp.verdicts.coders.stance_words import pattern

# How many clauses may lie between what is granted and the turn.
REACH = 5
_TO_PEOPLE = re.compile(
    r"^(?:(?:but|still|yet|and|though) )*(?:i(?!')|i'm(?! afraid| sorry to)|i'd|i'll|i've|you|you're|your|"
    r"let's|we|what(?! really| actually)|how|that said|others|some|many|most|people|experts|nobody|no one|"
    r"opinions|tell|share|let|please|thank|thanks|take|do)\b"
)


def turn(clauses: Sequence[Clause], stated: str) -> tuple[int, Clause] | None:
    """The sign towards the claim of the first turn after a concession, and the clause that turns.

    What is granted decides: that the claim is a fine idea (the turn denies it), that it sounds strange (the
    turn asserts it), or that the participant has reason for their belief (the turn goes against it).
    """
    granted: tuple[int, int] | None = None
    for place, clause in enumerate(clauses):
        if granted and 0 < place - granted[1] <= REACH and _turns(clauses, place):
            return granted[0], clause
        sign = _granted(clause.text, stated)
        if sign and not granted:
            granted = sign, place
    return None


def mistaken_for_another(clauses: Sequence[Clause]) -> Clause | None:
    """The clause that calls the claim a mix-up ("it's so easy to mix them up"), which denies it."""
    return next((clause for clause in clauses if pattern("mixed_up").search(clause.text)), None)


def _granted(text: str, stated: str) -> int:
    if pattern("concedes", "strange").search(text):
        return 1
    if pattern("concedes", "idea").search(text):
        return -1
    if pattern("concedes", "person").search(text):
        return 1 if stated == "against" else -1
    return 0


def _turns(clauses: Sequence[Clause], place: int) -> bool:
    """Whether a clause states something of the matter and is marked as a turn, in itself or beside it."""
    clause = clauses[place]
    if clause.question or _TO_PEOPLE.match(clause.text) or pattern("feelings").search(clause.text):
        return False
    before = clauses[place - 1].text
    after = clauses[place + 1].text if place + 1 < len(clauses) else ""
    return bool(
        pattern("turns").search(clause.text)
        or pattern("turns").fullmatch(before)
        or pattern("turns").fullmatch(after)
    )
