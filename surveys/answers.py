"""Keeping answers: saved while a page is being filled in, and once more when it is handed in.

A save carries a *revision*: milliseconds from the first showing of the page, told by the server's
clock to every tab. The newer revision stays, whichever arrives last.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.http import QueryDict
from django.utils import timezone

from surveys.models import Administration, Response
from surveys.scale_file import PICKED_KINDS, TEXT_KINDS

State = Response.State
LARGEST = 2_147_483_647
_NUMBER = re.compile(r"^\s*[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]{1,3})?\s*$", re.ASCII)
# Half of a pair that alone means no character: PostgreSQL refuses it.
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class AnswerRefused(ValueError):
    """An answer that cannot be kept: ``item``, a message a participant can act on, and the text typed."""

    def __init__(self, item: str, message: str) -> None:
        self.item = item
        self.message = message
        self.typed = ""
        super().__init__(f"{item}: {message}")


@dataclass(frozen=True)
class Answer:
    """What a page says about one item. ``value``: a number, a text, or the values of several choices."""

    item: str
    value: float | str | list[int] | None
    state: str = State.ANSWERED
    first_ms: int | None = None
    last_ms: int | None = None
    changes: int = 0
    revision: int = 0


@dataclass(frozen=True)
class Saved:
    """What became of a batch: answers that could not be kept, and items whose text had to be cleaned."""

    refused: list[AnswerRefused]
    cleaned: list[str]


@dataclass(frozen=True)
class Submission:
    """What became of a page handed in. ``missing``: items still open, asked for once; then ``done``."""

    done: bool
    missing: list[str]
    refused: list[AnswerRefused]
    cleaned: list[str]


@dataclass(frozen=True)
class _Kept:
    answer: Answer
    state: str
    number: float | None
    text: str | None


def from_json(payload: object) -> list[Answer]:
    """The answers of an autosave's JSON body. Errors: AnswerRefused when it has another shape."""
    rows = payload.get("answers") if isinstance(payload, dict) else None
    if not isinstance(rows, list):
        raise AnswerRefused("", "expected {answers: [...]}")
    return [_from_row(row) for row in rows]


def autosave(*, administration: Administration, answers: Iterable[Answer]) -> Saved:
    """Keep a batch of answers; what is older than what is kept, or comes after the end, changes nothing.

    One bad answer does not cost the others: it comes back in ``refused``.
    """
    with transaction.atomic():
        locked = Administration.objects.select_for_update().get(pk=administration.pk)
        if locked.completed_at is not None:
            return Saved([], [])
        kept, refused, cleaned = _checked(locked, answers)
        _keep(locked, kept, timezone.now())
    return Saved(refused, cleaned)


def submit(*, administration: Administration, data: Mapping[str, str]) -> Submission:
    """Take a page handed in (fields ``i-<item>``, ``s-<item>``, ``t-<item>``).

    Missing answers are asked for once; the second time the page is done and they are stored as
    missing. A refused value keeps the page open. Handing in a page that is done changes nothing.
    """
    with transaction.atomic():
        locked = Administration.objects.select_for_update().get(pk=administration.pk)
        if locked.completed_at is not None:
            return Submission(True, [], [], [])
        now = timezone.now()
        given = [_from_form(item, data) for item in locked.rendered["items"]]
        kept, refused, cleaned = _checked(locked, filter(None, given))
        saved = _keep(locked, kept, now)
        open_ = open_items(locked.rendered, saved)
        if refused or (open_ and locked.reminded_at is None):
            if open_ and locked.reminded_at is None:
                locked.reminded_at = now
                locked.save(update_fields=["reminded_at"])
            done = False
        else:
            untouched = [item["key"] for item in locked.rendered["items"] if item["key"] not in saved]
            Response.objects.bulk_create(
                Response(administration=locked, item=key, state=State.MISSING, saved_at=now)
                for key in untouched
            )
            locked.completed_at = now
            locked.save(update_fields=["completed_at"])
            done = True
    administration.reminded_at, administration.completed_at = locked.reminded_at, locked.completed_at
    return Submission(done, open_, refused, cleaned)


def values(administration: Administration) -> dict[str, float | str | None]:
    """Every item shown, with the number or text given, or None (missing, prefer not to say, does not fit)."""
    saved = {row.item: row for row in administration.responses.all()}
    return {
        item["key"]: _value(saved[item["key"]]) if item["key"] in saved else None
        for item in administration.rendered["items"]
    }


