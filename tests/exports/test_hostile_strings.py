"""Texts that break tables: what was stored reads back equal in every reader."""

import csv
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from studyapp.chat.models import Message
from surveys.models import Response
from tests import cast
from tests.exports import small_data
from tests.r_present import needs_r

HOSTILE = {
    "newlines": "one\ntwo\n\nthree\n",
    "a lone carriage return": "one\rtwo",
    "carriage return and newline": "one\r\ntwo",
    "quotes": 'she said "no", then ""nothing"" and \'so\'',
    "commas and semicolons": "a,b;c,,d;",
    "tabs": "\tone\ttwo\t",
    "eight thousand characters": 'long, "longer"\n' * 533 + "12345",
    "line separators": "one\u2028two\u2029three\x85four\x0bfive\x0csix",
    "emoji with joiners": "\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f3f3\ufe0f\u200d\U0001f308",
    "right to left": "\u202b\u05e9\u05dc\u05d5\u05dd, \u0645\u0631\u062d\u0628\u0627\u202c",
    "combining marks": "e\u0301a\u0308\u0323 Z\u0351\u036b\u0343a\u0321",
    "a formula": '=HYPERLINK("http://example.org","click")',
    "a plus": "+1+1",
    "a minus": "-1-1",
    "an at": "@SUM(A1)",
    "missing by name": "NA",
    "a number": "0012.50",
    "spaces around": "  kept  ",
    "a byte order mark": "\ufeffmarked",
    "backslashes": "C:\\new\\table\\",
}


@pytest.fixture
def exported(tmp_path: Path, transactional_db: None) -> tuple[Path, dict[str, str], dict[str, str]]:
    """The data set of a session whose messages and guesses hold every hostile text, and the texts stored.

    Written into the rows themselves, since this is about tables, not about doors.
    """
    made = small_data.study()
    session = small_data.goes_through(cast.arrives(made), share=True, answers={"i-guess": "to be replaced"})
    conversation = session.visits.get(step_key="talk").conversation
    last = conversation.messages.order_by("position").last()
    messages = Message.objects.bulk_create(
        Message(
            conversation=conversation,
            position=last.position + place,
            role="participant",
            state="complete",
            text=text,
            created_at=last.created_at,
        )
        for place, text in enumerate(HOSTILE.values(), 1)
    )
    others = [small_data.goes_through(cast.arrives(made), share=True) for _ in range(2)]
    guesses = {}
    for text, each in zip(list(HOSTILE.values())[1:4:1], [session, *others], strict=True):
        Response.objects.filter(item="guess", administration__visit__session=each).update(
            state="answered", text=text
        )
        guesses[str(each.pk)] = text
    out = tmp_path / "out"
    small_data.export(made, out, with_text=True)
    return out, {str(each.pk): each.text for each in messages}, guesses


def test_python_reads_back_what_was_stored(exported) -> None:
    out, messages, guesses = exported
    rows = {row["message"]: row for row in small_data.table(out, "messages")}
    for key, text in messages.items():
        assert rows[key]["text"] == text
        assert int(rows[key]["characters"]) == len(text)
    assert {row["session"]: row["about_guess"] for row in small_data.table(out, "wide")} == guesses


def test_pandas_reads_back_what_was_stored(exported) -> None:
    out, messages, _ = exported
    path = small_data.path_of(out, "messages")
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    texts = frame.set_index("message")["text"]
    assert {key: texts[key] for key in messages} == messages
    assert len(frame) == len(small_data.table(out, "messages"))
    # Numbers stay numbers.
    assert pd.read_csv(path)["characters"].dtype.kind == "i"


def test_every_line_has_as_many_cells_as_the_header(exported) -> None:
    out, _, _ = exported
    for path in sorted(out.glob("data/*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            widths = {len(row) for row in csv.reader(file, strict=True)}
        assert len(widths) == 1, path.name


@needs_r()
def test_r_reads_back_what_was_stored(exported) -> None:
    out, messages, _ = exported
    script = (
        'source("load.R"); m <- tables$messages; m <- m[!is.na(m$text), ];'
        'codes <- sapply(m$text, function(t) paste(utf8ToInt(t), collapse = " "));'
        'cat(paste0(m$message, ":", codes), sep = "\\n")'
    )
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", script], cwd=out, capture_output=True, text=True, check=True
    )
    read = dict(line.split(":", 1) for line in done.stdout.splitlines())
    for key, text in messages.items():
        assert read[key] == " ".join(str(ord(character)) for character in text)
