"""Help, problems and leaving: one press away on every page."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from studyapp.participation import problem_reports, transitions, withdrawal
from studyapp.participation.models import Session
from studyapp.participation.pages import cookies
from studyapp.participation.pages.frame import frame
from studyapp.safety.resources import INTERNATIONAL, Resource, resources
from studyapp.studies.models import Study
from studyapp.studies.selectors import title_of


@dataclass(frozen=True)
class CountryGroup:
    """The places to turn to in one country; ``open`` where the page need not be unfolded."""

    name: str
    resources: tuple[Resource, ...]
    open: bool


def by_country(listed: Sequence[Resource]) -> list[CountryGroup]:
    """Resources by country, the international ones first and unfolded: they serve everybody."""
    places = {each.country: each.place for each in listed}
    order = [INTERNATIONAL, *(country for country in places if country != INTERNATIONAL)]
    return [
        CountryGroup(
            name=places[country],
            resources=tuple(each for each in listed if each.country == country),
            open=country == INTERNATIONAL or len(order) == 2,
        )
        for country in order
    ]


@never_cache
@require_safe
def support(request: HttpRequest, slug: str) -> HttpResponse:
    """Where to find help; open to everybody, in a session or not."""
    study = get_object_or_404(Study, slug=slug)
    session = cookies.recognise(request, slug)
    context = (
        frame(session)
        if session is not None
        else {"slug": slug, "study_title": title_of(study), "language": study.language}
    )
    listed = resources(study.countries)
    context |= {
        "groups": by_country(listed),
        "unverified": any(resource.verified == "no" for resource in listed),
        "contact": study.contact,
        "back": _back(session),
    }
    return render(request, "participant/support.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def problem(request: HttpRequest, slug: str) -> HttpResponse:
    session = cookies.recognise(request, slug)
    if session is None:
        return redirect("support", slug=slug)
    refusal = None
    if request.method == "POST":
        try:
            problem_reports.report(session=session, text=request.POST.get("text", ""))
        except problem_reports.ReportRefused as error:
            refusal = error.message
    context = frame(
        session,
        sent=request.method == "POST" and refusal is None,
        refusal=refusal,
        text=request.POST.get("text", ""),
        back=_back(session),
    )
    return render(request, "participant/problem.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def stop(request: HttpRequest, slug: str) -> HttpResponse:
    session = cookies.recognise(request, slug)
    if session is None:
        return redirect("entry", slug=slug)
    if session.status not in transitions.UNDER_WAY:
        return redirect("step", slug=slug, position=session.position)
    choice = request.POST.get("data")
    if request.method == "POST" and choice in {"keep", "erase"}:
        withdrawal.withdraw(session=session, keep=choice == "keep")
        session.refresh_from_db()
        return redirect("step", slug=slug, position=session.position)
    context = frame(session, unanswered=request.method == "POST", back=_back(session))
    return render(request, "participant/stop.html", context)


def _back(session: Session | None) -> tuple[str, int] | None:
    return (session.study.slug, session.position) if session is not None else None
