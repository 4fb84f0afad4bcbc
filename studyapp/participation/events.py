"""The log of what happened to a session."""

from typing import Any

from django.utils import timezone

from studyapp.participation.models import Event, Session


def record(*, session: Session, kind: str, detail: dict[str, Any] | None = None) -> Event:
    """Write one event, now. ``detail`` holds keys and numbers, never anybody's words."""
    return Event.objects.create(session=session, kind=kind, at=timezone.now(), detail=detail or {})
