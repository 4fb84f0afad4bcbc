"""A reply cut into clauses that keep their place in it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from studyapp.verdicts.coders.stance_words import pattern

# One character for one, so that offsets hold: typographic marks to plain ones, emphasis marks to spaces.
_PLAIN = str.maketrans('’‘ʼ“”*_#`"\u00a0\u202f\t\r', "'''           ")
_QUOTE = re.compile(r"(?<!\w)'|'(?!\w)")
_SENTENCE_END = re.compile(r"[.!?…]+(?=[\s)]|$)|\n+|(?<=[\u2600-\u27bf\U0001f300-\U0001faff])\s")
_CLAUSE_END = re.compile(r"[,;:—–()]|\s-+\s")
_AND = re.compile(r"\s(?:and|or)\s(?=(?:it|that|this|they|there|you|i|i'm|i'd|we|he|she|so)\b)")
_NEW_SUBJECT = re.compile(
    r"\s*(?:it|they|he|she|this|that|there|we|you|i|because|since|as|so|but|and|which)\b"
)
_TURNING = re.compile(r"\b(?:though|however|in fact|in truth|in reality|actually|sadly|unfortunately)\b")
# After these an aside stands within its clause: "it is, however, true".
_UNFINISHED = re.compile(
    r"(?:\b(?:is|are|was|were|be|been|can|could|will|would|do|does|did|has|have|had|not|may|might)|n't|'s|'re|"
    r"^\W*(?:yes|no|honey|that|it|they))\s*$"
)
# A question mark at the end of a sentence is not one of its earlier clauses, unless they ask as well:
# "it really is true, isn't it?"
_ASKS = re.compile(
    r"(?:(?:and|so|but|well|oh|ah|hmm|now) )*(?:is|isn't|are|aren't|was|were|do|don't|does|doesn't|"
    r"did|didn't|can|can't|could|would|wouldn't|will|won't|has|have|haven't|should|shall|may|might|what|why|how|who|when|where|"
    r"which|whether|if|am)\b"
)
_DID_YOU_KNOW = re.compile(r"^(?:(?:and|so|but|oh) )?(?:did|do) you know(?: that)?\s+")


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
    """Lower case, straight apostrophes, no quotes or emphasis marks; as long as the original."""
    lowered = text.lower()
    if len(lowered) != len(text):
        # A few letters become two when lowered; they stay as they are.
        lowered = "".join(low if len(low := c.lower()) == 1 else c for c in text)
    return _QUOTE.sub(" ", lowered.translate(_PLAIN))


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
    asked = any(part.question for part in parts)
    return Clause(_squeezed(plain(text)[start:end]), start, end, asked, first=True)


def _sentences(flat: str) -> Iterator[tuple[int, int, bool]]:
    start = 0
    for stop in _SENTENCE_END.finditer(flat):
        yield start, stop.start(), "?" in stop.group()
        start = stop.end()
    yield start, len(flat), False


def _without_asides(sentence: str) -> str:
    # Only between commas: at the start of a sentence the comma ends a clause like any other. Where a new
    # subject follows ("it isn't true, though, it's the cape") a comma stays.
    asides = pattern("asides", before=r",\s*", after=r"\s*,")

    def blank(match: re.Match[str]) -> str:
        aside = match.group()
        opens = _NEW_SUBJECT.match(sentence, match.end())
        if not opens and (not _TURNING.search(aside) or _UNFINISHED.search(sentence[: match.start()])):
            return " " * len(aside)
        return aside if _TURNING.search(aside) else "," + " " * (len(aside) - 1)

    return asides.sub(blank, sentence)


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
            said = _squeezed(piece)
            # "Did you know that ...?" tells.
            told = _DID_YOU_KNOW.sub("", said)
            asked = question and said == told and (end == len(sentence) or bool(_ASKS.match(said)))
            yield Clause(told, offset + start + lead, offset + start + tail, asked, first)
            first = False
        start = max(after, start)


def _squeezed(piece: str) -> str:
    return re.sub(r"\s+", " ", pattern("not_negations").sub(" ", piece)).strip(" '.!?")
