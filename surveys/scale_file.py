"""Scales as data: one YAML file a scale, checked on reading, every complaint with its line.

``verified`` says how far the wording was checked: P read in the primary source, S in a secondary
one, T a third-hand lead, INF inferred, no = not verified, "own, unvalidated" = our own words.
"""

import difflib
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from surveys.yaml_lines import YamlLines

FOLDER = Path(__file__).resolve().parent / "scales"

Kind = Literal[
    "semantic_differential", "likert", "slider", "choice", "choices", "number", "short_text", "long_text"
]
Construct = Literal["felt", "perceived", "check", "process", "none"]
# YAML reads a bare ``no`` as false; here it is a word.
Verified = Annotated[
    Literal["P", "S", "T", "INF", "no", "own, unvalidated"],
    BeforeValidator(lambda value: "no" if value is False else value),
]
Key = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
Words = Annotated[str, Field(min_length=1)]

PICKED_KINDS = frozenset({"semantic_differential", "likert", "choice"})
TEXT_KINDS = frozenset({"short_text", "long_text"})
SLIDER_RANGE = (0.0, 100.0)
MAX_CHARACTERS = {"short_text": 500, "long_text": 8000}


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a scale file; ``line`` is None for a document that came from no file."""

    where: str
    message: str
    file: str = ""
    line: int | None = None

    def __str__(self) -> str:
        line = "" if self.line is None else f"line {self.line}"
        place = ", ".join(filter(None, (self.file, line, self.where)))
        return f"{place}: {self.message}" if place else self.message


class ScaleFileError(Exception):
    """A scale that cannot be used; ``problems`` lists all of them at once."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__("\n".join(map(str, problems)))


class UnknownScale(ScaleFileError):
    """No shipped scale has this key."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Poles(_Strict):
    """The two ends of a semantic differential; the stored value rises towards the positive one."""

    positive: Words
    negative: Words


class Choice(_Strict):
    value: int
    label: Words


class ItemForm(_Strict):
    """What an item may say about itself apart from its words. None means: as the scale says."""

    kind: Kind | None = None
    reverse: bool = False
    choices: list[Choice] | None = None
    anchors: dict[int, Words] | None = None
    minimum: float | None = None
    maximum: float | None = None
    max_characters: int | None = Field(default=None, ge=1, le=8000)
    optional: bool = False
    verified: Verified


class Item(ItemForm):
    key: Key
    # Missing only where the researcher brings the wording.
    text: Words | None = None
    poles: Poles | None = None
    # Items of one block stay together when ``order`` is "blocks".
    block: int | None = None
    # The item's number in the source, where the scale is a part or another order of it.
    original: str | None = None


class Score(_Strict):
    """How items become one number. ``as_percent`` expresses it as percent of the possible range."""

    key: Key
    label: Words
    items: list[Key] = Field(min_length=1)
    rule: Literal["mean", "sum"]
    minimum_answered: int = Field(ge=1)
    factor: str | None = None
    as_percent: bool = False
    cell: Construct | None = Field(default=None, alias="construct")
    verified: Verified


class Statistic(_Strict):
    """A number published about the scale, with the sample it belongs to."""

    name: Words
    value: str
    of: Words
    verified: Verified


class Marks(_Strict):
    """How far the parts around the items were checked."""

    instruction: Verified
    anchors: Verified | None = None


class Scale(_Strict):
    key: Key
    name: Words
    version: Words
    language: Words = "en"
    # Cell of the design; called ``construct`` in the file.
    cell: Construct = Field(alias="construct")
    wording: Literal["ships", "bring-your-own", "own"]
    licence: Words
    # Where the wording comes from.
    reference: Words
    doi: str | None = Field(default=None, pattern=r"^10\.\d{4,9}/\S+$")
    adaptation: str | None = None
    notes: list[Words] = []
    verified: Marks
    instruction: Words
    # A stem that every item completes or answers, repeated nowhere else.
    lead: str | None = None
    kind: Kind
    points: int | None = Field(default=None, ge=2, le=11)
    lowest: int = 1
    anchors: dict[int, Words] | None = None
    choices: list[Choice] | None = None
    # Labels of the two ways not to answer; None: not offered.
    does_not_fit: str | None = None
    prefer_not: str | None = None
    order: Literal["fixed", "random", "blocks"] = "fixed"
    sides: Literal["fixed", "random"] = "fixed"
    items: list[Item] = []
    # Instead of items: the form of items whose words the caller gives (claims of a study).
    template: ItemForm | None = None
    scores: list[Score] = []
    statistics: list[Statistic] = []

    def item(self, key: str) -> Item:
        """The item called ``key``; KeyError with the scale's name when there is none."""
        for item in self.items:
            if item.key == key:
                return item
        raise KeyError(f"scale '{self.key}' has no item '{key}'")

    def kind_of(self, item: ItemForm) -> Kind:
        return item.kind or self.kind

    def anchors_of(self, item: ItemForm) -> dict[int, str]:
        return item.anchors or self.anchors or {}

    def choices_of(self, item: ItemForm) -> list[Choice]:
        return item.choices or self.choices or []

    def bounds(self, item: ItemForm) -> tuple[float | None, float | None]:
        """Smallest and largest value an answer can have; (None, None) for texts and several choices."""
        kind = self.kind_of(item)
        if kind in {"semantic_differential", "likert"}:
            return float(self.lowest), float(self.lowest + (self.points or 0) - 1)
        if kind == "slider":
            return SLIDER_RANGE
        if kind == "choice":
            values = [choice.value for choice in self.choices_of(item)]
            return float(min(values)), float(max(values))
        if kind == "number":
            return item.minimum, item.maximum
        return None, None

    def missing_wording(self) -> list[str]:
        """Keys of items that have no words yet (bring-your-own): such a scale cannot be shown."""
        return [item.key for item in self.items if item.text is None and item.poles is None]

    def document(self) -> dict[str, Any]:
        """The whole scale as plain JSON data; ``parse`` reads it back to an equal scale."""
        return self.model_dump(mode="json", exclude_none=True, by_alias=True)


