"""Table ``wide``: a row a session, a column an item, a score, a rating or a verdict."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from studyapp.exports.columns import Column, Item, Table, Type
from studyapp.exports.plan import Asking, Plan, VersionPlan
from studyapp.exports.selection import Selection
from studyapp.exports.tables.cards import outcomes_by_card
from studyapp.exports.tables.responses import answered_visits
from studyapp.exports.tables.shared import Row, leading_columns, session_row
from studyapp.participation.models import Visit
from surveys.scale_file import TEXT_KINDS, Scale
from surveys.scale_file import Item as ScaleItem
from surveys.scoring import reversed_value, score, score_range

_RATING_WORDS = {
    "before": "How likely the claim is true, before the conversation (0-100)",
    "after": "How likely the claim is true, after the conversation (0-100)",
    "right": "Was what the partner told right? (0-100)",
}


@dataclass(frozen=True)
class _Wide:
    """Values by column of one session."""

    values: Mapping[str, Any]


def table(plan: Plan) -> Table:
    columns = (
        *leading_columns(plan),
        Column(
            "participant",
            "string",
            "Pseudonymous code of the participant",
            lambda r: r.session.participant.code,
        ),
        Column("status", "string", "How the session stands or ended", lambda r: r.session.status),
        *_asking_columns(plan.askings),
        *(column for when in _RATING_WORDS for column in _rating_columns(plan, when)),
        *(
            _wide_column(
                f"verdict_{claim['key']}", "string", f"Live card: what the partner said of '{claim['claim']}'"
            )
            for claim in plan.claims
        ),
    )

    def rows(selection: Selection) -> Iterator[Row]:
        for chunk in selection.chunks():
            outcomes = outcomes_by_card(chunk)
            for session, visits in answered_visits(chunk):
                values: dict[str, Any] = {
                    f"verdict_{key}": outcome for key, outcome in outcomes.get(session.id, {}).items()
                }
                for visit in visits:
                    values |= _wide_values(
                        plan.of_version[session.version_id], visit, may_share=bool(session.share_words)
                    )
                yield session_row(selection, session, _Wide(values))

    return Table("wide", "a session", columns, rows)


def _wide_column(
    id_: str, type_: Type, description: str, item: Item | None = None, text: bool = False
) -> Column:
    return Column(id_, type_, description, lambda row: row.of.values.get(id_), item=item, text=text)


def _asking_columns(askings: Iterable[Asking]) -> tuple[Column, ...]:
    """The columns of all askings, each once; where versions differ, as the latest describes it."""
    # By asking too: two askings whose columns would have one name are not one column.
    found: dict[tuple[str, str], Column] = {}
    for asking in askings:
        for column in (*_item_columns(asking), *_score_columns(asking)):
            found[asking.name, column.id] = column
    return tuple(found.values())


def _item_columns(asking: Asking) -> Iterator[Column]:
    scale = asking.scale
    for item in scale.items:
        kind = scale.kind_of(item)
        low, high = scale.bounds(item)
        words = item.text or (f"{item.poles.negative} - {item.poles.positive}" if item.poles else item.key)
        facts = Item(
            scale=asking.name,
            item=item.key,
            construct=scale.cell,
            minimum=low,
            maximum=high,
            labels=_labels(scale, item),
            reversed=item.reverse,
            wording_verified=item.verified,
            licence=scale.licence,
        )
        # Several choices are the values ticked, joined by commas; only free text is words of a person.
        type_: Type = "string" if kind in TEXT_KINDS or kind == "choices" else "number"
        yield _wide_column(f"{asking.name}_{item.key}", type_, words, facts, text=kind in TEXT_KINDS)
        if item.reverse:
            yield _wide_column(f"{asking.name}_{item.key}_r", "number", f"{words} (reversed)", facts)


def _score_columns(asking: Asking) -> Iterator[Column]:
    scale = asking.scale
    for definition in scale.scores:
        low, high = (0.0, 100.0) if definition.as_percent else score_range(scale, definition)
        facts = Item(
            scale=asking.name,
            score=definition.key,
            construct=definition.cell or scale.cell,
            minimum=low,
            maximum=high,
            wording_verified=definition.verified,
            licence=scale.licence,
        )
        described = f"{definition.label}: {definition.rule} of {len(definition.items)} items"
        yield _wide_column(f"{asking.name}_{definition.key}", "number", described, facts)


def _labels(scale: Scale, item: ScaleItem) -> dict[str, str]:
    if item.poles is not None:
        low, high = scale.bounds(item)
        return {f"{low:g}": item.poles.negative, f"{high:g}": item.poles.positive}
    if choices := scale.choices_of(item):
        return {str(choice.value): choice.label for choice in choices}
    return {str(value): label for value, label in scale.anchors_of(item).items()}


def _rating_columns(plan: Plan, when: str) -> Iterator[Column]:
    if when not in plan.ratings:
        return
    construct = "perceived" if when == "right" else "none"
    for claim in plan.claims:
        yield _wide_column(
            f"{when}_{claim['key']}",
            "number",
            f"{_RATING_WORDS[when]}: {claim['claim']}",
            Item(scale=when, item=claim["key"], construct=construct, minimum=0, maximum=100),
        )


def _wide_values(plan: VersionPlan, visit: Visit, *, may_share: bool) -> dict[str, Any]:
    given = {response.item: response for response in visit.administration.responses.all()}
    numbers = {key: response.number for key, response in given.items()}
    when = plan.ratings.get(visit.step_key)
    if when is not None:
        return {f"{when}_{key}": number for key, number in numbers.items()}
    asking = plan.askings[visit.step_key]
    values: dict[str, Any] = {}
    for key, response in given.items():
        item = asking.scale.item(key)
        if asking.scale.kind_of(item) not in TEXT_KINDS or may_share:
            values[f"{asking.name}_{key}"] = response.number if response.text is None else response.text
        if item.reverse and response.number is not None:
            values[f"{asking.name}_{key}_r"] = reversed_value(asking.scale, key, response.number)
    for key, value in score(asking.scale, numbers).items():
        values[f"{asking.name}_{key}"] = value
    return values
