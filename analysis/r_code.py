"""A factor analysis written as R code with psych, to be run and read by those who would check it there."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from analysis.correlation import Kind
from analysis.errors import AnalysisError
from analysis.items import MissingPolicy
from analysis.reading import read_table
from analysis.reading.columns import as_number

Matrix = NDArray[np.float64]

ROTATIONS = {
    "none": "none", "varimax": "varimax", "oblimin": "oblimin", "quartimin": "quartimin", "promax": "promax",
    "Promax": "Promax", "geomin": "geominQ", "target": "targetQ", "target-orthogonal": "targetT",
}  # fmt: skip
SEPARATORS = (",", ";", "\t", "|")
TEXT = (".csv", ".tsv", ".txt")


class NoRCode(AnalysisError):
    """An analysis, or a file, that has no plain counterpart in R; says what to ask for instead."""


@dataclass(frozen=True)
class Asked:
    """What an analysis was asked to do.

    Attributes
    ----------
    items : names of the columns
    condition : column of the groups analyses are made within, or None for one group
    codes : of missing answers
    turned : item to lowest plus highest value, of items reversed by hand
    draws : of a bootstrap, 0 for none
    """

    items: tuple[str, ...]
    factors: int
    method: str = "minres"
    rotation: str = "oblimin"
    cor: Kind = "pearson"
    condition: str | None = None
    na: MissingPolicy = "listwise"
    codes: tuple[str, ...] = ()
    turned: tuple[tuple[str, float], ...] = ()
    target: Matrix | None = None
    draws: int = 0


def r_code(
    asked: Asked, path: Path, *, sep: str | None = None, encoding: str | None = None, named: str = ""
) -> str:
    """R code that reads the file, makes the same correlations and calls ``psych::fa``.

    Afterwards ``r`` is the correlation matrix, ``n`` the sample size told to ``fa`` and ``f`` the solution.

    Parameters
    ----------
    asked : the analysis
    path : the file it was made from (for an exported folder, its wide table)
    sep, encoding : as they were given; found by content when None
    named : the file as R is to open it, if not by ``path``

    Raises
    ------
    NoRCode : polychoric correlations shared over groups; a file that is no delimited text

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = Path(folder) / "answers.csv"
    ...     _ = place.write_text("q1,q2,q3\\n1,2,3\\n2,3,1\\n")
    ...     made = r_code(Asked(("q1", "q2", "q3"), 1), place)
    >>> print(made.splitlines()[-2])
    f <- fa(r, nfactors = 1, n.obs = n, fm = "minres", rotate = "oblimin")
    """
    if asked.cor == "polychoric" and asked.condition is not None:
        raise NoRCode(
            "psych has no polychoric correlations shared over conditions; say --pooled, or --cor pearson, "
            "for R code"
        )
    lines = ["library(psych)", "library(GPArotation)", "", *reading_lines(path, sep, encoding, named)]
    lines += [f"items <- {vector(asked.items)}", *number_lines(path, asked)]
    lines += ["", *_correlations(asked), "", *_factors(asked)]
    return "\n".join(lines) + "\n"


def reading_lines(path: Path, sep: str | None, encoding: str | None, named: str) -> list[str]:
    """R lines that read a delimited file into ``d``, every column as text."""
    if path.suffix.lower() not in TEXT:
        raise NoRCode(f"{path}: not text that base R reads; add --out DIR, and the code reads DIR/items.csv")
    table = read_table(path, sep=sep, encoding=encoding)
    said, separator, extra = _layout(path, encoding, table.names(), table.rows[0])
    nothing = vector(("", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "none", "."))
    lines = [
        f'd <- read.table({quoted(named or path)}, header = TRUE, sep = {quoted(separator)}, quote = "\\"",',
        f'  fileEncoding = {quoted(said)}, colClasses = "character", check.names = FALSE,',
        f'  strip.white = TRUE, comment.char = "", fill = TRUE, na.strings = {nothing})',
    ]
    if extra:
        lines.append(f"d <- d[-(1:{extra}), ]  # more rows of header")
    if any(told.startswith("decimal comma") for told in table.warnings):
        lines.append('d[] <- lapply(d, function(v) sub(",", ".", v, fixed = TRUE))')
    return lines


def _layout(path: Path, encoding: str | None, names: list[str], first: str) -> tuple[str, str, int]:
    """R's name of the encoding, the separator, and how many rows of header follow the names."""
    data = path.read_bytes()
    said, python = "UTF-8-BOM", "utf-8-sig"
    if encoding is not None:
        python = encoding
        said = "UTF-8-BOM" if encoding.lower().replace("-", "").startswith("utf8") else encoding
    elif data.startswith((b"\xff\xfe", b"\xfe\xff")):
        said, python = "UTF-16", "utf-16"
    else:
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            said, python = "CP1252", "cp1252"
    text = data.decode(python, errors="replace").removeprefix("\ufeff")
    start = int(first.split()[-1])
    for separator in SEPARATORS:
        rows = enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=separator), start=1)
        filled = [(number, cells) for number, cells in rows if any(cell.strip() for cell in cells)]
        found = [name.strip() for name in filled[0][1]] if filled else []
        if [name for name in found if name] == [name for name in names if name in found]:
            return said, separator, sum(number < start for number, _ in filled) - 1
    raise NoRCode(
        f"{path}: of a form R code is not written for; add --out DIR, and the code reads DIR/items.csv"
    )


