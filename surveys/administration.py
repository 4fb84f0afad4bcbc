"""Asking a scale, and showing what was asked together with what was answered so far."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils import timezone

from studyapp.canonical import canonical_json, sha256
from surveys.answers import AnswerRefused, Submission, open_items
from surveys.models import Administration, Response, ScaleVersion
from surveys.rendering import render
from surveys.scale_file import PICKED_KINDS, TEXT_KINDS, parse

TYPED_KINDS = TEXT_KINDS | {"number"}


@dataclass(frozen=True)
class Option:
    """One thing to tick, as shown."""

    value: str
    label: str
    end: str
    checked: bool


@dataclass(frozen=True)
class PageItem:
    """One item as shown, with what was answered so far as form fields hold it."""

    key: str
    kind: str
    text: str
    left: str
    right: str
    options: list[Option]
    # Ways not to answer, as further options of a question with options; "" where not offered.
    refusals: list[Option]
    prefer_not: str
    prefers_not: bool
    value: str
    minimum: str
    maximum: str
    max_characters: int | None
    optional: bool
    timing: str
    missing: bool
    problem: str

    @property
    def template(self) -> str:
        return f"surveys/kinds/{self.kind}.html"


@dataclass(frozen=True)
class Page:
    """All that ``surveys/scale.html`` needs. ``clock_ms``: since the page was first shown."""

    administration: UUID
    instruction: str
    lead: str
    items: list[PageItem]
    clock_ms: int
    # The answers still open, once the page was handed in without them.
    reminders: list[PageItem]

    @property
    def has_refused(self) -> bool:
        """Whether an answer was refused, which continuing does not settle, unlike one left open."""
        return any(item.problem for item in self.reminders)


def administer(
    *,
    scale: Mapping[str, Any],
    seed: int,
    words: Mapping[str, str],
    items: Sequence[Mapping[str, Any]] | None = None,
) -> Administration:
    """Ask a scale: freeze its document, draw order and sides, store the items as they will be shown.

    ``items`` (``{key, text}``) are for scales with a template. Errors: ScaleFileError, CannotRender.
    """
    rendered = render(parse(scale), seed=seed, words=words, items=items)
    version, _ = ScaleVersion.objects.get_or_create(
        key=rendered["scale"], sha256=sha256(canonical_json(scale)), defaults={"document": scale}
    )
    return Administration.objects.create(
        scale=version, rendered=rendered, seed=seed, created_at=timezone.now()
    )


def page(administration: Administration, submission: Submission | None = None) -> Page:
    """What to show: items joined with answers. The first call starts the page's clock.

    ``submission``: what came of handing it in just now, to show refused values their reason.
    """
    now = timezone.now()
    if administration.shown_at is None:
        Administration.objects.filter(pk=administration.pk, shown_at=None).update(shown_at=now)
        administration.refresh_from_db(fields=["shown_at"])
    shown_at = administration.shown_at or now
    return assemble(
        administration,
        saved={row.item: row for row in administration.responses.all()},
        refused={each.item: each for each in submission.refused} if submission else {},
        clock_ms=max(int((now - shown_at).total_seconds() * 1000), 0),
    )


def assemble(
    administration: Administration,
    *,
    saved: Mapping[str, Response],
    refused: Mapping[str, AnswerRefused],
    clock_ms: int,
) -> Page:
    """The page from its parts, without a database. A refused value is shown as it was typed."""
    rendered = administration.rendered
    reminded = administration.reminded_at is not None and administration.completed_at is None
    missing = set(open_items(rendered, saved)) if reminded else set()
    items = [
        _item(item, saved.get(item["key"]), item["key"] in missing, refused.get(item["key"]))
        for item in rendered["items"]
    ]
    return Page(
        administration=administration.pk,
        instruction=rendered["instruction"],
        lead=rendered["lead"],
        items=items,
        clock_ms=clock_ms,
        reminders=[item for item in items if item.missing or item.problem],
    )


def _item(
    item: Mapping[str, Any], saved: Response | None, missing: bool, refused: AnswerRefused | None
) -> PageItem:
    value = (_plain(saved.number) or saved.text or "") if saved else ""
    if refused is not None and item["kind"] in TYPED_KINDS:
        value = refused.typed
    state = saved.state if saved else ""
    ticked = set(value.split(",")) if item["kind"] == "choices" else {value}
    picked = item["kind"] in PICKED_KINDS
    refusals = [name for name in ("does_not_fit", "prefer_not") if picked and item[name]]
    return PageItem(
        key=item["key"],
        kind=item["kind"],
        text=item["text"],
        left=item["left"],
        right=item["right"],
        options=[
            Option(str(each["value"]), each["label"], each["end"], str(each["value"]) in ticked)
            for each in item["options"]
        ],
        refusals=[Option(name, item[name], "", state == name) for name in refusals],
        prefer_not="" if picked else item["prefer_not"],
        prefers_not=state == Response.State.PREFER_NOT,
        value=value,
        minimum=_plain(item["minimum"]),
        maximum=_plain(item["maximum"]),
        max_characters=item["max_characters"],
        optional=item["optional"],
        timing=_timing(saved),
        missing=missing,
        problem=refused.message if refused else "",
    )


def _timing(saved: Response | None) -> str:
    if saved is None:
        return ",,0,0"
    times = ["" if ms is None else str(ms) for ms in (saved.first_ms, saved.last_ms)]
    return ",".join([*times, str(saved.changes), str(saved.revision)])


def _plain(number: float | None) -> str:
    """A number as a form field holds it: 3, not 3.0, and never with a thousands separator."""
    if number is None:
        return ""
    return str(int(number)) if float(number).is_integer() else repr(number)
