"""One step of a session: show it, save it as it is filled in, submit it."""

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from studyapp.chat.models import Conversation
from studyapp.chat.tokens import page_token
from studyapp.participation import debrief, passage, progress, withdrawal
from studyapp.participation.models import Session, Visit
from studyapp.participation.pages import cookies
from studyapp.participation.pages.endings import ending
from studyapp.participation.pages.frame import frame
from studyapp.participation.pages.notices import notice
from studyapp.participation.progress import Result
from studyapp.studies.models import Study
from surveys import administration
from surveys.answers import AnswerRefused

_STRANGER = (
    "We could not tell which participant you are. Please open the link you were given again. "
    "If you are under way, it brings you back to where you were."
)


def _stranger(request: HttpRequest, slug: str) -> HttpResponse:
    study = Study.objects.filter(slug=slug).first()
    code = "unknown_visitor" if study else "bad_link"
    return notice(request, study=study, code=code, message=_STRANGER, status=HTTPStatus.NOT_FOUND)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def step(request: HttpRequest, slug: str, position: int) -> HttpResponse:
    """The page at ``position``; any other than the current one leads to the current one."""
    session = cookies.recognise(request, slug)
    if session is None:
        return _stranger(request, slug)
    result = None
    if request.method == "POST":
        result = progress.submit(session=session, position=position, data=request.POST)
        if result.kind in {"moved", "stale"}:
            return redirect("step", slug=slug, position=result.position)
    visit = progress.current(session)
    if visit.position != position:
        return redirect("step", slug=slug, position=visit.position)
    template, context = _PAGES[visit.step_kind](session, visit, result)
    response = render(
        request, f"participant/steps/{template}.html", frame(session, problem=result, **context)
    )
    # Renewed with every page, so that it never runs out while somebody is answering.
    return cookies.remember(response, session, secure=settings.HTTPS)


def _consent(session: Session, visit: Visit, result: Result | None) -> tuple[str, dict[str, Any]]:
    return "consent", {}


def _scale(session: Session, visit: Visit, result: Result | None) -> tuple[str, dict[str, Any]]:
    assert visit.administration is not None
    submission = result.submission if result else None
    return "scale", {"page": administration.page(visit.administration, submission)}


def _conversation(session: Session, visit: Visit, result: Result | None) -> tuple[str, dict[str, Any]]:
    conversation = visit.conversation
    assert conversation is not None
    brief, step_here = conversation.brief, passage.step_here(session)
    return "conversation", {
        "invitation": step_here.get("prompt") or step_here.get("intro", ""),
        "conversation_id": str(conversation.id),
        "page_token": page_token(conversation.id),
        "agent_name": brief["agent_name"],
        "min_turns": brief["min_turns"],
        "max_turns": brief["max_turns"],
        "max_characters": brief["max_characters"],
        "ended": conversation.state == Conversation.State.ENDED,
        "tasks": [
            {"key": task.key, "text": task.text, "raised": task.raised_at is not None}
            for task in conversation.tasks.all()
        ],
    }


def _debrief(session: Session, visit: Visit, result: Result | None) -> tuple[str, dict[str, Any]]:
    return "debrief", {
        "debrief": debrief.statement(session),
        "ask_keep": not withdrawal.erasure_asked(session),
    }


def _code(session: Session, visit: Visit, result: Result | None) -> tuple[str, dict[str, Any]]:
    return "code", {"ending": ending(session)}


_PAGES: dict[str, Callable[[Session, Visit, Result | None], tuple[str, dict[str, Any]]]] = {
    "consent": _consent,
    "scale": _scale,
    "ratings": _scale,
    "right": _scale,
    "conversation": _conversation,
    "cards": _conversation,
    "debrief": _debrief,
    "code": _code,
}


@never_cache
@require_POST
def save(request: HttpRequest, slug: str, position: int) -> JsonResponse:
    """Keep answers while a page is being filled in; 409 for a page that is not the current one."""
    session = cookies.recognise(request, slug)
    if session is None:
        return JsonResponse({"error": "unknown_visitor", "message": _STRANGER}, status=HTTPStatus.NOT_FOUND)
    try:
        refused = progress.autosave(session=session, position=position, payload=json.loads(request.body))
    except RequestDataTooBig:
        return JsonResponse(
            {"error": "too_large", "message": "This is too much to save at once. Please shorten your text."},
            status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        )
    except (ValueError, RecursionError, AnswerRefused) as error:
        return JsonResponse(
            {"error": "not_understood", "message": f"These answers could not be read: {error}"},
            status=HTTPStatus.UNPROCESSABLE_ENTITY,
        )
    if refused is None:
        return JsonResponse(
            {"error": "stale", "message": "This page is no longer the current one."},
            status=HTTPStatus.CONFLICT,
        )
    return JsonResponse({"refused": [{"item": each.item, "message": each.message} for each in refused]})


@never_cache
@require_POST
def leave(request: HttpRequest, slug: str, position: int) -> HttpResponse:
    """The participant has their code and asked for erasure: it happens now, and the cookie goes."""
    session = cookies.recognise(request, slug)
    if session is None:
        return _stranger(request, slug)
    study = session.study
    if not withdrawal.leave_code_page(session=session):
        return redirect("step", slug=slug, position=session.position)
    response = notice(
        request,
        study=study,
        code="erased",
        message="Everything you gave us has been erased. Thank you for your time. You may close this page.",
    )
    return cookies.forget(response, slug)
