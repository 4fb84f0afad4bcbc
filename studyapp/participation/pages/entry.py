"""The door: from a recruitment link to the page where a participant stands."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from studyapp.participation import entry, links, sources
from studyapp.participation.models import Kind
from studyapp.participation.pages import cookies
from studyapp.participation.pages.notices import notice
from studyapp.studies.models import Study
from studyapp.studies.selectors import title_of

_OPEN = {Study.Status.PILOTING, Study.Status.LIVE}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def enter(request: HttpRequest, slug: str) -> HttpResponse:
    """Let a participant in and leave a clean address behind.

    A recruitment id in the link enters at once (it can be repeated without harm). Without one,
    entering takes a press of a button, so that programs which open links make no participants.
    """
    study = get_object_or_404(Study, slug=slug)
    try:
        arrival = sources.read(request.GET)
        if arrival.recruitment_id is None:
            known = cookies.recognise(request, slug)
            if known is not None:
                return redirect("step", slug=slug, position=known.position)
            if request.method != "POST" and study.status in _OPEN:
                return _welcome(request, study)
        elif request.method == "HEAD":
            # A program looking whether the link works: it does, and nobody has come.
            return _welcome(request, study)
        session = entry.enter(study=study, source=arrival.source, recruitment_id=arrival.recruitment_id)
    except (sources.SourceRefused, entry.EntryRefused) as refusal:
        return notice(request, study=study, code=refusal.code, message=refusal.message)
    response = redirect("step", slug=slug, position=session.position)
    return cookies.remember(response, session, secure=settings.HTTPS)


def _welcome(request: HttpRequest, study: Study) -> HttpResponse:
    context = {
        "study": study,
        "study_title": title_of(study),
        "language": study.language,
        "slug": study.slug,
        "welcome": study.texts.get("welcome", ""),
    }
    return render(request, "participant/welcome.html", context)


@never_cache
@require_safe
def preview(request: HttpRequest, token: str) -> HttpResponse:
    """Open a study in one stated condition, as a session of kind *preview*."""
    try:
        opened = links.read_preview(token)
        study = get_object_or_404(Study, slug=opened.study)
        session = entry.enter(study=study, kind=Kind.PREVIEW, source=Kind.PREVIEW, condition=opened.condition)
    except links.LinkRefused as refusal:
        return notice(request, study=None, code="bad_link", message=str(refusal))
    except entry.EntryRefused as refusal:
        return notice(request, study=None, code=refusal.code, message=refusal.message)
    response = redirect("step", slug=study.slug, position=session.position)
    return cookies.remember(response, session, secure=settings.HTTPS)
