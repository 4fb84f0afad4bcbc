"""Fork probes put to a real (small, foolish) language model over HTTP."""

import pytest

from studyapp.chat.models import Attempt, Message
from studyapp.probes.models import Fork
from studyapp.verdicts.coders.stance_rules import VALUES
from studyapp.verdicts.models import Code
from tests import cast
from tests.probes.conftest import run_codes, run_probes

pytestmark = pytest.mark.django_db


def test_its_forks_are_asked_recorded_and_coded(small_model, settings, talked):
    settings.PROVIDERS = {"small": {"kind": "openai", "base_url": small_model, "parallel": 2}}
    study = cast.study(
        agent={
            "name": "Robin",
            "provider": "small",
            "model": "small",
            "parameters": {"max_tokens": 20, "temperature": 0.7, "seed": 3},
            "opening": "Hello. What is on your mind?",
        },
        probes={
            "points": ["first", "last"],
            "per_session": 2,
            "draws": 1,
            "shadows": True,
            "private_draws": 1,
        },
    )
    conversation = talked(times=2, of=study)
    run_probes()
    forks = Fork.objects.filter(origin=conversation)
    assert forks.count() == 2 * 4
    assert Fork.objects.filter(battery="private").count() == 8
    replies = Message.objects.filter(conversation__kind="fork", role="agent")
    assert set(replies.values_list("state", flat=True)) == {"complete"}
    answered = Attempt.objects.filter(message__in=replies, failure="")
    assert answered.count() == 16
    for attempt in answered:
        assert attempt.model_answered and attempt.input_tokens and attempt.output_tokens
        assert bool(attempt.system_prompt) is attempt.message.conversation.fork.persona
    run_codes()
    codes = Code.objects.filter(message__in=replies).select_related("message")
    assert codes.count() == 16
    for code in codes:
        assert code.value in VALUES
        if code.evidence_start is not None:
            assert code.message.text[code.evidence_start :].startswith(code.evidence)
