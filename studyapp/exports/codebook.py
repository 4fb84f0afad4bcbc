"""The codebook: one row a column, so that nobody has to guess a name."""

from collections.abc import Iterable, Iterator

from studyapp.canonical import canonical_json
from studyapp.exports.columns import Column, Table

HEADER = (
    "table", "column", "type", "description", "scale", "item", "score", "construct", "minimum", "maximum",
    "labels", "reversed", "missing", "identifying", "wording_verified", "licence",
)  # fmt: skip


def rows(tables: Iterable[tuple[Table, tuple[Column, ...]]]) -> Iterator[tuple[object, ...]]:
    """The codebook's rows for the columns that were written, in the order of the tables."""
    for table, columns in tables:
        for column in columns:
            item = column.item
            yield (
                table.name,
                column.id,
                column.type,
                column.description,
                item.scale if item else None,
                item.item if item else None,
                item.score if item else None,
                item.construct if item else None,
                item.minimum if item else None,
                item.maximum if item else None,
                canonical_json(dict(item.labels)) if item and item.labels else None,
                item.reversed if item and item.item else None,
                "empty",
                column.identifying,
                item.wording_verified if item else None,
                item.licence if item else None,
            )