def number_lines(path: Path, asked: Asked) -> list[str]:
    """R lines that make the matrix ``x`` of ``items``, and ``g`` of conditions; without missing codes."""
    lines = ["x <- sapply(d[items], function(v) suppressWarnings(as.numeric(v)))"]
    numeric = [code for code in asked.codes if as_number(code) is not None]
    if numeric:
        lines.append(f"x[x %in% c({', '.join(numeric)})] <- NA")
    lines += [
        f"x[, {quoted(item)}] <- {_number(total)} - x[, {quoted(item)}]  # keyed the other way"
        for item, total in asked.turned
    ]
    if asked.condition is not None:
        lines.append(f"g <- as.character(d[[{quoted(asked.condition)}]])")
        if asked.codes:
            lines.append(f"g[g %in% {vector(asked.codes)}] <- NA")
        lines += ["x <- x[!is.na(g), ]", "g <- g[!is.na(g)]"]
    return lines


def _correlations(asked: Asked) -> list[str]:
    if asked.condition is None:
        return _of_one_group(asked)
    rank = "function(v) ave(v, g, FUN = function(z) rank(z) / (length(z) + 1))"
    if asked.na == "listwise":
        lines = [
            "# Correlations within conditions: each condition's means are taken out first.",
            "whole <- complete.cases(x)",
            "x <- x[whole, ]",
            "g <- g[whole]",
            "several <- ave(seq_along(g), g, FUN = length) > 1",
            "x <- x[several, ]",
            "g <- g[several]",
        ]
        if asked.cor == "spearman":
            lines.append(f"x <- apply(x, 2, {rank})")
        return [
            *lines,
            "r <- cor(apply(x, 2, function(v) v - ave(v, g)))",
            "n <- nrow(x) - length(unique(g)) + 1",
        ]
    ranked = ["    ab <- apply(ab, 2, function(v) ave(v, h, FUN = function(z) rank(z) / (length(z) + 1)))"]
    return [
        "# Correlations within conditions, over the rows that both items of a pair have.",
        "r <- df <- matrix(NA, ncol(x), ncol(x), dimnames = list(items, items))",
        "for (i in seq_along(items)) for (j in seq_along(items)) {",
        "  both <- complete.cases(x[, c(i, j)])",
        "  ab <- x[both, c(i, j), drop = FALSE]",
        "  h <- g[both]",
        *(ranked if asked.cor == "spearman" else []),
        "  ab <- apply(ab, 2, function(v) v - ave(v, h))",
        "  r[i, j] <- sum(ab[, 1] * ab[, 2]) / sqrt(sum(ab[, 1]^2) * sum(ab[, 2]^2))",
        "  df[i, j] <- sum(both) - length(unique(h))",
        "}",
        "n <- min(df) + 1",
    ]


def _of_one_group(asked: Asked) -> list[str]:
    lines = ["x <- x[complete.cases(x), ]"] if asked.na == "listwise" else []
    if asked.cor == "polychoric":
        lines.append("r <- polychoric(x)$rho")
    else:
        use = "" if asked.na == "listwise" else ', use = "pairwise"'
        lines.append(f'r <- cor(x{use}, method = "{asked.cor}")')
    return [*lines, "n <- nrow(x)" if asked.na == "listwise" else "n <- min(crossprod(!is.na(x)))"]


def _factors(asked: Asked) -> list[str]:
    lines = []
    more = ""
    if asked.target is not None:
        cells = ", ".join("NA" if math.isnan(cell) else _number(cell) for cell in asked.target.T.ravel())
        lines.append(f"target <- matrix(c({cells}), nrow = {len(asked.items)})  # NA where free")
        more = ", Target = target"
    if asked.draws:
        lines.append(
            f"# Intervals: fa(x, {asked.factors}, n.iter = {asked.draws}) draws people too, but turns each"
        )
        lines.append(
            "# draw to a target and gives normal intervals; this program's are percentiles of draws as found."
        )
    return [
        *lines,
        f"f <- fa(r, nfactors = {asked.factors}, n.obs = n, fm = {quoted(asked.method)}, "
        f"rotate = {quoted(ROTATIONS[asked.rotation])}{more})",
        "print(f, digits = 4)",
    ]


def quoted(value: str | Path) -> str:
    """An R string."""
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def vector(values: Sequence[str]) -> str:
    """An R vector of strings."""
    return f"c({', '.join(quoted(value) for value in values)})"


def _number(value: float) -> str:
    return f"{value:.15g}"
