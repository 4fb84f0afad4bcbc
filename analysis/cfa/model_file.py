"""Model texts in files, and the columns of a data set that a model names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from analysis.cfa.model_text import Model, parse
from analysis.cfa.parameters import refuse_unknown_columns, tabulate
from analysis.errors import UnknownName, UnreadableFile
from analysis.items import ItemData


def read_model(path: Path) -> Model:
    """A model from a text file.

    Raises
    ------
    UnreadableFile : no such file, or no text
    ModelTextError : the text cannot be read as a model
    """
    try:
        text = path.read_text("utf-8-sig")
    except OSError as problem:
        why = problem.strerror or str(problem)
        raise UnreadableFile(f"{path}: the model cannot be read ({why}); write it as text, one factor a line")
    except UnicodeDecodeError:
        raise UnreadableFile(f"{path}: the model is no UTF-8 text")
    return parse(text)


def items_for(model: Model, load: Callable[[str | None], ItemData]) -> ItemData:
    """The columns a model names, in its order.

    Parameters
    ----------
    load : given names of items (commas between) or None for all there are, reads them

    Raises
    ------
    ModelTextError : a name that the data do not hold; points into the text
    """
    try:
        return load(",".join(model.observed))
    except UnknownName:
        everything = load(None)
        refuse_unknown_columns(model, tabulate(model), everything.names, everything.source)
        raise
