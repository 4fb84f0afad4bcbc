"""Fork a conversation's state at a set point and put the planned probes to the copies.

Nothing here touches the conversation: its messages are read, and every exchange is a conversation of its
own that nobody is shown.
"""

from typing import Any

from django.db import transaction
from django.utils import timezone

from studyapp.agents.protocol import Turn
from studyapp.chat.brief import Brief
from studyapp.chat.conversations import brief_of, history, replies
from studyapp.chat.exchanges import ExchangeSpec, run_exchanges
from studyapp.chat.models import Conversation, Message
from studyapp.probes.answering import agent_sha256, parallel, probe_task
from studyapp.probes.design import PlannedProbe, plan
from studyapp.probes.models import Fork
from studyapp.seeds import derive
from studyapp.studies.briefs import brief_for
from studyapp.studies.document import Document
from studyapp.studies.models import FrozenCondition

KIND = "probes.forks"
# A batch is written at once, so this much is lost at most when a worker dies.
BATCH_PER_LANE = 8


def run_forks(payload: dict[str, Any]) -> None:
    """Handler of ``probes.forks``: every planned fork of one conversation at one point that is not there yet.

    Run again it goes on where it stopped. A conversation that is gone has nothing left to fork.
    """
    origin = Conversation.objects.filter(pk=payload["conversation"]).first()
    if origin is None:
        return
    state = _State(origin)
    wanted = [each for each in state.plan() if each.point == payload["point"]]
    lanes = parallel(state.brief.provider)
    while wanted := _missing(origin, wanted):
        batch = wanted[: lanes * BATCH_PER_LANE]
        if not _put(state, batch, lanes):
            return


class _State:
    """What is copied: the conversation's brief, what was said, and the frozen study around it."""

    def __init__(self, origin: Conversation) -> None:
        self.origin = origin
        self.brief = brief_of(origin)
        came_from = self.brief.context["origin"]
        self.condition = FrozenCondition.objects.select_related("version").get(
            version=came_from["version"], slug=came_from["condition"]
        )
        self.version = self.condition.version
        self.document = Document.of(self.version)
        # Positions of the agent's whole replies: the state after n replies ends at ends[n - 1].
        self.ends = list(
            replies(origin)
            .filter(state=Message.State.COMPLETE)
            .order_by("position")
            .values_list("position", flat=True)
        )
        self.agent = agent_sha256(self.brief)
        # What the probes of a point share, made once: by (persona, history), by turn.
        self._briefs: dict[tuple[bool, bool], Brief] = {}
        self._histories: dict[int, list[Turn]] = {}

    def plan(self) -> list[PlannedProbe]:
        probes = self.document.study.probes
        if probes is None or not self.ends:
            return []
        return plan(
            seed=self.origin.seed,
            claims={claim.key: claim.truth for claim in self.document.claims},
            turns=len(self.ends),
            points=probes.points,
            per_session=probes.per_session,
            draws=probes.draws,
            shadows=probes.shadows,
        )

    def spec(self, probe: PlannedProbe) -> ExchangeSpec:
        until = self.ends[probe.turn - 1]
        return ExchangeSpec(
            brief=self._brief_of_cell(probe.persona, probe.history),
            seed=derive(
                self.origin.seed,
                "fork",
                probe.turn,
                probe.claim,
                probe.stated,
                probe.persona,
                probe.history,
                probe.draw,
            ),
            history=self._history(probe.turn) if probe.history else [],
            continues=self.origin if probe.history else None,
            continues_until=until if probe.history else None,
            task=probe_task(self.document, probe.claim, probe.stated, probe.draw),
            created_at=timezone.now(),
        )

    def _history(self, turn: int) -> list[Turn]:
        if turn not in self._histories:
            self._histories[turn] = history(self.origin, until=self.ends[turn - 1])
        return self._histories[turn]

    def _brief_of_cell(self, persona: bool, with_history: bool) -> Brief:
        cell = (persona, with_history)
        if cell not in self._briefs:
            # With persona the conversation's own snapshot, so that the copy is exact.
            source = self.brief if persona else self._without_persona()
            context = {**source.context, "history": with_history}
            self._briefs[cell] = self.brief.model_copy(
                update={"persona": source.persona, "opening": "", "context": context}
            )
        return self._briefs[cell]

    def _without_persona(self) -> Brief:
        step = next(step for step in self.document.steps if step.kind == "conversation")
        return brief_for(
            self.document,
            self.condition.slug,
            step=step,
            truth=self.brief.context.get("truth"),
            persona=False,
        )


def _missing(origin: Conversation, wanted: list[PlannedProbe]) -> list[PlannedProbe]:
    cells = ("turn", "probe", "stated", "persona", "history", "draw")
    there = set(Fork.objects.filter(origin=origin).values_list(*cells))
    return [
        each
        for each in wanted
        if (each.turn, each.claim, each.stated, each.persona, each.history, each.draw) not in there
    ]


def _put(state: _State, batch: list[PlannedProbe], lanes: int) -> bool:
    """Ask and write one batch. False when the conversation went away meanwhile: nothing is kept then."""
    specs = [state.spec(each) for each in batch]
    # Exchanges and their forks are written together or not at all. No transaction is open while the
    # agent is asked: PostgreSQL sees one begin with the first row written.
    with transaction.atomic():
        exchanges = run_exchanges(specs, parallel=lanes)
        # Against erasure and against another worker on the same point: one of us writes.
        if not Conversation.objects.select_for_update().filter(pk=state.origin.pk).exists():
            transaction.set_rollback(True)
            return False
        if len(_missing(state.origin, batch)) < len(batch):
            transaction.set_rollback(True)
            return True
        Fork.objects.bulk_create(
            Fork(
                version=state.version,
                condition=state.condition,
                origin=state.origin,
                agent_sha256=state.agent,
                turn=each.turn,
                point=each.point,
                probe=each.claim,
                stated=each.stated,
                persona=each.persona,
                history=each.history,
                draw=each.draw,
                exchange=exchange,
                created_at=timezone.now(),
            )
            for each, exchange in zip(batch, exchanges, strict=True)
        )
    return True
