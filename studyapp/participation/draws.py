"""The draws of a session's own, made and logged at entry: Solomon share, cards, a forced condition."""

from typing import Any

from django.utils import timezone

from studyapp.participation import cards
from studyapp.participation.models import Draw, Session
from studyapp.seeds import rng

SOLOMON = "solomon"
FORCED = "condition"


def log_at_entry(*, session: Session, document: dict[str, Any], condition: str | None) -> None:
    """Make and log every draw of a new session. ``condition`` forces the allocation of a preview.

    The Solomon share is dealt no cards: it neither rates nor discusses any.

    Raises cards.CardsTooFew.
    """
    stated = document.get("draws") or {}
    spared = False
    if stated.get(SOLOMON):
        share = stated[SOLOMON]["share"]
        drawn = rng(session.seed, SOLOMON).random()
        spared = drawn < share
        _log(session, SOLOMON, {"share": share}, {"solomon": spared, "drawn": drawn})
    if not spared and stated.get(cards.DRAW) and (document.get("cards") or {}).get("claims"):
        rule = {name: stated[cards.DRAW][name] for name in ("rated", "discussed")}
        hand = cards.draw(document["cards"]["claims"], seed=session.seed, **rule)
        _log(session, cards.DRAW, rule, hand.as_json())
    if condition is not None:
        _log(session, FORCED, {"name": "preview"}, {"condition": condition})


def solomon(session: Session) -> bool:
    """Whether the session is in the share that has neither ratings nor cards."""
    logged = session.draws.filter(name=SOLOMON).first()
    return logged is not None and logged.result["solomon"]


def forced_condition(session: Session) -> str | None:
    """The condition a preview was opened for; None for everybody else."""
    logged = session.draws.filter(name=FORCED).first()
    return None if logged is None else logged.result["condition"]


def _log(session: Session, name: str, rule: dict[str, Any], result: dict[str, Any]) -> None:
    Draw.objects.create(session=session, name=name, rule=rule, result=result, at=timezone.now())
