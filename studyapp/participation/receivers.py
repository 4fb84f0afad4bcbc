"""What conversations tell this room, written down with the session they belong to."""

from typing import Any

from studyapp.chat.models import Conversation
from studyapp.participation import erasure, events
from studyapp.participation.models import Visit
from studyapp.safety.notice import Hit
from studyapp.studies.models import Study


def on_distress(*, conversation: Conversation, hits: list[Hit], **_: Any) -> None:
    """Record that distress was noticed: which rules, never the words."""
    rules = sorted({hit.rule for hit in hits})
    categories = sorted({hit.category for hit in hits})
    _record(conversation, "distress_noticed", {"rules": rules, "categories": categories})


def on_text_cleaned(*, conversation: Conversation, removed: int, **_: Any) -> None:
    """Record that characters no database can hold were removed from a message."""
    _record(conversation, "text_cleaned", {"removed": removed})


def on_study_saved(*, instance: Study, **_: Any) -> None:
    """A study that is closed lets nobody in, so the hashes of those erased have no use any more."""
    if instance.status == Study.Status.CLOSED:
        erasure.forget_hashes(instance)


def _record(conversation: Conversation, kind: str, detail: dict[str, Any]) -> None:
    # Forks and batteries belong to no visit: nobody wrote in them.
    visit = Visit.objects.filter(conversation=conversation).select_related("session").first()
    if visit is not None:
        events.record(session=visit.session, kind=kind, detail={"step": visit.step_key, **detail})
