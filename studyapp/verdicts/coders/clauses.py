"""A reply cut into clauses that keep their place in it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from studyapp.verdicts.coders.stance_words import pattern

# One character for one, so that offsets hold: typographic marks to plain ones, emphasis marks to spaces.
_PLAIN = str.maketrans('’‘ʼ“”*_#`"\u00a0\u202f\t\r', "'''           ")
_SENTENCE_END = re.compile(r"[.!?…]+(?=[\s)]|$)|\n+|(?<=[\u2600-\u27bf\U0001f300-\U0001faff])\s")
_CLAUSE_END = re.compile(r"[,;:—–()]|\s-+\s")
_AND = re.compile(r"\s(?:and|or)\s(?=(?:it|that|this|they|there|you|i|i'm|i'd|we|he|she|so)\b)")


@dataclass(frozen=True)
class Clause:
    """``text`` is lower case with single marks; ``original[start:end]`` is what it stands for."""

    text: str
    start: int
    end: int
    question: bool
    first: bool
    """Whether it opens its sentence."""


def plain(text: str) -> str:
    """Lower case, straight apostrophes, no emphasis marks; as long as the original."""
    lowered = text.lower()
    if len(lowered) != len(text):
        # A few letters become two when lowered; they stay as they are.
        lowered = "".join(low if len(low := c.lower()) == 1 else c for c in text)
    return lowered.translate(_PLAIN)


def clauses(text: str, *, whole: str = "") -> Iterator[list[Clause]]:
    """The clauses of each sentence of the reply, in order. ``text`` is the reply as it is.

    ``whole`` is not cut where it stands word for word: a claim may hold a "because" of its own.
    """
    flat = plain(text)
    kept = re.escape(plain(whole).strip()) if whole.strip() else None
    for start, end, question in _sentences(flat):
        sentence = _without_asides(flat[start:end])
        spans = [match.span() for match in re.finditer(kept, sentence)] if kept else []
        yield list(_clauses_of(sentence, start, question, spans))


def sentence_of(parts: list[Clause], text: str) -> Clause:
    """The whole sentence as a single clause."""
    start, end = parts[0].start, parts[-1].end
    return Clause(_squeezed(plain(text)[start:end]), start, end, parts[0].question, first=True)


def _sentences(flat: str) -> Iterator[tuple[int, int, bool]]:
    start = 0
    for stop in _SENTENCE_END.finditer(flat):
        yield start, stop.start(), "?" in stop.group()
        start = stop.end()
    yield start, len(flat), False


def _without_asides(sentence: str) -> str:
    # Only between commas: at the start of a sentence the comma ends a clause like any other.
    asides = pattern("asides", before=r",\s*", after=r"\s*,")
    return asides.sub(lambda match: " " * len(match.group()), sentence)


def _clauses_of(sentence: str, offset: int, question: bool, kept: list[tuple[int, int]]) -> Iterator[Clause]:
    breaks = pattern("breaks", before=r"\s")
    every = sorted(
        [(m.start(), m.end()) for m in _CLAUSE_END.finditer(sentence)]
        + [(m.start(), m.end()) for m in _AND.finditer(sentence)]
        + [(m.start(), m.start() + 1) for m in breaks.finditer(sentence)]
    )
    ends = [cut for cut in every if not any(begin < cut[0] < end for begin, end in kept)]
    start, first = 0, True
    for end, after in [*ends, (len(sentence), len(sentence))]:
        piece = sentence[start:end]
        if re.search(r"\w", piece):
            lead = len(piece) - len(piece.lstrip(" '"))
            tail = len(piece.rstrip())
            yield Clause(_squeezed(piece), offset + start + lead, offset + start + tail, question, first)
            first = False
        start = max(after, start)


def _squeezed(piece: str) -> str:
    return re.sub(r"\s+", " ", pattern("not_negations").sub(" ", piece)).strip(" '.!?")
