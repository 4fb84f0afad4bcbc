"""The one column list: header, rows, codebook, what identifies and what is text all come from it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from studyapp.exports.selection import Selection

Type = Literal["string", "integer", "number", "boolean", "datetime", "json"]


@dataclass(frozen=True)
class Item:
    """What the codebook says of a column that holds an item or a score of a scale."""

    scale: str
    item: str = ""
    score: str = ""
    construct: str = ""
    minimum: float | None = None
    maximum: float | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    reversed: bool = False
    wording_verified: str = ""
    licence: str = ""


@dataclass(frozen=True)
class Column:
    """One column of one table.

    Attributes
    ----------
    id: header, snake_case.
    type: of the values; see ``cell`` for how each is written.
    description: one line for the codebook.
    extract: takes the table's row object, returns the value or None (missing).
    identifying: left out unless the export is asked to identify people.
    text: words of a person or about one; left out unless asked for and the session opted in.
    """

    id: str
    type: Type
    description: str
    extract: Callable[[Any], Any]
    identifying: bool = False
    text: bool = False
    item: Item | None = None


@dataclass(frozen=True)
class Table:
    """A table of the data set: what a row is, its columns, and where its rows come from."""

    name: str
    a_row_is: str
    columns: tuple[Column, ...]
    rows: Callable[["Selection"], Iterator[Any]]


def cell(value: Any) -> str:
    """A value as written into a CSV cell; None is the empty cell. Numbers keep full precision.

    >>> cell(True), cell(2.0), cell(0.1), cell(None)
    ('true', '2', '0.1', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, Decimal):
        return format(value.normalize(), "f")
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return str(value)
