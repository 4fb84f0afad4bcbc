"""Replies to probes are coded in bulk, as the demo agent meant them."""

import pytest

from studyapp.agents.demo_truth import default_truth, stance_probabilities
from studyapp.probes.models import Fork
from studyapp.verdicts.models import Verdict
from studyapp.work.models import Work
from tests.probes.conftest import FORKS_OF_A_SESSION, PRIVATE_REPLIES, run_codes, run_probes

pytestmark = pytest.mark.django_db


def test_every_reply_to_a_probe_gets_a_verdict_from_few_rows_of_work(talked):
    talked()
    run_probes()
    rows = Work.objects.filter(kind="verdicts.code").count()
    assert rows <= 4
    run_codes()
    assert Verdict.objects.count() == FORKS_OF_A_SESSION + PRIVATE_REPLIES
    coded = Verdict.objects.filter(message__conversation__fork__isnull=False)
    assert coded.count() == Verdict.objects.count()


def test_verdicts_of_private_replies_lie_on_the_side_the_agent_holds(talked):
    talked()
    run_probes()
    run_codes()
    truth = default_truth()
    agreeing = total = 0
    for fork in Fork.objects.filter(battery="private").select_related("exchange"):
        claim = fork.exchange.tasks.get().context["claim"]
        shares = stance_probabilities(
            truth,
            claim["key"],
            dose=0,
            stated="none",
            persona=False,
            history=False,
            claim_truth=claim["truth"],
        )
        likely = max(shares, key=lambda name: shares[name])
        verdict = Verdict.objects.get(message__conversation=fork.exchange)
        total += 1
        agreeing += verdict.value == likely
    assert total == PRIVATE_REPLIES
    # A bare draw is on the private side with probability .97 times that a stance is told, about .91.
    assert agreeing >= 0.7 * total
