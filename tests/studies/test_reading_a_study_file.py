from studyapp.studies import study_file
from tests.studies.small_study import CHAT, WITHOUT_CHAT


def read(text: str) -> study_file.StudyFile:
    return study_file.parse_text(text, name="small.yaml")


def test_no_is_a_word_and_norway_a_country() -> None:
    study = read(CHAT)
    assert study.claims[0].verified == "no"
    assert study.countries == ["GB", "NO"]


def test_zero_is_kept_as_zero() -> None:
    study = read(CHAT.replace("opening: Hello, I am an AI.", "parameters: {temperature: 0}"))
    assert study.agent is not None
    assert study.agent.parameters == {"temperature": 0}
    assert study.conditions[0].warmth == 0.0


def test_a_study_needs_no_chat() -> None:
    study = read(WITHOUT_CHAT)
    assert not study.has_chat
    assert study.agent is None and study.cards is None and study.probes is None


def test_scales_are_listed_once_in_the_order_they_are_asked() -> None:
    assert read(CHAT).scale_keys() == ["affect", "ratings", "session_support", "right"]


def test_a_date_in_verified_stays_text() -> None:
    study = read(CHAT.replace("verified: no}", 'verified: "A. Reader, 2026-03-01"}', 1))
    assert study.claims[0].verified == "A. Reader, 2026-03-01"
