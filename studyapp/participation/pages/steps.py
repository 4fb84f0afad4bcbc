"""One step of a session: show it, save it as it is filled in, submit it."""

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from studyapp.chat.models import Conversation
from studyapp.chat.tokens import page_token
from studyapp.participation import completion, consent, debrief, progress
from studyapp.participation.models import Session, Visit
from studyapp.participation.pages import cookies
from studyapp.participation.pages.frame import frame
from studyapp.participation.pages.notices import notice
from studyapp.studies.models import Study
from surveys import administration, answers

_STRANGER = (
    "We could not tell which participant you are. Please open the link you were given again; "
    "your saved answers are kept."
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
    if request.method == "POST":
        return _submit(request, session, position)
    visit = progress.current(session)
    if visit.position != position:
        return redirect("step", slug=slug, position=visit.position)
    return _show(request, session, visit)


def _show(request: HttpRequest, session: Session, visit: Visit, **extra: Any) -> HttpResponse:
    template, context = _PAGES[visit.step_kind](session, visit)
    context = frame(session, position=visit.position, visit=visit, **context, **extra)
    return render(request, f"participant/steps/{template}.html", context)


def _submit(request: HttpRequest, session: Session, position: int) -> HttpResponse:
    visit = progress.current(session)
    if visit.position != position:
        # A stale page: back button, second tab, a resend. Nothing is stored; on to where they are.
        return redirect("step", slug=session.study.slug, position=visit.position)
    if visit.step_kind == "consent":
        result = _submit_consent(request, session)
    else:
        result = progress.submit(session=session, position=position, data=request.POST)
    if result.kind in {"missing", "refused"}:
        session.refresh_from_db()
        return _show(request, session, visit, problem=result)
    session.refresh_from_db()
    return redirect("step", slug=session.study.slug, position=session.position)


def _submit_consent(request: HttpRequest, session: Session) -> progress.Result:
    if request.POST.get("choice") == "decline":
        return consent.decline(session=session)
    ticked = [int(value) for value in request.POST.getlist("statement") if value.isdecimal()]
    share = {"yes": True, "no": False}.get(request.POST.get("share_words", ""))
    return consent.give(session=session, statements=ticked, share_words=share)


def _scale_page(session: Session, visit: Visit) -> tuple[str, dict[str, Any]]:
    assert visit.administration is not None
    return "scale", {"page": administration.page(visit.administration)}


def _conversation_page(session: Session, visit: Visit) -> tuple[str, dict[str, Any]]:
    conversation = visit.conversation
    assert conversation is not None
    brief = conversation.brief
    return "conversation", {
        "step_config": progress.step_config(session, visit),
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


def _plain_page(template: str) -> Callable[[Session, Visit], tuple[str, dict[str, Any]]]:
    return lambda session, visit: (template, {})


_PAGES: dict[str, Callable[[Session, Visit], tuple[str, dict[str, Any]]]] = {
    "consent": _plain_page("consent"),
    "scale": _scale_page,
    "ratings": _scale_page,
    "right": _scale_page,
    "conversation": _conversation_page,
    "cards": _conversation_page,
    "debrief": lambda session, visit: ("debrief", {"debrief": debrief.statement(session)}),
    "code": lambda session, visit: ("code", {"completion": completion.shown(session)}),
}


@never_cache
@require_POST
def save(request: HttpRequest, slug: str, position: int) -> JsonResponse:
    """Keep answers while a page is being filled in. Answers 409 to a page that is not the current one."""
    session = cookies.recognise(request, slug)
    if session is None:
        return JsonResponse({"error": "unknown_visitor", "message": _STRANGER}, status=HTTPStatus.NOT_FOUND)
    visit = Visit.objects.filter(session=session, position=position).select_related("administration").first()
    if visit is None or visit.administration is None or session.position != position:
        return JsonResponse(
            {"error": "stale", "message": "This page is no longer the current one."},
            status=HTTPStatus.CONFLICT,
        )
    try:
        given = [answers.Answer.from_json(item) for item in json.loads(request.body)["answers"]]
        answers.autosave(administration=visit.administration, answers=given)
    except (ValueError, KeyError, TypeError, ValidationError) as error:
        return JsonResponse(
            {"error": "not_understood", "message": f"These answers could not be read: {error}"},
            status=HTTPStatus.UNPROCESSABLE_ENTITY,
        )
    return JsonResponse({"saved": len(given)})
