"""Words reduced to what is compared: stems, and which side of which scale a word stands on."""

import re
from collections.abc import Collection
from functools import cache

from studyapp.verdicts.coders.stance_words import pattern, table

# Words that share this many first letters are taken for one root.
ROOT = 6
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+(?:\.\d+)?|%")


def stems(text: str) -> list[str]:
    """The stems of the content words of ``text`` (lower case), in order; negators are left out."""
    bare = pattern("negators").sub(" ", text)
    return [stem(word) for word in _WORD.findall(bare) if word not in _stopwords()]


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


def alike(word: str) -> frozenset[str]:
    """Stems that may stand for ``word``: synonyms, and words of the same side of its scale."""
    return _same_side().get(word, frozenset())


def derived(word: str, said: Collection[str]) -> bool:
    """Whether a word of one root is said: "botanist" for "botanically"."""
    return len(word) >= ROOT and any(other[:ROOT] == word[:ROOT] for other in said)


def opposed(word: str) -> frozenset[str]:
    """Stems that exclude ``word``: its opposites, and the others of its kind ("two" for "three")."""
    return opposite_side(word) | _exclusive().get(word, frozenset())


def is_one_of_a_kind(word: str) -> bool:
    """Whether a stem is one of a list that exclude each other, such as numbers and colours."""
    return word in _exclusive()


def opposite_side(word: str) -> frozenset[str]:
    """Stems of the other side of the scale ``word`` stands on."""
    return _other_side().get(word, frozenset())


def _undoubled(word: str) -> str:
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz" else word


@cache
def _stopwords() -> frozenset[str]:
    return frozenset(table()["stopwords"].split())


@cache
def _same_side() -> dict[str, frozenset[str]]:
    together: dict[str, set[str]] = {}
    groups = [side for scale in table()["scales"] for side in scale] + table()["synonyms"]
    for group in groups:
        members = {stem(word) for word in group.split()}
        for member in members:
            together.setdefault(member, set()).update(members - {member})
    return {word: frozenset(others) for word, others in together.items()}


@cache
def _other_side() -> dict[str, frozenset[str]]:
    against: dict[str, set[str]] = {}
    for one, other in table()["scales"]:
        for here, there in ((one, other), (other, one)):
            for word in here.split():
                against.setdefault(stem(word), set()).update(stem(w) for w in there.split())
    return {word: frozenset(others) for word, others in against.items()}


@cache
def _exclusive() -> dict[str, frozenset[str]]:
    kinds = [{stem(word) for word in group.split()} for group in table()["exclusive"]]
    return {word: frozenset(kind - {word}) for kind in kinds for word in kind}