def parse(document: Mapping[str, Any]) -> Scale:
    """A scale from plain data, as a frozen study document holds it. Errors: ScaleFileError."""
    return _parse(document, file="", lines=None)


def read(path: Path) -> Scale:
    """A scale from a YAML file. Errors: ScaleFileError with file, line and place of every problem."""
    try:
        text = path.read_text(encoding="utf-8")
        lines = YamlLines(text)
        document = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise ScaleFileError([Problem("", f"not YAML: {error.problem}", path.name, line)])
    except (OSError, UnicodeDecodeError) as error:
        raise ScaleFileError([Problem("", f"cannot be read: {error}", path.name)])
    twice = lines.duplicates()
    if twice:
        raise ScaleFileError(
            [Problem(key, "is given twice; keep one of the two", path.name, line) for line, key in twice]
        )
    return _parse(document, file=path.name, lines=lines)


@functools.cache
def load(key: str) -> Scale:
    """The shipped scale called ``key``. Errors: UnknownScale with near names."""
    names = shipped_keys()
    if key not in names:
        near = difflib.get_close_matches(key, names, n=3, cutoff=0.4)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(names)}"
        raise UnknownScale([Problem("", f"there is no scale '{key}'; {hint}")])
    return read(FOLDER / f"{key}.yaml")


def shipped_keys() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def shipped() -> dict[str, Scale]:
    """Every scale that comes with the platform, by key."""
    return {key: load(key) for key in shipped_keys()}


def _parse(document: object, *, file: str, lines: YamlLines | None) -> Scale:
    def problem(place: tuple[str | int, ...], message: str) -> Problem:
        where = " > ".join(_named(document, place))
        return Problem(where, message, file, lines.line(place) if lines else None)

    if not isinstance(document, Mapping):
        raise ScaleFileError([problem((), "a scale is a mapping of key, name, items and so on; this is not")])
    try:
        scale = Scale.model_validate(document)
    except ValidationError as error:
        raise ScaleFileError(
            [problem(found["loc"], _plain_message(found["type"], found["msg"])) for found in error.errors()]
        )
    problems = [problem(place, message) for place, message in _contradictions(scale)]
    if file and scale.key != Path(file).stem:
        problems.append(problem(("key",), f"is '{scale.key}', but the file is {file}; make them equal"))
    if problems:
        raise ScaleFileError(problems)
    return scale


