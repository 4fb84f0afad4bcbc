"""The studies that come with Plainheart."""

from pathlib import Path

import pytest

from studyapp.studies import study_file

SHIPPED = sorted((Path(__file__).resolve().parents[2] / "studies").glob("*.yaml"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_shipped_study_can_be_read(path: Path) -> None:
    assert study_file.read(path).slug == path.stem


def demo() -> study_file.StudyFile:
    return study_file.read(next(path for path in SHIPPED if path.stem == "warm-and-plain"))


def test_the_demo_study_walks_through_its_steps_in_the_planned_order() -> None:
    order = [getattr(step, "scale", None) or step.kind for step in demo().steps]
    assert order == [
        *("consent", "demographics", "affect", "loneliness_state", "ratings", "allocation", "conversation"),
        *("affect", "loneliness_state", "session_support", "fhs7", "cards", "ratings"),
        *("presence", "pmq", "mdmt_sincere_capable", "right", "warmth_check"),
        *("about", "wrong", "seriousness", "debrief", "code"),
    ]


def test_half_of_the_demo_claims_are_true_in_every_domain_together() -> None:
    claims = demo().claims
    assert len(claims) == 24
    assert sum(claim.truth for claim in claims) == 12
    assert len({claim.domain for claim in claims}) >= 5


def test_demo_claims_fit_into_a_sentence_and_claim_no_review() -> None:
    for claim in demo().claims:
        assert claim.claim[0].islower(), claim.key
        assert claim.explanation.endswith("."), claim.key
        assert claim.verified == "no", claim.key
