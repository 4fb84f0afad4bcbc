"""Statements that cannot stand beside a claim: "the capital is Wellington", "it's the tilt that does it".

A clause of this kind denies the claim without a "not". Rivals are weaker evidence than words about the
claim itself, since what is said may be about something else.
"""

import re
from functools import cache

from studyapp.verdicts.coders.claim_shape import CLEFT, ClaimShape, is_about, is_set_aside, negations
from studyapp.verdicts.coders.stance_words import table
from studyapp.verdicts.coders.stems import stems

_ROLE = re.compile(r"^.+? (?:is|are|was|were) the (?P<role>[\w'-]+)")
_SURELY = r"(?: actually| really| in fact| instead| of course| simply| just| rather)*"
# "The capital of Australia is Sydney": the role comes first.
_ROLE_FIRST = re.compile(r"^the (?P<role>[\w'-]+)(?: (?:of|in) .+?)? (?:is|was) (?!the |an? )\w+$")
_NAMES = re.compile(r"^.+? (?:means|is called|are called|is known as|stands for)\b")
_CAUSAL = re.compile(r"\b(?:because|due to|makes?|causes?|gives?|leads?|caused by|comes? from)\b")
_OTHER_CAUSE = re.compile(
    r"\b(?:because of|due to|caused by|comes? down to|down to|thanks to|results? (?:of|from)|comes? from|"
    r"has to do with|have to do with)\b(?P<cause>.+)$"
)
_CORRECTING = re.compile(r"\b(?:actually|in fact|in truth|in reality|rather|instead)\b ?")
_DOES_IT = re.compile(
    r"^(?:but |and )?(?P<what>[\w' -]+?) (?:causes?|explains?|drives?|is responsible for|is behind|"
    r"is the (?:real |true |actual )?(?:cause|reason)(?: of| for| behind)?)\b(?P<does>.*)$"
)
_NO_EFFECT = re.compile(
    r"\b(?:irrelevant|(?:makes?|made|making) no difference|doesn't make (?:a|any) difference|"
    r"nothing to do with|plays? no (?:role|part)|has no (?:effect|influence|bearing)|"
    r"does(?:n't| not) matter)\b"
)
_HONOURED = re.compile(
    r"\b(?P<who>\w+) (?:has|holds|gets|claims|takes|wins) (?:that|the|this) "
    r"(?:honou?r|title|distinction|role|crown)\b"
)
_NOBODY = frozenset(("it", "that", "this", "what", "which", "there", "here", "who", "not", "they", "one"))


def contradicts(claim: ClaimShape, text: str) -> bool:
    """Whether a clause without a negator says something of the claim's subject that excludes the claim."""
    return (
        is_set_aside(claim, text)
        or _holds_a_rival(claim, text)
        or _gives_the_role_to_another(claim, text)
        or _names_it_otherwise(claim, text)
        or _gives_another_cause(claim, text)
    )


def corrects(claim: ClaimShape, text: str, *, after: str = "") -> bool:
    """Whether a clause puts something else in the claim's place: "they're actually legumes".

    Weak: it is told by the "actually" alone, in it or as the clause before (``after``).
    """
    marked = _CORRECTING.search(text) or _CORRECTING.fullmatch(after)
    return bool(marked) and is_about(claim, _CORRECTING.sub(" ", text).strip())


def _holds_a_rival(claim: ClaimShape, text: str) -> bool:
    if not is_about(claim, text):
        return False
    return any(of.search(claim.text) and said.search(text) for of, said in _rivals())


@cache
def _rivals() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    return tuple(
        (re.compile(rf"(?<![\w'])(?:{pair['claim']})(?![\w'])"), _whole(pair["said"]))
        for pair in table()["rivals"]
    )


def _whole(expression: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'])(?:{expression})(?![\w'])")


def _gives_the_role_to_another(claim: ClaimShape, text: str) -> bool:
    """ "The capital is Wellington", "Wellington is the capital", of the claim that Auckland is."""
    first = _ROLE_FIRST.match(claim.text)
    role = first or _ROLE.match(claim.text)
    holder_said = set(claim.core if first else claim.subject) & set(stems(text))
    if not role or negations(text) or holder_said:
        return False
    word = re.escape(role.group("role"))
    held = re.search(rf"\b{word}(?: city| one)?(?: of [\w' ]+?)?(?:'s| is| was){_SURELY} (?P<who>\w+)", text)
    holder = re.search(rf"(?P<who>\w+)(?:'s| is| was){_SURELY} (?:the|its|their)(?: \w+)? {word}\b", text)
    honoured = _HONOURED.search(text)
    return any(found and _is_another(claim, found.group("who")) for found in (held, holder, honoured))


def _names_it_otherwise(claim: ClaimShape, text: str) -> bool:
    """ "It means bookshop", of the claim that it means library."""
    if not _NAMES.match(claim.text) or negations(text) or not is_about(claim, text):
        return False
    said = re.search(
        r"\b(?P<verb>means?|meaning|is called|translates? (?:to|as)|stands for|is an?)\b(?P<what>.+)$", text
    )
    if not said:
        return False
    if said.group("verb").startswith("is a") and not set(claim.subject) & set(stems(text[: said.start()])):
        # "It's a lovely word": of it, not of what it means.
        return False
    what = stems(said.group("what"))
    return bool(what) and not set(what) & set(claim.content)


def _gives_another_cause(claim: ClaimShape, text: str) -> bool:
    """ "It's the movement that provokes them", "it comes from the tilt of the axis"."""
    if not _CAUSAL.search(claim.text):
        return False
    if _NO_EFFECT.search(text) and set(claim.subject) & set(stems(text)):
        return True
    if negations(text):
        return False
    own = set(claim.cause.content if claim.cause else claim.subject)
    if doing := _DOES_IT.match(text) or CLEFT.match(text):
        what, does = set(stems(doing.group("what"))), doing.group("does")
        to_it = set(stems(does)) & set(claim.content) or re.search(r" (?:it|them|that|this)$", does)
        return bool(what and to_it) and _is_mostly_other(what, own)
    other = _OTHER_CAUSE.search(text) if claim.cause else None
    named = set(stems(other.group("cause"))) if other else set()
    return bool(named) and _is_mostly_other(named, own)


def _is_mostly_other(named: set[str], own: set[str]) -> bool:
    return len(named & own) < len(own) / 2


def _is_another(claim: ClaimShape, who: str) -> bool:
    return who not in _NOBODY and bool(stems(who)) and not set(stems(who)) & set(claim.content)
