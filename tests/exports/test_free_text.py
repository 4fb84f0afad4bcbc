"""Words of people and their recruitment ids: in no file unless asked for, and then only who opted in."""

from pathlib import Path

import pytest

from studyapp.canonical import sha256
from studyapp.chat.models import Message
from studyapp.participation import problem_reports, withdrawal
from studyapp.verdicts.models import Code
from tests import cast
from tests.exports import small_data

REPORT = "the Zwiebelfisch button does nothing"
SHARED = (small_data.SHARED_WORDS, small_data.SHARED_GUESS)
PRIVATE = (cast.ADAS_WORDS, small_data.GUESS)
IDS = (cast.ADA, cast.BEN)


def holding(folder: Path, needle: str) -> list[str]:
    """Files of the folder that hold the text, also as JSON would write it."""
    return [name for name, content in small_data.all_bytes(folder).items() if needle.encode() in content]


@pytest.mark.django_db(transaction=True)
def test_a_plain_export_holds_no_word_that_was_said_or_typed(tmp_path: Path) -> None:
    made = small_data.study()
    people = small_data.everybody(made)
    problem_reports.report(session=people["ben"], text=REPORT)
    out = tmp_path / "out"
    small_data.export(made, out)
    said = Message.objects.exclude(conversation__kind="fork").exclude(task__isnull=False)
    # Authored openings and questions stand in the study's own file; all else was said by somebody.
    opening = people["ada"].version.document["agent"]["opening"]
    replies = {message.text for message in said if message.text != opening}
    assert len(replies) > 5
    evidence = {code.evidence for code in Code.objects.all() if len(code.evidence) > 20}
    for needle in (*SHARED, *PRIVATE, *IDS, REPORT, *replies):
        assert holding(out, needle) == [], needle
    tables = {name: text for name, text in small_data.all_bytes(out).items() if name.startswith("data/")}
    assert evidence
    for needle in evidence:
        assert not any(needle.encode() in content for content in tables.values()), needle


@pytest.mark.django_db(transaction=True)
def test_lengths_and_hashes_stand_where_words_would(tmp_path: Path) -> None:
    made = small_data.study()
    people = small_data.everybody(made)
    out = tmp_path / "out"
    small_data.export(made, out)
    rows = {row["message"]: row for row in small_data.table(out, "messages")}
    message = Message.objects.get(
        conversation__visit__session=people["ben"], conversation__kind="main", position=1
    )
    row = rows[str(message.pk)]
    assert row["sha256"] == sha256(message.text)
    assert (int(row["characters"]), int(row["words"])) == (len(message.text), len(message.text.split()))
    guess = next(
        each
        for each in small_data.table(out, "responses")
        if each["item"] == "guess" and each["session"] == str(people["ben"].pk)
    )
    assert guess["text_characters"] == str(len(small_data.GUESS))


@pytest.mark.django_db(transaction=True)
def test_with_text_only_who_opted_in_is_quoted(tmp_path: Path) -> None:
    made = small_data.study()
    people = small_data.everybody(made)
    out = tmp_path / "out"
    small_data.export(made, out, with_text=True)
    for needle in (*PRIVATE, *IDS):
        assert holding(out, needle) == [], needle
    for needle in SHARED:
        assert holding(out, needle), needle
    for name in ("messages", "responses", "codes"):
        column = "evidence" if name == "codes" else "text"
        quoted = {row["session"] for row in small_data.table(out, name) if row[column]}
        assert quoted == {str(people["ada"].pk)}, name
    wide = {row["session"]: row["about_guess"] for row in small_data.table(out, "wide")}
    assert wide[str(people["ada"].pk)] == small_data.SHARED_GUESS
    assert wide[str(people["ben"].pk)] == ""


@pytest.mark.django_db(transaction=True)
def test_identified_adds_the_recruitment_ids_and_the_readme_warns(tmp_path: Path) -> None:
    made = small_data.study()
    people = small_data.everybody(made)
    out = tmp_path / "out"
    small_data.export(made, out, identified=True)
    ids = {row["session"]: row["recruitment_id"] for row in small_data.table(out, "sessions")}
    assert ids[str(people["ada"].pk)] == cast.ADA
    assert ids[str(people["cyd"].pk)] == ""
    assert holding(out, cast.ADA) == [str(small_data.path_of(out, "sessions").relative_to(out))]
    assert "IDENTIFIES PEOPLE" in (out / "README.md").read_text(encoding="utf-8")


@pytest.mark.django_db(transaction=True)
def test_who_asked_for_erasure_is_left_out_at_once(tmp_path: Path) -> None:
    made = small_data.study()
    people = small_data.everybody(made)
    withdrawal.withdraw(session=people["ada"], keep=False)
    out = tmp_path / "out"
    small_data.export(made, out, with_text=True, identified=True)
    traces = [str(people["ada"].pk), people["ada"].participant.code, cast.ADA, *SHARED]
    traces += [
        str(pk)
        for pk in people["ada"].visits.exclude(conversation=None).values_list("conversation_id", flat=True)
    ]
    for needle in traces:
        assert holding(out, needle) == [], needle
    assert len(small_data.table(out, "sessions")) == 4