def open_items(rendered: Mapping[str, Any], saved: Mapping[str, Response]) -> list[str]:
    """Keys of the items that want an answer and have none, in the order shown."""
    return [
        item["key"]
        for item in rendered["items"]
        if not item["optional"] and (item["key"] not in saved or saved[item["key"]].state == State.MISSING)
    ]


def _value(row: Response) -> float | str | None:
    value: float | str | None = row.text if row.number is None else row.number
    return value


def _from_row(row: object) -> Answer:
    if not isinstance(row, dict) or not isinstance(row.get("item"), str):
        raise AnswerRefused("", "every answer needs an item")
    value = row.get("value")
    if isinstance(value, bool) or not isinstance(value, int | float | str | list | None):
        raise AnswerRefused(row["item"], "a value is a number, a text or a list of numbers")
    return Answer(
        item=row["item"],
        value=value,
        state=str(row.get("state", State.ANSWERED)),
        first_ms=_count(row.get("first_ms")),
        last_ms=_count(row.get("last_ms")),
        changes=_count(row.get("changes")) or 0,
        revision=_count(row.get("revision")) or 0,
    )


def _from_form(item: Mapping[str, Any], data: Mapping[str, str]) -> Answer | None:
    """The answer a form holds for an item; None where the form says nothing about it."""
    key = item["key"]
    name = f"i-{key}"
    parts = [_count(part) for part in data.get(f"t-{key}", "").split(",")]
    first, last, changes, revision = parts if len(parts) == 4 else (None, None, None, None)
    if data.get(f"s-{key}") == State.PREFER_NOT:
        value, state = None, str(State.PREFER_NOT)
    elif name not in data:
        # Boxes that are all unticked send nothing; that they were on the page, their times tell.
        if item["kind"] != "choices" or f"t-{key}" not in data:
            return None
        value, state = None, str(State.MISSING)
    elif data[name] in {State.PREFER_NOT, State.DOES_NOT_FIT} and item["kind"] not in TEXT_KINDS:
        value, state = None, data[name]
    else:
        # A form sends several ticks under one name; a plain mapping holds them joined by commas.
        several = data.getlist(name) if isinstance(data, QueryDict) else [data[name]]
        given = ",".join(several) if item["kind"] == "choices" else several[-1]
        # Forms turn every newline into CR LF on the way; this undoes it.
        value, state = given.replace("\r\n", "\n"), str(State.ANSWERED)
    return Answer(key, value, state, first, last, changes or 0, revision or 0)


def _count(value: object) -> int | None:
    """A whole number from 0 that a column can hold; anything else is None."""
    if isinstance(value, str):
        value = int(value) if value.isascii() and value.isdigit() and len(value) < 16 else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return min(max(int(value), 0), LARGEST)


def _checked(
    administration: Administration, answers: Iterable[Answer]
) -> tuple[list[_Kept], list[AnswerRefused], list[str]]:
    items = {item["key"]: item for item in administration.rendered["items"]}
    kept: dict[str, _Kept] = {}
    refused: list[AnswerRefused] = []
    cleaned: list[str] = []
    for answer in answers:
        try:
            if answer.item not in items:
                raise AnswerRefused(answer.item, "is not a question of this page")
            result = _check(items[answer.item], answer)
        except AnswerRefused as error:
            error.typed = clean(answer.value) if isinstance(answer.value, str) else ""
            refused.append(error)
            continue
        if isinstance(answer.value, str) and clean(answer.value) != answer.value:
            cleaned.append(answer.item)
        earlier = kept.get(answer.item)
        if earlier is None or earlier.answer.revision <= answer.revision:
            kept[answer.item] = result
    return list(kept.values()), refused, cleaned


def clean(text: str) -> str:
    """The text without NUL, which PostgreSQL cannot hold, and with half characters replaced."""
    return _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text.replace("\x00", ""))


