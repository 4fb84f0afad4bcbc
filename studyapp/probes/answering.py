"""Who answers a probe: one hash for an agent, so that told and private stances of the same agent meet."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from studyapp.canonical import canonical_json, sha256
from studyapp.chat.brief import Brief, TaskSpec
from studyapp.studies.document import Document

# Exchanges under way at once where the provider's settings do not say (key "parallel").
PARALLEL = 4


def agent_sha256(brief: Brief) -> str:
    """SHA-256 of provider, model and parameters, and of a scripted agent's truth where one was handed to it.

    Nothing of the condition's persona is in it.
    """
    answering: dict[str, Any] = {
        "provider": brief.provider,
        "model": brief.model,
        "parameters": brief.parameters,
    }
    if "truth" in brief.context:
        answering["truth"] = brief.context["truth"]
    return sha256(canonical_json(answering))


def parallel(provider: str) -> int:
    """How many exchanges a provider is given at once."""
    config: Mapping[str, Any] = settings.PROVIDERS.get(provider, {})
    return max(1, int(config.get("parallel", PARALLEL)))


def probe_task(document: Document, claim: str, stated: str, draw: int) -> TaskSpec:
    """A claim probe: the words put to the agent, and what scripted agents and coders need to know of it."""
    card = document.card(claim)
    return TaskSpec(
        key=card.key,
        text=document.ask(claim, stated),
        context={
            "claim": {"key": card.key, "text": card.claim, "truth": card.truth},
            "stated": stated,
            "draw": draw,
        },
    )
