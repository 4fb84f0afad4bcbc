"""What erasure would have to erase never gets into a log."""

import logging

from studyapp.anonymous_log import AnonymousFormatter

CONVERSATION = "ed6f9eda-0b0e-4c3c-9a39-0a1b2c3d4e5f"


def _formatted(message: str, *arguments: object) -> str:
    record = logging.LogRecord("django.request", logging.WARNING, "", 0, message, arguments, None)
    return AnonymousFormatter("%(levelname)s %(message)s").format(record)


def test_identifiers_of_sessions_and_conversations_are_masked():
    assert _formatted("Unprocessable Content: %s", f"/c/{CONVERSATION}/messages") == (
        "WARNING Unprocessable Content: /c/<id>/messages"
    )


def test_query_strings_are_masked_and_questions_are_not():
    assert _formatted("Not Found: /s/x/?PROLIFIC_PID=5f2a&b=1") == "WARNING Not Found: /s/x/?<query>"
    assert _formatted("Is it there? Look in data/logs.") == "WARNING Is it there? Look in data/logs."


def test_preview_tokens_are_masked():
    assert _formatted("Not Found: /preview/eyJzdHV:1xY:abc/") == "WARNING Not Found: /preview/<token>/"


def test_identifiers_in_tracebacks_are_masked():
    try:
        raise LookupError(f"no conversation {CONVERSATION}")
    except LookupError as error:
        record = logging.LogRecord(
            "x", logging.ERROR, "", 0, "broke", (), (LookupError, error, error.__traceback__)
        )
    assert CONVERSATION not in AnonymousFormatter("%(message)s").format(record)
