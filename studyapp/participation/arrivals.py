"""What a session finds at a step: the scale as it will be asked, or the conversation, made on arrival."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from studyapp.chat import conversations
from studyapp.chat.brief import TaskSpec
from studyapp.chat.models import Conversation
from studyapp.participation import cards, passage
from studyapp.participation.models import Session, Visit
from studyapp.seeds import derive
from studyapp.studies.briefs import brief_for
from studyapp.studies.document import Document
from surveys.administration import administer
from surveys.models import Administration

ASKING = frozenset({"scale", "ratings", "right"})
TALKING = frozenset({"conversation", "cards"})


def arrive(session: Session, *, truth: Mapping[str, Any] | None = None) -> Visit:
    """The visit of a locked session to the step it stands at; made with all it needs the first time.

    ``truth`` is handed to the demo agent of a conversation made now (simulation).
    """
    known = (
        session.visits.select_related("administration", "conversation")
        .filter(position=session.position)
        .first()
    )
    if known is not None:
        return known
    step = passage.step_here(session)
    return Visit.objects.create(
        session=session,
        position=session.position,
        step_key=step["key"],
        step_kind=step["kind"],
        administration=_administration(session, step) if step["kind"] in ASKING else None,
        conversation=_conversation(session, step, truth) if step["kind"] in TALKING else None,
        started_at=timezone.now(),
    )


def _administration(session: Session, step: dict[str, Any]) -> Administration:
    document = session.version.document
    kind = step["kind"]
    if kind == "scale":
        scale = document["scales"][step["scale"]]
        # Only a scale that leaves its items to the study has any here.
        items = step.get("items")
    else:
        drawn = cards.rated(session) if kind == "ratings" else cards.raised(session)
        scale = document["scales"][kind]
        items = [{"key": card.key, "text": _sentence(cards.claim(session, card.key))} for card in drawn]
    agent = document.get("agent")
    words = {**({"agent": agent["name"]} if agent else {}), **(step.get("words") or {})}
    return administer(scale=scale, seed=derive(session.seed, "step", step["key"]), words=words, items=items)


def _sentence(claim: dict[str, Any]) -> str:
    """A claim, written as a that-clause, as a sentence of its own."""
    text = claim["claim"]
    return f"{text[0].upper()}{text[1:]}."


def _conversation(session: Session, step: dict[str, Any], truth: Mapping[str, Any] | None) -> Conversation:
    if session.condition is None:
        raise LookupError(
            f"session {session.pk} reached '{step['key']}' without a condition; "
            f"{session.version} has no allocation before it"
        )
    document = Document.of(session.version)
    brief = brief_for(document, session.condition.slug, step=document.step(session.position), truth=truth)
    seed = derive(session.seed, "step", step["key"])
    if step["kind"] == "conversation":
        return conversations.start(kind=Conversation.Kind.MAIN, brief=brief, seed=seed)
    main = Conversation.objects.filter(visit__session=session, kind=Conversation.Kind.MAIN).first()
    return conversations.start(
        kind=Conversation.Kind.CARDS, brief=brief, seed=seed, tasks=_tasks(session, document), continues=main
    )


def _tasks(session: Session, document: Document) -> list[TaskSpec]:
    claims = {card.key: document.card(card.key) for card in cards.discussed(session)}
    return [
        TaskSpec(
            key=card.key,
            text=document.ask(card.key, card.stated),
            context={
                "claim": {
                    "key": card.key,
                    "text": claims[card.key].claim,
                    "truth": claims[card.key].truth,
                },
                "stated": card.stated,
                "draw": 0,
            },
        )
        for card in cards.discussed(session)
    ]