def _check(item: Mapping[str, Any], answer: Answer) -> _Kept:
    if answer.state not in State.values:
        raise AnswerRefused(answer.item, f"'{answer.state}' is not a state of an answer")
    if answer.state in {State.PREFER_NOT, State.DOES_NOT_FIT}:
        if not item[answer.state]:
            raise AnswerRefused(answer.item, "this question does not offer that")
        return _Kept(answer, answer.state, None, None)
    if answer.state == State.MISSING or answer.value is None or answer.value == []:
        return _Kept(answer, State.MISSING, None, None)
    if item["kind"] in TEXT_KINDS:
        text = _text(item, answer)
        empty = not text.strip()
        return _Kept(answer, State.MISSING if empty else State.ANSWERED, None, None if empty else text)
    if isinstance(answer.value, str) and not answer.value.strip():
        return _Kept(answer, State.MISSING, None, None)
    if item["kind"] == "choices":
        return _Kept(answer, State.ANSWERED, None, _ticks(item, answer))
    return _Kept(answer, State.ANSWERED, _number(item, answer), None)


def _text(item: Mapping[str, Any], answer: Answer) -> str:
    if not isinstance(answer.value, str):
        raise AnswerRefused(answer.item, "expected a text")
    text = clean(answer.value)
    if len(text) > item["max_characters"]:
        raise AnswerRefused(
            answer.item,
            f"This text has {len(text):,} characters; please shorten it to {item['max_characters']:,}.",
        )
    return text


def _ticks(item: Mapping[str, Any], answer: Answer) -> str:
    """Several choices, as their values in rising order joined by commas."""
    given = answer.value.split(",") if isinstance(answer.value, str) else answer.value
    offered = {str(option["value"]): option["value"] for option in item["options"]}
    ticks = [str(value).strip() for value in given] if isinstance(given, list) else [str(given)]
    if not set(ticks) <= set(offered):
        raise AnswerRefused(answer.item, "Please choose among the answers offered.")
    return ",".join(map(str, sorted({offered[tick] for tick in ticks})))


def _number(item: Mapping[str, Any], answer: Answer) -> float:
    value = answer.value
    if isinstance(value, str):
        if not _NUMBER.match(value):
            raise AnswerRefused(answer.item, "Please enter a number.")
        value = float(value)
    if isinstance(value, list) or value is None or not math.isfinite(value):
        raise AnswerRefused(answer.item, "Please enter a number.")
    if item["kind"] in PICKED_KINDS and value not in [option["value"] for option in item["options"]]:
        raise AnswerRefused(answer.item, "Please choose among the answers offered.")
    low, high = item["minimum"], item["maximum"]
    if (low is not None and value < low) or (high is not None and value > high):
        ends = ("" if low is None else f" from {low:g}") + ("" if high is None else f" up to {high:g}")
        raise AnswerRefused(answer.item, f"Please enter a number{ends}.")
    return float(value)


def _keep(administration: Administration, kept: list[_Kept], now: datetime) -> dict[str, Response]:
    """Write what is newer; the caller holds the administration's lock. Returns all rows by item."""
    rows = {row.item: row for row in administration.responses.all()}
    written = [row for each in kept if (row := _row(administration, each, rows.get(each.answer.item), now))]
    Response.objects.bulk_create(
        written,
        update_conflicts=True,
        unique_fields=["administration", "item"],
        update_fields=["state", "number", "text", "first_ms", "last_ms", "changes", "revision", "saved_at"],
    )
    return rows | {row.item: row for row in written}


def _row(
    administration: Administration, kept: _Kept, saved: Response | None, now: datetime
) -> Response | None:
    """The row to write, or None when it says nothing new."""
    answer = kept.answer
    if saved is None:
        # A field left empty is not yet an answer; it becomes "missing" only when the page is done.
        if kept.state == State.MISSING and not answer.changes:
            return None
        # Never 0: a page that was never saved carries 0, and must lose to this one.
        revision, first_ms = max(answer.revision, 1), answer.first_ms
    else:
        if answer.revision < saved.revision:
            return None
        same = (kept.state, kept.number, kept.text) == (saved.state, saved.number, saved.text)
        if same and answer.revision == saved.revision:
            return None
        # Without a script a changed page comes back with the revision it was shown with.
        revision = min(answer.revision + (answer.revision == saved.revision), LARGEST)
        first_ms = answer.first_ms if saved.first_ms is None else saved.first_ms
    return Response(
        administration=administration,
        item=answer.item,
        state=kept.state,
        number=kept.number,
        text=kept.text,
        first_ms=first_ms,
        last_ms=answer.last_ms,
        changes=max(answer.changes, saved.changes if saved else 0),
        revision=revision,
        saved_at=now,
    )
