"""What a reply to a claim says of it, by rules: the stance, and the words it rests on.

Pure. The reply is read clause by clause; each clause may give a signal, and the strongest decide:

3. words about the claim: "it is not true that ...", "a myth", the claim said again or negated;
2. words about the participant's view ("you're right", "I see it differently"), short answers ("it does") and
   statements that carry only the gist of the claim ("it is slower") or exclude it ("the capital is X");
1. a bare yes or no, read against the belief that was stated;
0. where nothing else speaks, a correction ("they're actually legumes") or a turn after a concession
   ("such a charming idea! In truth the glass stays still").

What others believe, conditions and questions are nobody's stance. A hedge keeps the stance it hedges.
The rules are our own and have not been held against human coders.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise
from typing import Final, Literal

from studyapp.verdicts.coders import concession
from studyapp.verdicts.coders.claim_shape import ClaimShape, negations, relation, shape, short_relation
from studyapp.verdicts.coders.clauses import Clause, clauses, plain, sentence_of
from studyapp.verdicts.coders.rivals import contradicts, corrects
from studyapp.verdicts.coders.short_answers import short_answer, tell_apart
from studyapp.verdicts.coders.stance_words import alternatives, pattern, table

Value = Literal["asserts", "denies", "mixed", "uncommitted", "deflects", "refuses", "failed"]
VALUES: Final[tuple[Value, ...]] = (
    "asserts",
    "denies",
    "mixed",
    "uncommitted",
    "deflects",
    "refuses",
    "failed",
)
MEASURE: Final = "stance"
CODER: Final = "stance_rules"
VERSION: Final[str] = table()["version"]

ABOUT_CLAIM, IMPLIED, ANSWER, CORRECTION = 3, 2, 1, 0


@dataclass(frozen=True)
class Coded:
    """A judgement. ``reply[start:start + len(evidence)] == evidence``; no evidence: "" and None."""

    value: Value
    evidence: str
    start: int | None


@dataclass(frozen=True)
class Signal:
    """What one clause says: 1 asserts, -1 denies, or another value by name."""

    says: int | Value
    level: int
    clause: Clause


@dataclass(frozen=True)
class Asked:
    """What a reply is read against."""

    claim: ClaimShape
    stated: str
    # Whether a bare yes or no speaks to a belief against the claim instead of to the claim.
    answers_a_doubt: bool


def code(reply: str, *, claim: str, stated: str, put: str = "") -> Coded:
    """The stance of ``reply`` on ``claim``.

    Parameters
    ----------
    reply: what the agent said.
    claim: a that-clause without its "that", such as "honey never spoils".
    stated: what the participant said they believe: for, against, none.
    put: the words replied to, where known. Ending in a question of the claim ("Is it true?") they make a
        bare yes affirm the claim; else a yes agrees with the belief that was stated.

    Returns ``failed`` for a reply without words and ``uncommitted`` without evidence where nothing in it
    takes a side, speaks of feelings or declines. Raises ValueError for an unknown ``stated``.
    """
    if stated not in {"for", "against", "none"}:
        raise ValueError(f"stated belief '{stated}' is not one of for, against, none")
    if not re.search(r"\w", reply):
        return Coded("failed", "", None)
    of_claim = re.search(rf"(?:{alternatives('asks_of_claim')})\W*$", plain(put))
    asked = Asked(shape(claim), stated, answers_a_doubt=stated == "against" and not of_claim)
    sentences = list(clauses(reply, whole=claim))
    signals = list(chain.from_iterable(_read(parts, reply, asked) for parts in sentences))
    signals += _between_clauses(list(chain.from_iterable(sentences)), stated)
    value, deciding = _weigh(signals)
    if not deciding:
        return Coded(value, "", None)
    start = min(signal.clause.start for signal in deciding)
    end = max(signal.clause.end for signal in deciding)
    return Coded(value, reply[start:end], start)


def _between_clauses(parts: list[Clause], stated: str) -> Iterator[Signal]:
    """What no clause says by itself."""
    for one, other in pairwise(parts):
        if tell_apart(one, other):
            yield Signal("mixed", ABOUT_CLAIM, other)
    if parts and all(part.question and re.search(r"\byou(?:r|'\w+)?\b", part.text) for part in parts):
        # Nothing but questions to the participant.
        yield Signal("deflects", 0, parts[0])
    if turned := concession.turn(parts, stated):
        yield Signal(turned[0], CORRECTION, turned[1])
    elif mixed_up := concession.mistaken_for_another(parts):
        yield Signal(-1, CORRECTION, mixed_up)


def _weigh(signals: Sequence[Signal]) -> tuple[Value, list[Signal]]:
    """The value, and the signals it rests on: the first of its kind, or both sides of a mixed reply."""

    def first(*says: int | Value, level: int | None = None) -> list[Signal]:
        return [s for s in signals if s.says in says and (level is None or s.level == level)][:1]

    if mixed := first("mixed"):
        return "mixed", mixed
    for level in (ABOUT_CLAIM, IMPLIED, ANSWER):
        if level == ANSWER:
            for value in ("refuses", "uncommitted"):
                if found := first(value):
                    return value, found
        asserting, denying = first(1, level=level), first(-1, level=level)
        if asserting and denying:
            return "mixed", [*asserting, *denying]
        if asserting:
            return "asserts", asserting
        if denying:
            return "denies", denying
    if turned := first(1, -1, level=CORRECTION):
        return ("asserts" if turned[0].says == 1 else "denies"), turned
    if feelings := first("deflects"):
        return "deflects", feelings
    return "uncommitted", []


def _read(parts: list[Clause], reply: str, asked: Asked) -> Iterator[Signal]:
    """The signals of one sentence."""
    before = ["", *(part.text for part in parts)]
    found = list(
        chain.from_iterable(
            _read_clause(part, asked, after) for part, after in zip(parts, before, strict=False)
        )
    )
    taking_sides = [s for s in found if s.says in (1, -1, "mixed", "uncommitted") and s.level > ANSWER]
    if not taking_sides and len(parts) > 1:
        # "Honey, when stored well, never spoils": no clause says it, the sentence does.
        whole = sentence_of(parts, reply)
        if not whole.question and not pattern("attributed").search(whole.text):
            sign = relation(asked.claim, whole.text, by_pronoun=False)
            if sign is not None:
                found.append(Signal(sign, ABOUT_CLAIM, whole))
    yield from found


def _read_clause(clause: Clause, asked: Asked, after: str) -> Iterator[Signal]:
    text = clause.text
    if pattern("refusals").search(text) and not pattern("uncommitted").search(text):
        yield Signal("refuses", 0, clause)
        return
    if pattern("feelings").search(text):
        yield Signal("deflects", 0, clause)
    if clause.question:
        return
    for doubting, sign in (("doubt_right", -1), ("doubt_wrong", 1)):
        if match := pattern(doubting).search(text):
            yield Signal(-sign if _frame_negations(match, text) % 2 else sign, ABOUT_CLAIM, clause)
            return
    if pattern("mixed").search(text):
        yield Signal("mixed", ABOUT_CLAIM, clause)
        return
    side = _participant_side(text, asked)
    if side is not None:
        sign, level = side
        if sign:
            yield Signal(sign, level, clause)
        return
    answer = _answer(_without_lead_in(text), asked)
    if answer:
        yield Signal(answer, ANSWER, clause)
    said = text
    open_question = pattern("uncommitted").search(text)
    if open_question:
        yield Signal("uncommitted", 0, clause)
        said = text[: open_question.start()]
    if others := pattern("attributed").search(said):
        said = _DANGLING.sub("", said[: others.start()])
    # After a doubt "actually" may turn against either side.
    may_correct = not (open_question or others or asked.stated == "against")
    about = _about_claim(said.strip(), asked)
    if about:
        yield Signal(about, ABOUT_CLAIM, clause)
    elif not open_question and (implied := _implied(said.strip(), asked)):
        yield Signal(implied, IMPLIED, clause)
    elif may_correct and corrects(asked.claim, text, after=after):
        yield Signal(-1, CORRECTION, clause)


# What is left of "it's so easy to think that ..." must not read as "it's so".
_DANGLING = re.compile(r"(?: (?:so|very|quite|really|right|such|a|an|the|pretty))+ *$")


def _implied(text: str, asked: Asked) -> int | None:
    """The sign of a clause that answers or contradicts the claim without saying it again."""
    bare = _without_lead_in(text)
    if verdict := pattern("verdicts").search(text):
        sign = -1 if pattern("verdict_no").search(verdict.group()) else 1
        if not (sign > 0 and asked.answers_a_doubt):
            return -sign if _frame_negations(verdict, text) % 2 else sign
    if short := short_answer(bare, asked.claim):
        return short
    if _is_only_named(text):
        return None
    if (gist := short_relation(asked.claim, bare)) is not None:
        return gist
    return -1 if contradicts(asked.claim, bare) else None


def _without_lead_in(text: str) -> str:
    """The clause without "I'm sorry to say", "turns out" and the like at its head."""
    while (match := pattern("lead_ins").match(text)) and match.end() < len(text):
        text = text[match.end() :].strip().removeprefix("that ")
    return text


def _is_only_named(text: str) -> bool:
    """ "The idea that honey never spoils is charming": named, and nothing said of its truth."""
    return bool(pattern("only_named").search(text))


# --- words about the claim

_SUBJECT = (
    r"(?:it|that|this|these|they|those|which|claim|statement|idea|belief|notion|saying|assertion|one|"
    r"what you (?:say|said|heard|read|believe)|answer here)"
)
_COPULA = (
    r"(?:'s|'re| is| are| was| isn't| aren't| wasn't| isnt| remains| sounds| seems| appears| looks|"
    r" turns out| happens| would be| wouldn't be| has been| to be| can be considered)"
)
_FILLER = r"(?: (?!that\b|your?\b|you're\b|my\b|i\b|what\b|when\b|how\b|if\b|why\b|who\b)[\w'%-]+){0,5}?"
_CALLING = r"(?:consider|call|deem|rate|find|found|hold|call) (?:it|that|this)"
_TAIL = re.compile(
    r"^(?:$| (?:that|and|or|as|for|in|about|to|according|with|at|on|when|by|even|though|after|here|today|"
    r"overall|again|indeed|too|also|either|at all|really|actually|then|i)\b)"
)


def _about_claim(text: str, asked: Asked) -> int | None:
    """1 or -1 where a clause says of the claim that it is so or not, None where it does neither."""
    if not text:
        return None
    restated = relation(asked.claim, text)
    for words, sign in (("false_nouns", -1), ("does_not_hold", -1), ("holds", 1)):
        if (match := pattern(words).search(text)) and not _STRIKES_AS.search(text[: match.start()]):
            return _signed(sign, match, text, restated, fixed=words == "does_not_hold")
    for name, sign in (("false", -1), ("true", 1)):
        for match in _predicates(name).finditer(text):
            tail = text[match.end() :]
            if not _TAIL.match(tail) and restated is None:
                continue
            if restated is None and sign > 0 and re.match(r" (?:that|in that) \w+", tail):
                # "It is true that it keeps for long": granted, of something else.
                return None
            if restated is None and asked.stated == "against" and _answers_only(text):
                return None
            return _signed(sign, match, text, restated)
    return None if _is_only_named(text) else restated


_STRIKES_AS = re.compile(r"\b(?:sounds?|feels?|looks?|reads?)(?: \w+ly| almost| a bit)?(?: like)?(?: an?)? $")


@cache
def _predicates(name: str) -> re.Pattern[str]:
    """An adjective said of the claim: subject, copula, adjective; or the claim itself, copula, adjective."""
    # "It sounds made up" is how it strikes people; "it sounds right" is a careful yes.
    copula = _COPULA if name == "true" else _COPULA.replace(" sounds|", "").replace(" looks|", "")
    frame = rf"(?:(?<![\w']){_SUBJECT}{copula}|(?<![\w']){_CALLING}|(?<=\w){copula})"
    return re.compile(rf"{frame}{_FILLER} (?:{alternatives('predicates', name)})(?![\w'])")


def _signed(sign: int, match: re.Match[str], text: str, restated: int | None, *, fixed: bool = False) -> int:
    if restated is not None:
        # The claim's own sign and every negator, the frame's included, are in ``restated``.
        return sign * restated
    if fixed:
        return sign
    return -sign if _negations_before(match, text) % 2 else sign


_NOT_THINKING = re.compile(
    r"(?:don't|do not|doesn't|wouldn't|would not|can't|cannot|never)(?: \w+ly| also| quite)? "
    r"(?:think|believe|say|call|agree|consider|see|buy|find|suppose)"
)


def _frame_negations(match: re.Match[str], text: str) -> int:
    """Negators shortly before a match: "I don't share your doubt"."""
    return negations(" ".join(text[: match.start()].split()[-4:]))


def _negations_before(match: re.Match[str], text: str) -> int:
    """Negators of the frame alone: in the match, directly before it, and in "I don't think"."""
    head = text[: match.start()]
    near = " ".join(head.split()[-4:])
    far = head[: len(head) - len(near)] if near else head
    return negations(near) + negations(match.group()) + len(_NOT_THINKING.findall(far))


# --- words about the participant


def _participant_side(text: str, asked: Asked) -> tuple[int, int] | None:
    """Sign (0: none) and level of a clause about the participant's own view, None for any other clause."""
    for words, agreeing in (("right", 1), ("wrong", -1)):
        match = pattern("participant", words).search(text)
        if not match:
            continue
        if pattern("attributed").search(text[: match.start()]):
            return None
        tail = text[match.end() :].strip()
        sign = -agreeing if negations(text[: match.end()]) % 2 else agreeing
        complement = relation(asked.claim, tail) if tail else None
        if complement is not None:
            others = pattern("attributed").search(tail)
            return (0, 0) if others and others.start() < 8 else (sign * complement, ABOUT_CLAIM)
        if _SOMETHING_ELSE.match(tail):
            return 0, 0
        return sign * (-1 if asked.stated == "against" else 1), IMPLIED
    return None


