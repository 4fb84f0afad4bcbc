"""The debrief, made from the data: what was varied, and for each claim what this person was told."""

from dataclasses import dataclass

from django.conf import settings

from studyapp.chat.models import Message
from studyapp.participation import cards, draws
from studyapp.participation.models import Session

ELSEWHERE = (
    "The AI may have been wrong elsewhere in your conversation too. "
    "Please do not rely on what it said without looking it up."
)
DEMONSTRATION = (
    "Your conversation partner was a demonstration, not a language model: a script puts its replies "
    "together from sentences written beforehand, and on purpose it says of some statements what is not so."
)
ASKED_NOTHING = "You were among the people who were not asked about any statement."


@dataclass(frozen=True)
class Told:
    """A claim discussed: what is so, and what the partner said about it to this person.

    ``told`` is the reply's text, "" where none came (``failed``). ``asked`` is the message it answers.
    """

    key: str
    claim: str
    truth: bool
    explanation: str
    source: str
    verified: str
    stated: str
    asked: str
    told: str
    failed: bool


@dataclass(frozen=True)
class Fact:
    """A claim the person rated and did not discuss, and what is so."""

    key: str
    claim: str
    truth: bool
    explanation: str
    source: str


@dataclass(frozen=True)
class Debrief:
    """All a debrief page says.

    ``condition`` is the label of the person's own condition, None where they left before being
    allocated; ``conditions`` the labels of all. ``elsewhere`` and ``demonstration`` are "" where
    nobody was talked to, or the partner was no demonstration; ``asked_nothing`` is "" except for the
    Solomon share. ``rated`` holds the claims rated and not discussed.
    """

    intro: str
    varied: str
    outro: str
    condition: str | None
    conditions: tuple[str, ...]
    claims: tuple[Told, ...]
    rated: tuple[Fact, ...]
    asked_nothing: str
    elsewhere: str
    demonstration: str
    contact_name: str
    contact_email: str


def statement(session: Session) -> Debrief:
    """The debrief of a session, from its frozen version and what was really said."""
    document = session.version.document
    labels = {condition["slug"]: condition["label"] for condition in document.get("conditions") or []}
    own = None if session.condition is None else session.condition.slug
    talked = Message.objects.filter(conversation__visit__session=session, role=Message.Role.AGENT).exists()
    texts, contact = document["texts"], document["contact"]
    return Debrief(
        intro=texts["debrief_intro"],
        varied=texts["debrief_varied"],
        outro=texts["debrief_outro"],
        condition=None if own is None else labels[own],
        conditions=tuple(labels.values()),
        claims=tuple(_told(session)),
        rated=tuple(_rated(session)),
        asked_nothing=ASKED_NOTHING if draws.solomon(session) else "",
        elsewhere=ELSEWHERE if talked else "",
        demonstration=DEMONSTRATION if talked and _demonstrated(session) else "",
        contact_name=contact["name"],
        contact_email=contact["email"],
    )


def _told(session: Session) -> list[Told]:
    messages = Message.objects.filter(
        conversation__visit__session=session, task__isnull=False
    ).select_related("task")
    asked: dict[str, str] = {}
    # A card whose reply failed may have been asked again: the last reply counts.
    replies: dict[str, Message] = {}
    for message in messages.order_by("position"):
        if message.role == Message.Role.AGENT:
            replies[message.task.key] = message
        else:
            asked[message.task.key] = message.text
    told = []
    for card in cards.raised(session):
        claim = cards.claim(session, card.key)
        reply = replies.get(card.key)
        whole = reply is not None and reply.state == Message.State.COMPLETE
        told.append(
            Told(
                key=card.key,
                claim=claim["claim"],
                truth=claim["truth"],
                explanation=claim["explanation"],
                source=claim["source"],
                verified=claim["verified"],
                stated=card.stated,
                asked=asked.get(card.key, ""),
                told=reply.text if whole else "",
                failed=not whole,
            )
        )
    return told


def _rated(session: Session) -> list[Fact]:
    """Claims whose rating was asked, by visits: who stopped earlier is told of none they never saw."""
    if not session.visits.filter(step_kind="ratings").exists():
        return []
    discussed = {card.key for card in cards.raised(session)}
    keys = [card.key for card in cards.rated(session) if card.key not in discussed]
    claims = [cards.claim(session, key) for key in keys]
    return [
        Fact(claim["key"], claim["claim"], claim["truth"], claim["explanation"], claim["source"])
        for claim in claims
    ]


def _demonstrated(session: Session) -> bool:
    providers = {
        brief["provider"]
        for brief in session.visits.filter(conversation__isnull=False).values_list(
            "conversation__brief", flat=True
        )
    }
    return any(settings.PROVIDERS.get(name, {}).get("kind") == "demo" for name in providers)