def _named(document: object, place: tuple[str | int, ...]) -> Iterator[str]:
    """The steps of a place in words: an entry of a list goes by its own key where it has one."""
    here: Any = document
    for step in place:
        try:
            here = here[step]
        except (KeyError, IndexError, TypeError):
            here = None
        name = here.get("key") if isinstance(step, int) and isinstance(here, Mapping) else None
        yield str(name) if name else str(step)


def _plain_message(kind: str, message: str) -> str:
    if kind == "missing":
        return "is missing"
    if kind == "extra_forbidden":
        return "is not a key that scale files have; check its spelling"
    return message[0].lower() + message[1:]


def _contradictions(scale: Scale) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """What the types alone cannot say, as (place, message)."""
    yield from _of_items(scale)
    yield from _of_scores(scale)
    if scale.template is None and not scale.items:
        yield ("items",), "is empty; list the items, or give a template for items that a study brings"
    if scale.template is not None and (scale.items or scale.scores):
        yield ("template",), "stands for items that a study brings; a scale with one has no items or scores"


def _of_items(scale: Scale) -> Iterator[tuple[tuple[str | int, ...], str]]:
    seen: set[str] = set()
    forms: list[tuple[tuple[str | int, ...], ItemForm]] = [
        (("items", index), item) for index, item in enumerate(scale.items)
    ]
    if scale.template is not None:
        forms.append((("template",), scale.template))
    for place, form in forms:
        kind = scale.kind_of(form)
        low_high = kind in {"semantic_differential", "likert"}
        if low_high and scale.points is None:
            yield place, f"is a {kind}, but the scale has no 'points'"
            continue
        if kind in {"choice", "choices"} and not scale.choices_of(form):
            yield place, f"is a {kind} without choices"
            continue
        values = [choice.value for choice in scale.choices_of(form)]
        if len(set(values)) < len(values):
            yield place, "has two choices with one value"
        low, high = scale.bounds(form)
        if kind in {"likert", "slider"} and low is not None and high is not None:
            anchored = set(scale.anchors_of(form))
            outside = [value for value in sorted(anchored) if not low <= value <= high]
            if outside:
                yield place, f"has an anchor at {outside[0]}, outside its values {low:g} to {high:g}"
            if not {low, high} <= anchored:
                yield place, f"needs anchors at both ends ({low:g} and {high:g})"
        if scale.does_not_fit and kind not in PICKED_KINDS:
            yield place, f"is a {kind}; 'does_not_fit' is for items whose points are picked"
        if isinstance(form, Item):
            if form.key in seen:
                yield (*place, "key"), f"'{form.key}' is used by an earlier item"
            seen.add(form.key)
            yield from ((place, message) for message in _of_words(scale, form, kind))


def _of_words(scale: Scale, item: Item, kind: Kind) -> Iterator[str]:
    if scale.wording == "bring-your-own":
        return
    if kind == "semantic_differential" and item.poles is None:
        yield "is a semantic differential and needs poles (positive, negative)"
    if kind != "semantic_differential" and item.text is None:
        yield "has no text"
    if scale.order == "blocks" and item.block is None:
        yield "has no block, but the scale's order is by blocks"


def _of_scores(scale: Scale) -> Iterator[tuple[tuple[str | int, ...], str]]:
    known = {item.key: item for item in scale.items}
    seen: set[str] = set()
    for index, score in enumerate(scale.scores):
        place = ("scores", index)
        if score.key in seen or score.key in known:
            yield (*place, "key"), f"'{score.key}' is already the name of a score or an item"
        seen.add(score.key)
        for key in score.items:
            if key not in known:
                near = difflib.get_close_matches(key, known, n=1)
                hint = f"; did you mean '{near[0]}'?" if near else ""
                yield (*place, "items"), f"names '{key}', which is no item of this scale{hint}"
            elif scale.bounds(known[key])[0] is None:
                yield (*place, "items"), f"names '{key}', whose answers are not numbers with two ends"
        if len(set(score.items)) < len(score.items):
            yield (*place, "items"), "names an item twice"
        if score.minimum_answered > len(score.items):
            yield (*place, "minimum_answered"), f"is more than the {len(score.items)} items of the score"
        if score.rule == "sum" and score.minimum_answered != len(score.items):
            yield (*place, "minimum_answered"), "of a sum must be the number of its items"