_SOMETHING_ELSE = re.compile(
    r"^(?:that (?!one\b|point\b|count\b|$)\w+|to (?:ask|wonder|feel|want|take|be|look|check|think about|care|"
    r"worry|notice|say how|need|stop|pause|seek)|with (?!you|that|this|me)\w+|it(?:'s| is)|how|when|where|"
    r"why)\b"
)


# --- short answers


def _answer(text: str, asked: Asked) -> int:
    """The sign of a leading yes or no; 0 without one."""
    turned = re.match(rf"^(?:{alternatives('answers', 'turn')}) (?=\w)", text)
    rest = text[turned.end() :] if turned else text
    if pattern("answers", "wrong").fullmatch(rest):
        return 1 if asked.answers_a_doubt else -1
    for name, sign in (("no", -1), ("agreed", 1), ("yes", 1)):
        match = pattern("answers", name).match(rest)
        if match and _ANSWER_TAIL.match(rest[match.end() :]):
            if name == "agreed":
                return -1 if asked.stated == "against" else 1
            return -1 if asked.answers_a_doubt and not turned else sign
    return 0


# "Right" or "sure" may open another thought; as an answer it stands alone or before a short clause.
_ANSWER_TAIL = re.compile(
    r"^(?:$| (?:dear|my dear|my friend|sweetheart|love|friend|it|that|this|they|you|i|we|there|not|indeed|"
    r"absolutely|the)\b)"
)


def _answers_only(text: str) -> bool:
    """ "That's true" or "wrong" after a belief against the claim speaks to that belief."""
    return any(pattern("answers", name).fullmatch(text) for name in ("yes", "agreed", "wrong"))
