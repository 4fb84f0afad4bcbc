"""Is a clause the claim said again, and with the same sign?"""

import re
from collections.abc import Collection
from dataclasses import dataclass

from studyapp.verdicts.coders.clauses import plain
from studyapp.verdicts.coders.stance_words import pattern
from studyapp.verdicts.coders.stems import alike, derived, is_one_of_a_kind, opposed, opposite_side, stems

# A clause restates a claim when it holds at least this share of its content words,
COVERAGE = 0.75
# and this share of its predicate: "bulls hardly see the colour red" is not "the colour red angers bulls".
PREDICATE = 0.6
# A short clause, such as "it is slower", restates it when this share of its own words is the claim's,
KNOWN = 0.6
# or all are, and they make up this share of the claim's,
MOST = 0.6
# or one is, and something stands for the rest: "they do store it there".
_STANDS_FOR_REST = re.compile(
    r"\b(?:do|does|did|can|really|actually|don't|doesn't|didn't|can't|won't) \w+ (?:it|them|so|that|there)\b"
)
# With more words than this before it, what looks like a verb is none, or not the first.
LONGEST_SUBJECT = 4
_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|can|can't|cannot|could|will|won't|does|doesn't|do|don't|did|didn't|has|have|had|"
    r"never|always|only|should|must|isn't|aren't)\b"
)
_HEAD = r"^(?:(?:yes|no|and|but|so|that|actually|really|indeed|well|because|since|as|though|although) )*"
_PRONOUN_SUBJECT = re.compile(
    _HEAD + r"(?:it|they|he|she|this|that|these|those|their|its|both|the two|(?:all|most|both) of them)\b"
)
# "You see" and "we use" are about the claim only where the claim is about people.
_PERSON_SUBJECT = re.compile(_HEAD + r"(?:you|we)\b")
_OF_PEOPLE = re.compile(r"\b(?:people|persons?|humans?|you|your|we|our|everyone|adults|men|women)\b")
# "It's the cape that angers them": the pronoun stands for nothing.
CLEFT = re.compile(
    r"^(?:no |but |and |still |rather |instead |actually )*(?:it's|it is|it was)"
    r"(?: actually| really| in fact| instead| of course| simply| just| rather)*"
    r" (?P<what>[\w' -]{2,50}?) (?:that|which|who)\b(?P<does>.*)$"
)
# What may be left out when a claim is said again in short: "it isn't the capital" (of New Zealand).
_ADJUNCT = re.compile(r"\b(?:of|from|with|in|at|to|for|on|than|by|while|when|where)\b.*$")
_PLACE = re.compile(r"(?<=\w) (?:in|on|at)\b.*$")
_ADVERB = re.compile(r"\w{3,}ly$")
# "Four times faster" says faster.
_TIMES = re.compile(r"\b(?:[\w-]+|a few) times\b")
# "They really are cubes."
_IS_ONLY = re.compile(
    r"(?:it|that|this|they|these|those)(?:'s|'re)?\b(?: \w+ly| just| indeed)*"
    r"(?: is| are| not| aren't| isn't)*\b"
)
_COMPARATIVE = re.compile(r"\w+er$|more$|less$|worse$|good$")
_SET_ASIDE = re.compile(r"(?:(?P<before>\w+) )?\bnot (?:from |by |in |of |with )?(?P<what>\w.*)$")


@dataclass(frozen=True)
class ClaimShape:
    """What of a claim is looked for in a reply."""

    content: tuple[str, ...]
    # Content words before the first verb: what the claim is about.
    subject: tuple[str, ...]
    # Content words from the first verb on: what a pronoun subject leaves to be said.
    predicate: tuple[str, ...]
    # Content words that have an opposite, such as "faster".
    poles: tuple[str, ...]
    # Content words a short form must hold where there are no poles.
    core: tuple[str, ...]
    # What is compared with what: ({"hot"}, {"cold"}) in "hot water freezes faster than cold water".
    compared: tuple[frozenset[str], frozenset[str]]
    cause: "ClaimShape | None"
    negations: int
    text: str

    @property
    def sign(self) -> int:
        """-1 for a claim that denies something, such as "honey never spoils"; else 1."""
        return -1 if self.negations % 2 else 1


def shape(claim: str) -> ClaimShape:
    """Read a claim (a clause without its "that")."""
    text = re.sub(r"\s+", " ", plain(claim)).strip(" .!?")
    content = _content(text)
    auxiliary = _AUXILIARY.search(text)
    verb = min(
        (m for m in (auxiliary, pattern("main_verbs").search(text)) if m and m.start()),
        key=lambda m: m.start(),
        default=None,
    )
    subject = _content(_PLACE.sub("", text[: verb.start()])) if verb else ()
    predicate = _content(text[verb.start() :]) if verb else ()
    if not 0 < len(subject) <= LONGEST_SUBJECT or not predicate:
        # The verb is not known: what was found is a later one, or a noun.
        subject, predicate, verb = content[:1], content[1:], None
    cause = text.split(" because ", 1)[1] if " because " in text else ""
    core = _content(_ADJUNCT.sub("", text[verb.start() :])) if verb else ()
    return ClaimShape(
        content=content,
        subject=subject,
        predicate=predicate,
        poles=tuple(w for w in predicate if (others := opposite_side(w)) and not others & set(content)),
        core=core or predicate,
        compared=_compared(text, subject),
        cause=shape(cause) if cause else None,
        negations=negations(text),
        text=text,
    )


def _content(text: str) -> tuple[str, ...]:
    """The stems a reply is held to; how something is done ("slowly") may be left out."""
    words = tuple(dict.fromkeys(stems(text)))
    return tuple(word for word in words if not _ADVERB.match(word)) or words


def negations(text: str) -> int:
    """How many words of a clause negate."""
    return len(pattern("negators").findall(text))


