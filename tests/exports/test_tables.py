"""What stands in the tables: headers as documented, rows as in the database, numbers as by hand."""

import csv
import json
import re
from pathlib import Path

import pytest

from studyapp.chat.models import Message
from studyapp.participation.models import Event, Session
from studyapp.probes.models import Fork
from studyapp.studies import drafts, study_file
from studyapp.verdicts.models import Code, Verdict
from surveys.models import Response
from tests import cast
from tests.exports import small_data

DOCS = Path(__file__).resolve().parents[2] / "docs" / "data-set.md"
LEADING = ["session", "condition", "warmth", "study_version", "kind"]


def documented() -> dict[str, list[str]]:
    """Columns by table as docs/data-set.md lists them; words in brackets are notes."""
    found: dict[str, list[str]] = {}
    for names, columns in re.findall(r"^\| ([a-z, ]+) \| (.+) \|$", DOCS.read_text(encoding="utf-8"), re.M):
        plain = re.sub(r"\([^)]*\)", "", columns)
        for name in names.split(", "):
            found[name] = [column.strip() for column in plain.split(",")]
    return found


@pytest.mark.django_db(transaction=True)
def test_headers_are_the_documented_ones_and_rows_are_those_of_the_database(tmp_path: Path) -> None:
    made = small_data.study()
    small_data.everybody(made)
    plain, text = tmp_path / "plain", tmp_path / "text"
    written = small_data.export(made, plain)
    small_data.export(made, text, with_text=True, identified=True)
    tables = documented()
    assert set(tables) == set(written.rows) | {"table"}
    for name in written.rows:
        if name != "wide":
            wanted = [*LEADING, *tables[name]]
            assert small_data.header(text, name) == wanted
            hidden = {"text", "evidence", "recruitment_id"}
            assert small_data.header(plain, name) == [each for each in wanted if each not in hidden]
        assert len(small_data.table(plain, name)) == written.rows[name]
    assert written.rows == {
        "sessions": Session.objects.count(),
        "wide": Session.objects.count(),
        "responses": Response.objects.count(),
        "messages": Message.objects.exclude(conversation__kind="fork").count(),
        # Dealt on arrival, to those who declined too.
        "cards": 5 * 6,
        "codes": Code.objects.count(),
        "verdicts": Verdict.objects.count(),
        "probes": Fork.objects.count(),
        "events": Event.objects.count(),
    }
    assert written.rows["sessions"] == 5
    assert min(written.rows.values()) > 0


@pytest.mark.django_db(transaction=True)
def test_every_column_stands_in_the_codebook_and_in_the_description(tmp_path: Path) -> None:
    made = small_data.study()
    small_data.everybody(made)
    out = tmp_path / "out"
    written = small_data.export(made, out, with_text=True, identified=True)
    with (out / "codebook.csv").open(encoding="utf-8", newline="") as file:
        codebook = list(csv.DictReader(file))
    measured = json.loads((out / "dataset_description.json").read_text())["variableMeasured"]
    names = {variable["name"] for variable in measured}
    for table in written.rows:
        header = small_data.header(out, table)
        assert [row["column"] for row in codebook if row["table"] == table] == header
        assert set(header) <= names
        assert len(set(header)) == len(header)
    assert {row["column"] for row in codebook if row["identifying"] == "true"} == {"recruitment_id"}
    assert {row["construct"] for row in codebook if row["scale"] == "session_support"} == {"felt"}
    heard = next(row for row in codebook if (row["scale"], row["score"]) == ("fhs7", "heard"))
    assert (heard["minimum"], heard["maximum"], heard["type"]) == ("1", "7", "number")
    assert re.fullmatch(
        r"data/study-cast_description-[a-z]+_data\.csv",
        str(small_data.path_of(out, "sessions").relative_to(out)),
    )


