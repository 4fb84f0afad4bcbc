"""Pages that say one thing: why somebody cannot go on here, and what they can do instead."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from studyapp.studies.models import Study
from studyapp.studies.selectors import title_of

_HEADINGS = {
    "closed": "This study is not open",
    "not_open": "This study is not open",
    "paused": "This study is paused",
    "empty": "The link is missing its participant number",
    "malformed": "The link is missing its participant number",
    "placeholder": "The link is missing its participant number",
    "erased": "Your data were erased",
    "unknown_visitor": "Please open your study link again",
    "form_too_old": "This page could not be sent",
    "bad_link": "This link does not work",
}


def notice(
    request: HttpRequest,
    *,
    study: Study | None,
    code: str,
    message: str,
    status: int = HTTPStatus.OK,
    carry_on: str = "",
) -> HttpResponse:
    """A calm page with one message; ``code`` picks the heading, ``carry_on`` is where a button leads."""
    context = {
        "study_title": title_of(study) if study else "Plainheart",
        "slug": study.slug if study else None,
        "language": study.language if study else "en",
        "heading": _HEADINGS.get(code, "This page cannot be shown"),
        "message": message,
        "contact": study.contact if study else None,
        "carry_on": carry_on,
    }
    return render(request, "participant/notice.html", context, status=status)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return notice(
        request,
        study=None,
        code="bad_link",
        message="There is no page at this address. Please check the link you were given.",
        status=HTTPStatus.NOT_FOUND,
    )


def forbidden_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's CSRF check refused a form: a page kept open for very long, or cookies deleted meanwhile."""
    slug = request.resolver_match.kwargs.get("slug") if request.resolver_match else None
    study = Study.objects.filter(slug=slug).first()
    return notice(
        request,
        study=study,
        code="form_too_old",
        message="This page was open for too long, or your browser's cookies were deleted meanwhile, so it "
        "could not be sent safely. What was saved before is kept. Please carry on; if you land at "
        "the beginning, open the link you were given again.",
        status=HTTPStatus.FORBIDDEN,
        carry_on=reverse("entry", args=[study.slug]) if study else "",
    )