def is_about(claim: ClaimShape, text: str) -> bool:
    """Whether a clause names what the claim is about, or begins with a pronoun that may stand for it."""
    subject = set(claim.subject)
    return _is_by_pronoun(claim, text) or bool(_held(tuple(subject), set(stems(text)))[0])


def _is_by_pronoun(claim: ClaimShape, text: str) -> bool:
    if CLEFT.match(text):
        return False
    person = _PERSON_SUBJECT.match(text) and _OF_PEOPLE.search(claim.text)
    return bool(_PRONOUN_SUBJECT.match(text) or person)


def relation(claim: ClaimShape, text: str, *, by_pronoun: bool = True) -> int | None:
    """1 if ``text`` says the claim again, -1 if it says the claim negated, None if it says something else.

    Every negator in ``text`` counts, those of a frame around the claim included. ``by_pronoun``: a pronoun
    at its head may stand for the claim's subject.
    """
    if _brings_something_in(claim, text):
        return None
    said = set(stems(text))
    wanted = claim.content
    if by_pronoun and claim.predicate and _is_by_pronoun(claim, text) and len(claim.content) > 1:
        wanted = claim.predicate
    held, turned = _held(wanted, said)
    if not wanted or len(held) / len(wanted) < COVERAGE:
        return None
    if len(held) < len(wanted) and _known(claim, said) <= 0.5:
        return None
    predicated, _ = _held(claim.predicate, said)
    if claim.predicate and len(predicated) / len(claim.predicate) < PREDICATE:
        return None
    return _sign(claim, text, turned + _swapped(claim, text))


def short_relation(claim: ClaimShape, text: str) -> int | None:
    """As ``relation`` for clauses that hold little else than the gist: "sound is slower in air".

    Weaker evidence: a pronoun, or part of the subject, is taken to be the claim's own.
    """
    if claim.cause:
        # Much of what such a claim holds may be granted without its cause.
        return relation(claim.cause, text) or short_relation(claim.cause, text)
    words = stems(_TIMES.sub(" ", text))
    said = set(words)
    about = is_about(claim, text) or claim.compared[1] & said
    restricted = re.search(r"\bonly\b", claim.text) and not re.search(r"\bonly\b", text)
    if not words or not about or restricted or _brings_something_in(claim, text):
        return None
    known = _known(claim, words)
    kinds = tuple(word for word in claim.core if is_one_of_a_kind(word))
    held, turned = _held(claim.poles or kinds or claim.core, said)
    all_held, _ = _held(claim.content, said)
    if not held or known < (KNOWN if claim.poles else 1):
        return None
    if claim.compared[1] and claim.poles and not any(_COMPARATIVE.match(word) for word in held):
        # "Los Angeles is west" compares nothing.
        return None
    named = _IS_ONLY.match(text) and claim.content[-1] in held
    gist = named or claim.poles or kinds or len(held) == len(claim.core) or _STANDS_FOR_REST.search(text)
    if not gist and len(all_held) / len(claim.content) < MOST:
        return None
    return _sign(claim, text, turned + _swapped(claim, text))


def is_set_aside(claim: ClaimShape, text: str) -> bool:
    """Whether a fragment such as "not wet hair" sets part of the claim aside."""
    fragment = _SET_ASIDE.search(text)
    if not fragment or claim.negations or _AUXILIARY.fullmatch(fragment.group("before") or ""):
        return False
    words = set(stems(fragment.group("what")))
    return bool(words) and words <= set(claim.content) and not words & claim.compared[1]


def _known(claim: ClaimShape, words: Collection[str]) -> float:
    """The share of a clause's words that belong to the claim, opposites and synonyms included."""
    vocabulary = {other for word in claim.content for other in (word, *alike(word), *opposed(word))}
    return (
        sum(word in vocabulary or derived(word, claim.content) for word in words) / len(words) if words else 0
    )


def _brings_something_in(claim: ClaimShape, text: str) -> bool:
    changed = pattern("changes_the_claim").search(text)
    return bool(changed and not re.search(rf"\b{re.escape(changed.group())}\b", claim.text))


def _held(wanted: tuple[str, ...], said: set[str]) -> tuple[list[str], int]:
    """The wanted words that are said, themselves or by another word, and how many by their opposite."""
    held, turned, excluded = [], 0, 0
    for word in wanted:
        if word in said or alike(word) & said or derived(word, said):
            held.append(word)
        elif (opposed(word) - set(wanted)) & said:
            # The Nile "flows north" takes nothing back of "from south to north".
            held.append(word)
            # "Blue and yellow" for "black and white" turns the claim round once.
            turned += bool(opposite_side(word) & said)
            excluded = excluded or not opposite_side(word) & said
    return held, turned + excluded


def _sign(claim: ClaimShape, text: str, turned: int) -> int:
    return -1 if (negations(text) - claim.negations + turned) % 2 else 1


def _compared(text: str, subject: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    if " than " not in text:
        return frozenset(), frozenset()
    before, after = text.split(" than ", 1)
    second = stems(after)[:1]
    alongside = re.match(r"(?:in|through|at|on|from|by|with|to) ", after)
    first = set(stems(before)[-1:]) if alongside else set(subject)
    return frozenset(first - set(stems(after))), frozenset(set(second) - set(stems(before)))


def _swapped(claim: ClaimShape, text: str) -> int:
    """1 where a comparison is said the other way round ("cold water freezes faster")."""
    first, second = claim.compared
    if not first or not second:
        return 0
    if " than " in text:
        before, after = (set(stems(side)) for side in text.split(" than ", 1))
        turned = (second & before and not first & before) or (first & after and not second & after)
        return int(bool(turned))
    said = set(stems(text))
    return int(bool(second & said) and not first & said)
