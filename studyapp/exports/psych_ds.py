"""The parts of a data set that make it Psych-DS: its description, its README and a loader for R."""

import re
from collections.abc import Iterable
from typing import Any

from studyapp.exports.columns import Column, Table
from studyapp.exports.selection import Selection


def file_name(slug: str, table: str) -> str:
    """Psych-DS values are alphanumeric, so the slug loses its hyphens."""
    return f"data/study-{re.sub('[^a-z0-9]', '', slug)}_description-{table}_data.csv"


def description(selection: Selection, written: Iterable[tuple[Table, tuple[Column, ...]]]) -> dict[str, Any]:
    """``dataset_description.json`` (schema.org Dataset): every header appears in variableMeasured."""
    variables: dict[str, dict[str, Any]] = {}
    for _, columns in written:
        for column in columns:
            variable = variables.setdefault(
                column.id, {"@type": "PropertyValue", "name": column.id, "description": column.description}
            )
            if column.item is not None:
                if column.item.minimum is not None:
                    variable["minValue"] = column.item.minimum
                if column.item.maximum is not None:
                    variable["maxValue"] = column.item.maximum
    return {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": selection.study.title,
        "description": selection.study.summary or selection.study.title,
        "variableMeasured": list(variables.values()),
    }


def readme(selection: Selection, counts: dict[str, int]) -> str:
    """What the folder holds, in words."""
    study, kinds = selection.study, ", ".join(selection.kinds)
    lines = [
        f"# {study.title}",
        "",
        study.summary.strip() or "No summary was given.",
        "",
        f"Sessions of these kinds: {kinds}. "
        + (
            "Words of participants are included where the session opted in."
            if selection.with_text
            else "No free text: lengths, codes and hashes stand in its place."
        ),
        (
            "THIS DATA SET IDENTIFIES PEOPLE: it holds recruitment ids."
            if selection.identified
            else "Identifiers of recruitment platforms are left out."
        ),
        "",
        "| table | rows |",
        "| --- | --- |",
        *(f"| {table} | {rows} |" for table, rows in counts.items()),
        "",
        "Every column is described in `codebook.csv`. An empty cell is a missing value; `state`, `failure`",
        "and `opportunity` say why. Times are UTC. `manifest.json` holds the SHA-256 of every file.",
        "`study.yaml` is the study as it was frozen last; `versions/` holds the earlier versions that",
        "sessions ran from, if any; `scales/` holds every scale asked, as it was asked last.",
        "",
        "Cells hold what was written, also where it begins with `=`, `+`, `-` or `@`: into a spreadsheet",
        "import the tables with every column as text.",
        "",
        'In R: `source("load.R")`. The report: `python -m analysis report FOLDER --out OUT`.',
        "",
    ]
    return "\n".join(lines)


LOAD_R = """\
# Loads every table of this folder into a list, with the types of codebook.csv. Base R only.
# Usage: setwd(<this folder>); source("load.R"); str(tables$sessions)

# R reads a carriage return inside a cell as a line feed; where a file has any, they stand aside meanwhile.
read_cells <- function(file) {
  text <- readChar(file, file.info(file)$size, useBytes = TRUE)
  Encoding(text) <- "UTF-8"
  returns <- grepl("\\r", text, fixed = TRUE)
  aside <- "\\ue00d"
  x <- if (returns) {
    read.csv(text = gsub("\\r", aside, text, fixed = TRUE), colClasses = "character", na.strings = "",
             encoding = "UTF-8", check.names = FALSE)
  } else {
    read.csv(file, colClasses = "character", na.strings = "", encoding = "UTF-8", check.names = FALSE)
  }
  if (returns) x[] <- lapply(x, function(column) gsub(aside, "\\r", column, fixed = TRUE))
  x
}

codebook <- read_cells("codebook.csv")
read_table <- function(name) {
  file <- list.files("data", pattern = paste0("_description-", name, "_data\\\\.csv$"), full.names = TRUE)
  x <- read_cells(file)
  types <- codebook[codebook$table == name, ]
  for (i in seq_len(nrow(types))) {
    column <- types$column[i]
    x[[column]] <- switch(types$type[i],
      integer = as.numeric(x[[column]]),
      number = as.numeric(x[[column]]),
      boolean = x[[column]] == "true",
      datetime = as.POSIXct(x[[column]], format = "%Y-%m-%dT%H:%M:%OSZ", tz = "UTC"),
      x[[column]])
  }
  x
}
tables <- sapply(unique(codebook$table), read_table, simplify = FALSE)
"""
