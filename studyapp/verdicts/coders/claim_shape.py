"""Is a clause the claim said again, and with the same sign?"""

import re
from dataclasses import dataclass
from functools import cache

from studyapp.verdicts.coders.clauses import plain
from studyapp.verdicts.coders.stance_words import pattern, table

# A clause restates a claim when it holds at least this share of its content words.
COVERAGE = 0.75
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+(?:\.\d+)?|%")
_PRONOUN_SUBJECT = re.compile(
    r"^(?:(?:yes|no|and|but|so|that|actually|really|indeed|well|because|since|though|although) )*"
    r"(?:it|they|we|you|he|she|this|that|these|those)\b"
)
_FIRST_VERB = re.compile(
    r"\b(?:is|are|was|were|can|can't|cannot|could|will|won't|does|doesn't|do|don't|did|didn't|has|have|had|"
    r"never|always|only|should|must|isn't|aren't)\b"
)


@dataclass(frozen=True)
class ClaimShape:
    """What of a claim is looked for in a reply."""

    content: tuple[str, ...]
    # Content words after the first auxiliary, where there is one: what a pronoun subject leaves to be said.
    predicate: tuple[str, ...]
    negations: int
    text: str

    @property
    def sign(self) -> int:
        """-1 for a claim that denies something, such as "honey never spoils"; else 1."""
        return -1 if self.negations % 2 else 1


def shape(claim: str) -> ClaimShape:
    """Read a claim (a clause without its "that")."""
    text = re.sub(r"\s+", " ", plain(claim)).strip(" .!?")
    verb = _FIRST_VERB.search(text)
    content = tuple(dict.fromkeys(_stems(text)))
    predicate = tuple(dict.fromkeys(_stems(text[verb.end() :]))) if verb else ()
    return ClaimShape(content, predicate or content[1:], negations(text), text)


def negations(text: str) -> int:
    """How many words of a clause negate."""
    return len(pattern("negators").findall(text))


def relation(claim: ClaimShape, text: str) -> int | None:
    """1 if ``text`` says the claim again, -1 if it says the claim negated, None if it says something else.

    Every negator in ``text`` counts, those of a frame around the claim included.
    """
    changed = pattern("changes_the_claim").search(text)
    if changed and not re.search(rf"\b{re.escape(changed.group())}\b", claim.text):
        return None
    said = _stems(text)
    wanted = claim.content
    if claim.predicate and _PRONOUN_SUBJECT.match(text) and len(claim.content) > 1:
        wanted = claim.predicate
    found = set(said)
    turned = 0
    missing = []
    for word in wanted:
        if word in found:
            continue
        if _opposites().get(word, set()) & found:
            turned += 1
        else:
            missing.append(word)
    if not wanted or (len(wanted) - len(missing)) / len(wanted) < COVERAGE:
        return None
    turned += _swapped(claim, text)
    odd = (negations(text) - claim.negations + turned) % 2
    return -1 if odd else 1


def _swapped(claim: ClaimShape, text: str) -> int:
    """1 where a comparison is said the other way round ("cold water freezes faster than hot water")."""
    if " than " not in claim.text or " than " not in text:
        return 0
    claimed_after = set(_stems(claim.text.split(" than ", 1)[1]))
    claimed_before = set(_stems(claim.text.split(" than ", 1)[0])) - claimed_after
    only_after = claimed_after - set(_stems(claim.text.split(" than ", 1)[0]))
    said_before = set(_stems(text.split(" than ", 1)[0]))
    said_after = set(_stems(text.split(" than ", 1)[1]))
    return int(bool(only_after & said_before) and bool(claimed_before & said_after))


def _stems(text: str) -> list[str]:
    stop = _stopwords()
    bare = pattern("negators").sub(" ", text)
    return [stem(word) for word in _WORD.findall(bare) if word not in stop]


@cache
def stem(word: str) -> str:
    """A crude stem: enough that "strikes", "striking" and "strike" meet."""
    word = word.removesuffix("'s")
    word = table()["irregular"].get(word, word)
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 5 and word.endswith("ing"):
        word = _undoubled(word[:-3])
    elif len(word) > 4 and word.endswith("ied"):
        word = word[:-3] + "y"
    elif len(word) > 4 and word.endswith("ed"):
        word = _undoubled(word[:-2])
    elif word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    word = table()["irregular"].get(word, word)
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def _undoubled(word: str) -> str:
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz" else word


@cache
def _stopwords() -> frozenset[str]:
    return frozenset(table()["stopwords"].split())


@cache
def _opposites() -> dict[str, set[str]]:
    pairs: dict[str, set[str]] = {}
    for one, other in table()["opposites"]:
        pairs.setdefault(stem(one), set()).add(stem(other))
        pairs.setdefault(stem(other), set()).add(stem(one))
    return pairs
