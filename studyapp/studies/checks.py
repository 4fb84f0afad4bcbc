"""What stands between a design and its sessions: rooms register their checks, launch runs them all."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from django.conf import settings

from studyapp.agents import registry
from studyapp.safety.resources import listed_countries, resources
from studyapp.studies.complaints import nearest
from studyapp.studies.design import complaints_about
from studyapp.studies.whole import StudyFile
from surveys.scale_file import shipped

Purpose = Literal["pilot", "live"]
Level = Literal["refuses", "note"]


@dataclass(frozen=True)
class Problem:
    """``level`` refuses: not before this is mended. note: to be known."""

    code: str
    message: str
    where: str = ""
    level: Level = "refuses"

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message


Check = Callable[[StudyFile, Purpose], Iterator[Problem]]
_CHECKS: list[Check] = []


def register(check: Check) -> None:
    """Add a check, in a room's ``ready()``. The same check twice is one."""
    if check not in _CHECKS:
        _CHECKS.append(check)


def run(study: StudyFile, *, purpose: Purpose) -> list[Problem]:
    """What every check finds, in order of registration. Empty: nothing stands in the way."""
    return [problem for check in _CHECKS for problem in check(study, purpose)]


def design_holds(study: StudyFile, purpose: Purpose) -> Iterator[Problem]:
    for complaint in complaints_about(study):
        message = f"{complaint.problem}; {complaint.way_out}" if complaint.way_out else complaint.problem
        yield Problem("design", message, complaint.where)


def _providers(study: StudyFile) -> dict[str, str]:
    """Provider names in use, each with the place that names it."""
    if study.agent is None or not study.has_chat:
        return {}
    used = {study.agent.provider: "agent.provider"}
    for condition in study.conditions:
        if condition.provider:
            used.setdefault(condition.provider, f"conditions[{condition.slug}].provider")
    return used


def providers_can_reply(study: StudyFile, purpose: Purpose) -> Iterator[Problem]:
    for name, where in _providers(study).items():
        config = settings.PROVIDERS.get(name)
        if config is None:
            yield Problem(
                "provider_unknown",
                f"the server's settings name no provider {name!r}; {nearest(name, settings.PROVIDERS)}",
                where,
            )
            continue
        problem = registry.problem(name, config, os.environ)
        if problem:
            yield Problem("provider_not_ready", problem, where)


def no_demo_agent_when_live(study: StudyFile, purpose: Purpose) -> Iterator[Problem]:
    if purpose != "live":
        return
    for name, where in _providers(study).items():
        if settings.PROVIDERS.get(name, {}).get("kind") == "demo":
            yield Problem(
                "demo_provider",
                "the demo agent is a script that errs on purpose, for trying the platform; "
                "name a real provider, or pilot the study instead",
                where,
            )


def chats_wait_for_their_safeguards(study: StudyFile, purpose: Purpose) -> Iterator[Problem]:
    if purpose == "live" and study.has_chat:
        yield Problem(
            "chat_not_guarded",
            "no study with a chat goes live yet: the screen on what participants write, the guard on what "
            "the agent replies and the ethics gate are not built; pilot it instead (load_study FILE --pilot)",
            "steps",
        )


def scales_have_their_wording(study: StudyFile, purpose: Purpose) -> Iterator[Problem]:
    scales = shipped()
    for key in study.scale_keys():
        if key in scales and scales[key].missing_wording():
            yield Problem(
                "scale_without_wording",
                f"the licence of scale {key!r} keeps its wording out of Plainheart; "
                "bring the wording you have permission for, or choose another scale",
                "steps",
            )


def claims_are_confirmed(study: StudyFile, purpose: Purpose) -> Iterator[Problem]:
    unverified = [claim.key for claim in study.claims if claim.verified == "no"]
    if unverified:
        yield Problem(
            "claims_unverified",
            f"{len(unverified)} of {len(study.claims)} claims were confirmed by nobody: "
            f"{', '.join(unverified)}; look each up in its source and write 'verified: your name, date'",
            "cards.claims",
            "refuses" if purpose == "live" else "note",
        )


def help_is_at_hand(study: StudyFile, purpose: Purpose) -> Iterator[Problem]:
    if not study.countries:
        yield Problem(
            "no_countries",
            "no country is named, so the support page has no local help line; name where participants live",
            "countries",
            "refuses" if purpose == "live" else "note",
        )
    for country in sorted(set(study.countries) - set(listed_countries())):
        yield Problem(
            "no_resources",
            f"no help line of {country} is known, so people there see international ones; add some",
            "countries",
            "refuses" if purpose == "live" else "note",
        )
    unverified = [resource.name for resource in resources(study.countries) if resource.verified == "no"]
    if unverified:
        yield Problem(
            "resources_unverified",
            f"nobody confirmed these places of help: {', '.join(unverified)}; "
            "look each up at its source, then say there who did and when",
            "countries",
            "refuses" if purpose == "live" else "note",
        )


def somebody_answers_for_it(study: StudyFile, purpose: Purpose) -> Iterator[Problem]:
    if purpose != "live":
        return
    if not (study.ethics.body and study.ethics.reference):
        yield Problem(
            "no_ethics_approval",
            "names no ethics body and reference; add both as the approval has them",
            "ethics",
        )
    if study.contact.email.rpartition("@")[2].lower() in {"example.org", "example.com", "example.net"}:
        yield Problem(
            "contact_is_an_example",
            f"{study.contact.email} reaches nobody; give an address that is read",
            "contact.email",
        )


OWN = (
    design_holds,
    providers_can_reply,
    no_demo_agent_when_live,
    chats_wait_for_their_safeguards,
    scales_have_their_wording,
    claims_are_confirmed,
    help_is_at_hand,
    somebody_answers_for_it,
)
