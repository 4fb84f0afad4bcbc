"""Whether the steps of a session can be walked in their order: nothing before what it needs."""

from collections.abc import Iterator

from studyapp.agents import persona_parts
from studyapp.studies.complaints import Complaint, Path, nearest
from studyapp.studies.rules import reads
from studyapp.studies.whole import StudyFile

_ONCE = ("consent", "allocation", "conversation", "cards", "right", "debrief", "code")


def _first(study: StudyFile, kind: str) -> int | None:
    return next((index for index, step in enumerate(study.steps) if step.kind == kind), None)


def _here(index: int) -> Path:
    return ("steps", index)


@reads("steps")
def consent_comes_first(study: StudyFile) -> Iterator[Complaint]:
    if study.steps[0].kind != "consent":
        yield Complaint(
            _here(0), "a session begins with consent, not with this", "move a step of kind consent to the top"
        )


@reads("steps")
def debrief_and_code_come_last(study: StudyFile) -> Iterator[Complaint]:
    last = [step.kind for step in study.steps[-2:]]
    if last == ["debrief", "code"]:
        return
    if last[-1] != "code":
        yield Complaint(_here(len(study.steps) - 1), "a session ends with code", "end with code")
    if _first(study, "debrief") is None:
        yield Complaint(_here(len(study.steps) - 1), "there is no debrief", "add one before code")
    elif last[-1] == "code":
        yield Complaint(_here(len(study.steps) - 2), "debrief comes directly before code", "move it there")


@reads("steps")
def single_steps_come_once(study: StudyFile) -> Iterator[Complaint]:
    seen: set[tuple[str, str]] = set()
    for index, step in enumerate(study.steps):
        when = step.when if step.kind == "ratings" else ""
        if step.kind not in _ONCE and not when:
            continue
        if (step.kind, when) in seen:
            yield Complaint(
                _here(index), f"{step.kind} {when}".rstrip() + " is there already", "drop this one"
            )
        seen.add((step.kind, when))


@reads("steps")
def allocation_stands_before_what_differs(study: StudyFile) -> Iterator[Complaint]:
    """Everything before allocation is the same for everybody; the conversation is the first that is not."""
    allocation, conversation = _first(study, "allocation"), _first(study, "conversation")
    if conversation is None:
        if allocation is not None:
            yield Complaint(
                _here(allocation),
                "nothing after allocation differs by condition",
                "add a conversation, or drop allocation",
            )
        return
    if allocation is None:
        yield Complaint(
            _here(conversation),
            "conversation differs by condition, and no allocation comes before it",
            "put a step of kind allocation directly before",
        )
    elif allocation > conversation:
        yield Complaint(
            _here(conversation), "conversation comes before allocation", "move allocation directly before it"
        )
    elif allocation != conversation - 1:
        yield Complaint(
            _here(allocation),
            f"allocation is not directly before the first step that differs, {study.steps[conversation].key}",
            "move it there, so that nobody is allocated who leaves before",
        )


@reads("steps", "agent", "conditions")
def chats_have_a_partner(study: StudyFile) -> Iterator[Complaint]:
    conversation = _first(study, "conversation")
    if conversation is None:
        return
    if study.agent is None:
        yield Complaint(_here(conversation), "there is nobody to talk to", "add an agent section")
    elif study.agent.base and study.agent.base not in persona_parts.shipped()["base"]:
        yield Complaint(
            ("agent", "base"),
            f"there is no base part {study.agent.base!r}",
            nearest(study.agent.base, persona_parts.shipped()["base"]),
        )
    if not study.conditions:
        yield Complaint(_here(conversation), "there are no conditions to allocate to", "add conditions")


@reads("steps")
def turns_can_be_had(study: StudyFile) -> Iterator[Complaint]:
    for index, step in enumerate(study.steps):
        if step.kind == "conversation" and step.min_turns > step.max_turns:
            yield Complaint(
                (*_here(index), "min_turns"),
                f"{step.min_turns} turns cannot be had where {step.max_turns} is the most",
                "raise max_turns, or lower min_turns",
            )


@reads("steps", "draws", "cards")
def claims_are_drawn(study: StudyFile) -> Iterator[Complaint]:
    for index, step in enumerate(study.steps):
        if step.kind not in {"ratings", "cards", "right"}:
            continue
        if not study.claims:
            yield Complaint(_here(index), f"{step.kind} needs claims", "add cards, or drop the step")
        elif study.draws.cards is None:
            yield Complaint(
                _here(index),
                f"{step.kind} needs claims drawn per session",
                "add draws.cards: rated, discussed",
            )
        elif step.kind in {"cards", "right"} and study.draws.cards.discussed == 0:
            yield Complaint(
                _here(index), f"{step.kind} needs claims to discuss", "set draws.cards.discussed to 1 or more"
            )


@reads("steps")
def needs_come_before(study: StudyFile) -> Iterator[Complaint]:
    """Cards continue a conversation, right asks about cards, ratings after compare with ratings before."""
    conversation, cards = _first(study, "conversation"), _first(study, "cards")
    before = next((i for i, s in enumerate(study.steps) if s.kind == "ratings" and s.when == "before"), None)
    for index, step in enumerate(study.steps):
        here = _here(index)
        if step.kind == "cards" and (conversation is None or conversation > index):
            yield Complaint(here, "cards continue a conversation, and none comes before", "move it after one")
        if step.kind == "right" and (cards is None or cards > index):
            yield Complaint(here, "right asks about cards, and none come before", "move it after cards")
        if step.kind != "ratings":
            continue
        if step.when == "before" and conversation is not None and conversation < index:
            yield Complaint(here, "ratings before come after the conversation", "move it before allocation")
        if step.when == "after" and (before is None or before > index):
            yield Complaint(here, "ratings after have no ratings before them to compare with", "add them")
        if step.when == "after" and any(i is not None and i > index for i in (conversation, cards)):
            yield Complaint(here, "ratings after come before the talk they follow", "move it after cards")


@reads("steps", "draws")
def the_solomon_share_is_spared_as_a_whole(study: StudyFile) -> Iterator[Complaint]:
    spared = {step.key for step in study.steps if getattr(step, "unless", None) == "solomon"}
    about_claims = [s for s in study.steps if s.kind in {"ratings", "cards", "right"}]
    if not study.draws.solomon.share:
        if spared:
            yield Complaint(
                ("draws", "solomon", "share"),
                "is 0, yet steps say 'unless: solomon'",
                "give the share, or drop 'unless'",
            )
        return
    for index, step in enumerate(study.steps):
        if step in about_claims and step.key not in spared:
            yield Complaint(
                _here(index),
                f"{step.kind} is also asked of the Solomon share, which has no claims",
                "add 'unless: solomon'",
            )
    if not about_claims:
        yield Complaint(
            ("draws", "solomon", "share"), "no step is about claims, so nobody is spared any", "set it to 0"
        )


RULES = (
    consent_comes_first,
    debrief_and_code_come_last,
    single_steps_come_once,
    allocation_stands_before_what_differs,
    chats_have_a_partner,
    turns_can_be_had,
    claims_are_drawn,
    needs_come_before,
    the_solomon_share_is_spared_as_a_whole,
)