@pytest.mark.django_db(transaction=True)
def test_the_wide_row_of_one_participant_is_as_worked_out_by_hand(tmp_path: Path) -> None:
    made = small_data.study()
    session = cast.arrives(made)
    small_data.goes_through(
        session,
        answers={
            # Feeling heard, 1 to 7: reversed items turn, the one left out is missing.
            "i-voice": "6",
            "i-self_concern": "2",
            "i-listened": "5",
            "i-empathy": "4",
            "i-insensitive": "3",
            "i-respect": "7",
            "i-understood": "",
            # Of four items on sincerity one does not fit.
            "i-sincere_1": "does_not_fit",
            "i-sincere_2": "0",
            "i-sincere_3": "5",
        },
    )
    small_data.run_due(kinds=small_data.WORK)
    out = tmp_path / "out"
    small_data.export(made, out)
    (row,) = small_data.table(out, "wide")
    assert row["status"] == "complete"
    assert (row["fhs7_self_concern"], row["fhs7_self_concern_r"]) == ("2", "6")
    assert (row["fhs7_insensitive"], row["fhs7_insensitive_r"]) == ("3", "5")
    assert row["fhs7_understood"] == ""
    # (6 + 6 + 5 + 4 + 5 + 7) / 6 and (6 + 6 + 5 + 7) / 4
    assert float(row["fhs7_heard"]) == 5.5
    assert float(row["fhs7_attention"]) == 6.0
    assert row["mdmt_sincere_capable_sincere_1"] == ""
    assert row["mdmt_sincere_capable_sincere_2"] == "0"
    # The fourth was answered with the largest, 7.
    assert float(row["mdmt_sincere_capable_sincere"]) == (0 + 5 + 7) / 3
    assert (row["lonely_before_lonely"], row["lonely_after_lonely"]) == ("100", "100")

    cards = {card["card"]: card for card in small_data.table(out, "cards")}
    hand = session.draws.get(name="cards").result
    assert set(cards) == set(hand["rated"])
    for key, card in cards.items():
        discussed = key in {each["key"] for each in hand["discussed"]}
        assert card["role"] == ("discussed" if discussed else "rated_only")
        assert (card["belief_before"], card["belief_after"]) == ("100", "100")
        assert card["right_rating"] == ("100" if discussed else "")
        assert row[f"before_{key}"] == "100"
        assert row[f"verdict_{key}"] == card["outcome"]
        assert (card["outcome"] != "") is discussed
    unrated = [
        claim["key"] for claim in session.version.document["cards"]["claims"] if claim["key"] not in cards
    ]
    assert unrated
    assert all(
        row[f"{when}_{key}"] == "" for key in unrated for when in ("before", "after", "right", "verdict")
    )

    answers = {(each["scale"], each["item"]): each for each in small_data.table(out, "responses")}
    turned = answers["fhs7", "self_concern"]
    assert (turned["value"], turned["scored"], turned["state"]) == ("2", "6", "answered")
    assert answers["fhs7", "understood"]["state"] == "missing"
    unfit = answers["mdmt_sincere_capable", "sincere_1"]
    assert (unfit["state"], unfit["value"], unfit["scored"]) == ("does_not_fit", "", "")


@pytest.mark.django_db(transaction=True)
def test_cards_not_reached_say_so_and_a_missing_verdict_is_no_value(tmp_path: Path) -> None:
    made = small_data.study()
    session = cast.arrives(made)
    small_data.goes_through(session, to="live_cards")
    out = tmp_path / "out"
    small_data.export(made, out)
    rows = small_data.table(out, "cards")
    assert {row["opportunity"] for row in rows if row["role"] == "discussed"} == {"not_asked"}
    assert {row["opportunity"] for row in rows if row["role"] == "rated_only"} == {""}
    assert {row["outcome"] for row in rows} == {""}
    assert {row["raised_in_turn"] for row in rows} == {""}
    (wide,) = small_data.table(out, "wide")
    assert {value for name, value in wide.items() if name.startswith("verdict_")} == {""}


@pytest.mark.django_db(transaction=True)
def test_old_answers_keep_the_version_they_were_given_to(tmp_path: Path) -> None:
    made = small_data.study()
    old = small_data.goes_through(cast.arrives(made))
    document = study_file.read(cast.STUDY_FILE).model_dump(mode="json", by_alias=True)
    claims = [claim for claim in document["cards"]["claims"] if claim["key"] != "honey"]
    claims.append({**claims[0], "key": "salt", "claim": "salt dissolves in water"})
    for claim in claims:
        if claim["key"] in {"moon", "bulls"}:
            claim["truth"] = not claim["truth"]
    document["cards"]["claims"] = claims
    # The scale in words is no longer asked, nor the others: their columns and answers stay.
    drafts.load(file=study_file.parse(document, name="changed"))
    made.refresh_from_db()
    new = small_data.goes_through(cast.arrives(made, seed=3))
    assert new.version_id != old.version_id
    out = tmp_path / "out"
    small_data.export(made, out)
    cards = small_data.table(out, "cards")
    assert len(cards) == 12
    truths = {(card["study_version"], card["card"]): card["truth"] for card in cards}
    assert truths.get(("1", "moon"), "true") == "true"
    assert truths.get(("2", "moon"), "false") == "false"
    header = small_data.header(out, "wide")
    assert {"before_honey", "before_salt", "fhs7_heard", "mdmt_sincere_capable_sincere"} <= set(header)
    of_version = {row["study_version"]: row for row in small_data.table(out, "wide")}
    assert (of_version["1"]["fhs7_heard"], of_version["2"]["fhs7_heard"]) != ("", "")
    assert of_version["2"]["fhs7_heard"] == ""
    assert (out / "versions" / "1.yaml").is_file()


@pytest.mark.django_db(transaction=True)
def test_private_stances_of_agents_that_only_other_sessions_met_stay_out(tmp_path: Path) -> None:
    made = small_data.study()
    small_data.goes_through(cast.arrives(made))
    small_data.run_due(kinds=small_data.WORK)
    bare = Fork.objects.filter(origin=None)
    own = bare.count()
    assert own > 0
    stranger = bare.first()
    Fork.objects.filter(pk=stranger.pk).update(agent_sha256="f" * 64)
    out = tmp_path / "out"
    small_data.export(made, out)
    private = [row for row in small_data.table(out, "probes") if row["battery"] == "private"]
    assert len(private) == own - 1
    assert {row["session"] for row in private} == {""}
    judged = [row for row in small_data.table(out, "verdicts") if not row["session"]]
    assert len(judged) == own - 1
