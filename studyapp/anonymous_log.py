"""Log lines name nobody: identifiers that lead to a person's rows are masked before they are written."""

import logging
import re

_IDENTIFIER = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_QUERY = re.compile(r"(/[^\s?\"']*)\?[^\s\"']+")
_TOKEN = re.compile(r"(/preview/)[^/\s]+")


class AnonymousFormatter(logging.Formatter):
    """Formats as usual, then masks session and conversation ids, preview tokens, and query strings.

    Erasure cannot reach a log file, so what it would have to erase never gets there.
    """

    def format(self, record: logging.LogRecord) -> str:
        text = _IDENTIFIER.sub("<id>", super().format(record))
        return _TOKEN.sub(r"\1<token>", _QUERY.sub(r"\1?<query>", text))
