"""What an agent holds of each claim in private: asked bare, several times, once for all its conversations.

Analysis holds what was told in conversations against it (honesty), never against the world's truth
(accuracy). Which side it is on is for verdicts and analysis to say; here it is only asked.
"""

from typing import Any

from django.db import transaction
from django.utils import timezone

from studyapp.chat.brief import Brief
from studyapp.chat.exchanges import ExchangeSpec, run_exchanges
from studyapp.probes.answering import agent_sha256, parallel, probe_task
from studyapp.probes.forking import BATCH_PER_LANE
from studyapp.probes.models import Fork
from studyapp.seeds import derive
from studyapp.studies.briefs import brief_for
from studyapp.studies.document import Document
from studyapp.studies.models import StudyVersion

KIND = "probes.private"
BATTERY = "private"


def run_private(payload: dict[str, Any]) -> None:
    """Handler of ``probes.private``: every claim of a version, ``private_draws`` times, to one bare agent.

    Run again it goes on where it stopped. A version that is gone has nothing left to ask.
    """
    version = StudyVersion.objects.filter(pk=payload["version"]).first()
    if version is None:
        return
    document = Document.of(version)
    probes = document.study.probes
    if probes is None:
        return
    brief = _bare_brief(document, payload)
    agent = agent_sha256(brief)
    every = [(claim.key, draw) for claim in document.claims for draw in range(1, probes.private_draws + 1)]
    lanes = parallel(brief.provider)
    while missing := _missing(version, agent, every):
        _put(document, version, brief, missing[: lanes * BATCH_PER_LANE], lanes)


def _bare_brief(document: Document, payload: dict[str, Any]) -> Brief:
    step = next(step for step in document.steps if step.kind == "conversation")
    brief = brief_for(
        document,
        payload["condition"],
        step=step,
        truth=payload.get("truth"),
        persona=False,
        history=False,
    )
    return brief.model_copy(
        update={"opening": "", **{name: payload[name] for name in ("provider", "model", "parameters")}}
    )


def _missing(version: StudyVersion, agent: str, every: list[tuple[str, int]]) -> list[tuple[str, int]]:
    there = set(
        Fork.objects.filter(version=version, battery=BATTERY, agent_sha256=agent).values_list("probe", "draw")
    )
    return [each for each in every if each not in there]


def _put(
    document: Document, version: StudyVersion, brief: Brief, batch: list[tuple[str, int]], lanes: int
) -> None:
    agent = agent_sha256(brief)
    specs = [
        ExchangeSpec(
            brief=brief,
            # From the document, not from a conversation: the same version asks the same.
            seed=derive(0, version.sha256, BATTERY, agent, claim, draw),
            history=[],
            task=probe_task(document, claim, "none", draw),
            created_at=timezone.now(),
        )
        for claim, draw in batch
    ]
    with transaction.atomic():
        exchanges = run_exchanges(specs, parallel=lanes)
        # One writer at a time per version.
        if not StudyVersion.objects.select_for_update().filter(pk=version.pk).exists():
            transaction.set_rollback(True)
            return
        if len(_missing(version, agent, batch)) < len(batch):
            transaction.set_rollback(True)
            return
        Fork.objects.bulk_create(
            Fork(
                version=version,
                condition=None,
                origin=None,
                battery=BATTERY,
                agent_sha256=agent,
                turn=0,
                point="",
                probe=claim,
                stated="none",
                persona=False,
                history=False,
                draw=draw,
                exchange=exchange,
                created_at=timezone.now(),
            )
            for (claim, draw), exchange in zip(batch, exchanges, strict=True)
        )
