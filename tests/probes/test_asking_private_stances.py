"""What an agent holds in private is asked bare, once for all conversations with it."""

import pytest

from studyapp.chat.conversations import history
from studyapp.chat.models import Attempt
from studyapp.probes import private
from studyapp.probes.models import Fork
from studyapp.work.models import Work
from tests import cast
from tests.probes.conftest import PRIVATE_REPLIES, PROBES, run_probes

pytestmark = pytest.mark.django_db


def test_every_claim_is_asked_bare_as_often_as_the_study_says(talked):
    talked()
    run_probes()
    forks = Fork.objects.filter(battery="private")
    assert forks.count() == PRIVATE_REPLIES
    assert set(forks.values_list("persona", "history", "stated", "turn")) == {(False, False, "none", 0)}
    assert set(forks.values_list("draw", flat=True)) == {1, 2, 3}
    for fork in forks.select_related("exchange"):
        assert fork.origin is None and fork.condition is None
        assert len(history(fork.exchange)) == 2
        assert Attempt.objects.get(message__conversation=fork.exchange).system_prompt == ""


def test_more_conversations_with_the_same_agent_ask_nothing_more(talked):
    talked()
    run_probes()
    talked(seed=5)
    talked(seed=6)
    run_probes()
    assert Fork.objects.filter(battery="private").count() == PRIVATE_REPLIES


def test_told_and_private_replies_of_one_agent_share_its_hash(talked):
    talked()
    run_probes()
    assert Fork.objects.values("agent_sha256").distinct().count() == 1


def test_conditions_that_differ_in_model_have_private_stances_of_their_own(settings):
    conditions = [
        {"slug": "plain", "label": "Plain", "factors": {"warmth": "plain"}, "warmth": 0},
        {
            "slug": "warm",
            "label": "Warm",
            "factors": {"warmth": "warm"},
            "warmth": 1,
            "parameters": {"temperature": 0},
        },
    ]
    study = cast.study(probes=PROBES, conditions=conditions)
    for seed in range(2, 6):
        cast.walk(cast.arrives(study, seed=seed), to="lonely_after")
    assert Work.objects.filter(kind="probes.private").count() == 2
    run_probes()
    private_forks = Fork.objects.filter(battery="private")
    assert private_forks.count() == 2 * PRIVATE_REPLIES
    hashes = {
        slug: set(Fork.objects.filter(condition__slug=slug).values_list("agent_sha256", flat=True))
        for slug in ("plain", "warm")
    }
    assert hashes["plain"] != hashes["warm"]
    asked = {
        fork.agent_sha256: fork.exchange.brief["parameters"]
        for fork in private_forks.select_related("exchange")
    }
    assert asked[hashes["warm"].pop()] == {"temperature": 0}


def test_running_again_adds_nothing(talked):
    talked()
    run_probes()
    row = Work.objects.get(kind="probes.private")
    private.run_private(row.payload)
    assert Fork.objects.filter(battery="private").count() == PRIVATE_REPLIES


def test_a_version_that_is_gone_owes_nothing(db):
    private.run_private({"version": 987654321, "condition": "plain"})
    assert not Fork.objects.exists()


def test_the_work_about_an_agent_names_no_conversation(talked):
    conversation = talked()
    row = Work.objects.get(kind="probes.private")
    assert row.subject == ""
    assert str(conversation.pk) not in str(row.payload)
