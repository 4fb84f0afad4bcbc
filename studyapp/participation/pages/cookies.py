"""Recognise a participant by a cookie of our own: signed, per study, readable by no script."""

from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from studyapp.participation.models import Session

_SALT = "plainheart.session"
_MAX_AGE_S = 30 * 24 * 3600


def _name(slug: str) -> str:
    return f"ph_{slug}"


def remember(response: HttpResponse, session: Session, *, secure: bool) -> HttpResponse:
    """Set the cookie that brings this browser back to this session; returns the response."""
    response.set_cookie(
        _name(session.study.slug),
        signing.dumps(str(session.id), salt=_SALT),
        max_age=_MAX_AGE_S,
        path=reverse("entry", args=[session.study.slug]),
        secure=secure,
        httponly=True,
        samesite="Lax",
    )
    return response


def recognise(request: HttpRequest, slug: str) -> Session | None:
    """The session this browser belongs to in this study; None for a stranger or a tampered cookie."""
    value = request.COOKIES.get(_name(slug))
    if not value:
        return None
    try:
        key = signing.loads(value, salt=_SALT, max_age=_MAX_AGE_S)
    except signing.BadSignature:
        return None
    return (
        Session.objects.select_related("study", "version", "condition", "participant")
        .filter(pk=key, study__slug=slug)
        .first()
    )


def forget(response: HttpResponse, slug: str) -> HttpResponse:
    response.delete_cookie(_name(slug), path=reverse("entry", args=[slug]))
    return response
