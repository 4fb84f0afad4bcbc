import pytest
from cryptography.fernet import Fernet

from studyapp.participation import recruitment_id, sources


def test_case_and_blanks_make_no_second_person() -> None:
    hashes = {
        recruitment_id.hashed(study_slug="cast", recruitment_id=given)
        for given in ("5f1a0c9d", " 5F1A0C9D\t", "5f1A0c9D ")
    }
    assert len(hashes) == 1


def test_one_person_in_two_studies_has_two_hashes() -> None:
    one, two = (recruitment_id.hashed(study_slug=slug, recruitment_id="5f1a") for slug in ("one", "two"))
    assert one != two


def test_another_hash_key_gives_another_hash(settings) -> None:
    before = recruitment_id.hashed(study_slug="cast", recruitment_id="5f1a")
    settings.HASH_KEY = "another"
    assert recruitment_id.hashed(study_slug="cast", recruitment_id="5f1a") != before


def test_what_is_encrypted_is_read_back_and_not_readable_as_stored() -> None:
    stored = recruitment_id.encrypt("5F1A0c9d")
    assert "5F1A0c9d" not in stored
    assert recruitment_id.decrypt(stored) == "5F1A0c9d"


def test_a_new_key_in_front_still_reads_what_the_old_one_wrote(settings) -> None:
    stored = recruitment_id.encrypt("5f1a")
    settings.FIELD_KEYS = [Fernet.generate_key().decode(), *settings.FIELD_KEYS]
    assert recruitment_id.decrypt(stored) == "5f1a"


def test_a_wrong_key_says_what_to_add(settings) -> None:
    stored = recruitment_id.encrypt("5f1a")
    settings.FIELD_KEYS = [Fernet.generate_key().decode()]
    with pytest.raises(recruitment_id.FieldKeyProblem, match="Add the key it was written with"):
        recruitment_id.decrypt(stored)


@pytest.mark.parametrize("key", ["short", "not base64 at all!", ""])
def test_a_malformed_key_is_named_by_its_place(settings, key: str) -> None:
    settings.FIELD_KEYS = [*settings.FIELD_KEYS, key]
    with pytest.raises(recruitment_id.FieldKeyProblem, match="Key 2"):
        recruitment_id.encrypt("5f1a")


def test_a_prolific_link_names_the_person_and_all_else_is_dropped() -> None:
    read = sources.read({"PROLIFIC_PID": " 5f1a ", "STUDY_ID": "x", "SESSION_ID": "y", "utm": "z"})
    assert read == sources.Arrival(source="prolific", recruitment_id="5f1a")


def test_a_plain_link_names_nobody() -> None:
    assert sources.read({"id": "somebody"}) == sources.Arrival(source="plain", recruitment_id=None)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("{{%PROLIFIC_PID%}}", "placeholder"),
        ("%PROLIFIC_PID%", "placeholder"),
        ("${PROLIFIC_PID}", "placeholder"),
        ("[PROLIFIC_PID]", "placeholder"),
        ("<pid>", "placeholder"),
        ("prolific_pid", "placeholder"),
        ("", "empty"),
        ("   ", "empty"),
        ("x" * 101, "malformed"),
        ("5f\x001a", "malformed"),
    ],
)
def test_an_id_that_cannot_be_a_persons_is_refused(given: str, code: str) -> None:
    with pytest.raises(sources.SourceRefused) as refused:
        sources.read({"PROLIFIC_PID": given})
    assert refused.value.code == code
