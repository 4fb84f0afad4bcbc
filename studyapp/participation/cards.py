"""Which belief cards a session rates and discusses: drawn at entry, logged, then only read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from studyapp.chat.models import Task
from studyapp.participation.models import Draw, Session
from studyapp.seeds import rng

DRAW = "cards"
STATED = ("for", "against", "none")


class CardsTooFew(ValueError):
    """The study has fewer true or false claims than a session needs."""


@dataclass(frozen=True)
class CardDraw:
    """A card as drawn for a session: its key and the belief stated when it is discussed."""

    key: str
    stated: str


@dataclass(frozen=True)
class Hand:
    """All cards of a session: ``rated`` holds every key in the order drawn, ``discussed`` some of them."""

    rated: tuple[str, ...]
    discussed: tuple[CardDraw, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "rated": list(self.rated),
            "discussed": [{"key": card.key, "stated": card.stated} for card in self.discussed],
        }


def draw(claims: Sequence[Mapping[str, Any]], *, seed: int, rated: int, discussed: int) -> Hand:
    """Draw a session's cards. Pure.

    As many true as false claims are rated. Of those discussed one kind has one more where the
    number is odd, and which kind that is, is drawn. The stated beliefs are as even as they can be
    and are dealt out without looking at the truth.

    Parameters
    ----------
    claims: the study's claims; ``key`` and ``truth`` are read.
    rated, discussed: how many of each; ``discussed`` are among the rated.

    Raises
    ------
    CardsTooFew: naming how many of which truth are missing.
    """
    true_rated, true_discussed = _split(rated, seed, "rated"), _split(discussed, seed, "discussed")
    order = rng(seed, "cards", "order")
    chosen: list[str] = []
    talked: list[str] = []
    for truth, to_rate, to_discuss in (
        (True, true_rated, true_discussed),
        (False, rated - true_rated, discussed - true_discussed),
    ):
        keys = [claim["key"] for claim in claims if claim["truth"] is truth]
        need = max(to_rate, to_discuss)
        if len(keys) < need:
            raise CardsTooFew(
                f"{need} {'true' if truth else 'false'} claims are needed and the study has {len(keys)}; "
                "add claims under 'cards' or lower 'draws.cards.rated'"
            )
        picked = rng(seed, "cards", truth).sample(keys, to_rate)
        chosen += picked
        talked += picked[:to_discuss]
    order.shuffle(chosen)
    order.shuffle(talked)
    return Hand(
        rated=tuple(chosen),
        discussed=tuple(
            CardDraw(key, stated) for key, stated in zip(talked, _stated(discussed, seed), strict=True)
        ),
    )


def _split(number: int, seed: int, name: str) -> int:
    """How many of ``number`` are true: half; for an odd number the larger half falls by a coin."""
    return number // 2 + (rng(seed, "cards", "split", name).getrandbits(1) if number % 2 else 0)


def _stated(number: int, seed: int) -> list[str]:
    random = rng(seed, "cards", "stated")
    beliefs: list[str] = []
    while len(beliefs) < number:
        beliefs += random.sample(STATED, len(STATED))
    return beliefs[:number]


def hand(session: Session) -> Hand:
    """The session's logged cards; an empty hand in the Solomon share or where the study draws none."""
    logged = session.draws.filter(name=DRAW).first()
    return Hand((), ()) if logged is None else _read(logged)


def rated(session: Session) -> list[CardDraw]:
    """The cards the session rates; ``stated`` is "" for those it does not discuss."""
    cards = hand(session)
    stated = {card.key: card.stated for card in cards.discussed}
    return [CardDraw(key, stated.get(key, "")) for key in cards.rated]


def discussed(session: Session) -> list[CardDraw]:
    """The cards the session discusses with its agent, in order."""
    return list(hand(session).discussed)


def raised(session: Session) -> list[CardDraw]:
    """The discussed cards that were in fact put to the agent, in the order drawn."""
    asked = Task.objects.filter(conversation__visit__session=session, raised_at__isnull=False).values_list(
        "key", flat=True
    )
    put = set(asked)
    return [card for card in discussed(session) if card.key in put]


def claim(session: Session, key: str) -> dict[str, Any]:
    """A claim of the session's version, as frozen."""
    for card in session.version.document["cards"]["claims"]:
        if card["key"] == key:
            return card
    raise LookupError(f"{session.version} has no claim '{key}'")


def _read(logged: Draw) -> Hand:
    return Hand(
        rated=tuple(logged.result["rated"]),
        discussed=tuple(CardDraw(card["key"], card["stated"]) for card in logged.result["discussed"]),
    )
