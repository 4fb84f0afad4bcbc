"""Consent: given with every statement confirmed, or declined."""

from collections.abc import Collection

from django.db import transaction
from django.utils import timezone

from studyapp.participation import events, passage, transitions
from studyapp.participation.models import Session

Status = Session.Status


class ConsentIncomplete(Exception):
    """Statements were left unconfirmed; ``missing`` holds their indices, from 0."""

    def __init__(self, missing: list[int]) -> None:
        super().__init__("Please confirm every statement, or choose not to take part.")
        self.missing = missing


class NotAsked(Exception):
    """The session does not stand at a consent step."""


@transaction.atomic
def give(*, session: Session, statements: Collection[int], share_words: bool) -> None:
    """Record consent and go on to the next step.

    Parameters
    ----------
    statements: indices (from 0) of the statements confirmed; all of them are needed.
    share_words: the separate opt-in; False is an answer too.

    Raises
    ------
    ConsentIncomplete, NotAsked.
    """
    here = _asked(session)
    wanted = range(len(here.version.document["consent"]["statements"]))
    if missing := [index for index in wanted if index not in statements]:
        raise ConsentIncomplete(missing)
    here.consented_at = timezone.now()
    here.share_words = share_words
    here.save(update_fields=["consented_at", "share_words"])
    transitions.move(session=here, to=Status.ACTIVE)
    events.record(
        session=here, kind="consented", detail={"statements": len(wanted), "share_words": share_words}
    )
    passage.onward(here)
    passage.bring_up_to_date(session, here)


@transaction.atomic
def decline(*, session: Session) -> None:
    """Record that the person does not take part; only the code is left. Raises NotAsked."""
    here = _asked(session)
    passage.leave(here, Status.DECLINED)
    passage.bring_up_to_date(session, here)


def _asked(session: Session) -> Session:
    here = passage.locked(session)
    if here.status != Status.ARRIVED or passage.step_here(here)["kind"] != "consent":
        raise NotAsked(f"session {here.pk} ({here.status}) does not stand at a consent step")
    return here
