"""Where a person comes from, read off the entry link by an allow-list of parameters."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

PLAIN = "plain"

# The query parameter that carries the person's id, by source. Everything else in a link is dropped.
PARAMETERS = {"prolific": "PROLIFIC_PID"}

LONGEST_ID = 100

# What a platform leaves in a link it did not fill in: {{%PROLIFIC_PID%}}, ${PID}, %PID%, [PID], <pid>.
_PLACEHOLDER = re.compile(r"[{}<>\[\]$]|^%.*%$")


@dataclass(frozen=True)
class Arrival:
    """How somebody came: the source's name and their id there (None on a plain link)."""

    source: str
    recruitment_id: str | None


class SourceRefused(Exception):
    """The link's id cannot be a person's; ``code`` is "placeholder" | "empty" | "malformed"."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def read(parameters: Mapping[str, str]) -> Arrival:
    """The arrival a link's query parameters describe.

    Raises
    ------
    SourceRefused: an id parameter is there, but empty, unreplaced or not an id.
    """
    for source, name in PARAMETERS.items():
        if name not in parameters:
            continue
        given = parameters[name].strip()
        if not given:
            raise SourceRefused(
                "empty",
                "The link you followed carries no participant id. "
                "Please open the study again from the recruitment site.",
            )
        if _PLACEHOLDER.search(given) or given.casefold() in {n.casefold() for n in PARAMETERS.values()}:
            raise SourceRefused(
                "placeholder",
                "The link you followed still holds a placeholder where your participant id belongs. "
                "Please open the study from the recruitment site, not from a copied link.",
            )
        if len(given) > LONGEST_ID or not given.isprintable():
            raise SourceRefused(
                "malformed",
                "The participant id in the link is not one the recruitment site gives out. "
                "Please open the study again from the recruitment site.",
            )
        return Arrival(source=source, recruitment_id=given)
    return Arrival(source=PLAIN, recruitment_id=None)
