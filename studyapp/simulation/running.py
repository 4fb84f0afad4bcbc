"""Drive simulated participants through the services that the browser's pages call."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from django.db import transaction

from studyapp.chat import turns
from studyapp.participation import entry, events, passage, progress, withdrawal
from studyapp.participation.models import Kind, Session, Visit
from studyapp.seeds import derive
from studyapp.simulation.fitting import misfits
from studyapp.simulation.people import LINES, Person
from studyapp.studies import versions
from studyapp.studies.models import Study, StudyVersion
from studyapp.verdicts.coders import stance_rules

if TYPE_CHECKING:
    from analysis.truth import Truth


class NotSimulable(Exception):
    """The study cannot be simulated as asked; the message says why and what to do."""


def simulate(
    *, study: Study, participants: int, seed: int, truth: "Truth", progress_made: Callable[[], None]
) -> list[Session]:
    """Run ``participants`` simulated people through a study's current draft, one after another.

    The same study, seed and truth give the same answers, draws and conversations, as long as nobody
    was simulated in the study before: allocation goes on where its log ends. Every session is of kind
    *simulated* and carries an event with the truth's label and hash.

    Raises
    ------
    NotSimulable: the truth does not fit the study, or a step takes no simulated answer.
    """
    version = versions.freeze(study=study, kind=StudyVersion.Kind.REHEARSAL)
    if found := next(misfits(truth, version.document), None):
        raise NotSimulable(f"truth '{truth.label}' does not fit study '{study.slug}': {found}")
    sessions = []
    for number in range(participants):
        sessions.append(_run(study, derive(seed, "participant", number), seed, truth))
        progress_made()
    return sessions


def _run(study: Study, person_seed: int, seed: int, truth: "Truth") -> Session:
    with transaction.atomic():
        session = entry.enter(study=study, kind=Kind.SIMULATED, source="simulated", seed=person_seed)
        events.record(
            session=session,
            kind="simulated",
            detail={"label": truth.label, "seed": seed, "sha256": truth.sha256},
        )
    person = Person(truth=truth, seed=person_seed)
    stops_at = _where_they_stop(person, session)
    while True:
        visit = progress.current(session, truth=truth.agent)
        if session.condition is not None and not person.levels:
            person.levels = session.condition.factors
        if visit.position == stops_at:
            stops_at = None
            withdrawal.withdraw(session=session, keep=True)
            continue
        if visit.step_kind == "code":
            return session
        _pass(person, session, visit)


def _where_they_stop(person: Person, session: Session) -> int | None:
    """The position at which this person withdraws, after allocation; None for those who go on to the end."""
    if not person.happens("withdraws"):
        return None
    steps = passage.steps(session)
    kinds = [step["kind"] for step in steps]
    if "allocation" not in kinds:
        return None
    choices = [
        index
        for index in range(kinds.index("allocation") + 1, len(steps))
        if kinds[index] not in {"debrief", "code"} and not steps[index].get("unless")
    ]
    return person.draw("withdraws", "where").choice(choices)


def _pass(person: Person, session: Session, visit: Visit) -> None:
    """Do what the step asks and hand the page in, twice where answers were left out on purpose."""
    data = _ACTIONS[visit.step_kind](person, session, visit)
    for _ in range(2):
        result = progress.submit(session=session, position=visit.position, data=data)
        if result.kind == "moved":
            return
    raise NotSimulable(
        f"step '{visit.step_key}' of study '{session.study.slug}' did not take a simulated answer: "
        f"{result.kind} {result.message or ', '.join(result.missing)}"
    )


def _consent(person: Person, session: Session, visit: Visit) -> dict[str, str]:
    if person.happens("declines"):
        return {"decline": "yes"}
    statements = session.version.document["consent"]["statements"]
    share = "yes" if person.happens("shares_words") else "no"
    return {f"statement-{index}": "yes" for index in range(len(statements))} | {"share_words": share}


def _scale(person: Person, session: Session, visit: Visit) -> dict[str, str]:
    document = session.version.document
    step = document["steps"][visit.position]
    often = [each["scale"] for each in document["steps"] if each["kind"] == "scale"]
    asking = visit.step_key if often.count(step["scale"]) > 1 else step["scale"]
    assert visit.administration is not None
    return person.answers(
        asking=asking, scale=document["scales"][step["scale"]], rendered=visit.administration.rendered
    )


def _ratings(person: Person, session: Session, visit: Visit) -> dict[str, str]:
    document = session.version.document
    truths = {claim["key"]: claim["truth"] for claim in document["cards"]["claims"]}
    when = "right" if visit.step_kind == "right" else document["steps"][visit.position]["when"]
    assert visit.administration is not None
    return person.ratings(when=when, rendered=visit.administration.rendered, truths=truths)


def _conversation(person: Person, session: Session, visit: Visit) -> dict[str, str]:
    conversation = visit.conversation
    assert conversation is not None
    brief = conversation.brief
    chance = person.draw("conversation")
    most = min(brief["max_turns"], brief["min_turns"] + 2)
    order = chance.sample(LINES, len(LINES))
    for number in range(chance.randint(brief["min_turns"], most)):
        line = order[number % len(order)]
        turns.say(conversation=conversation, client_key=f"simulated-{number}", text=line)
    return {}


def _cards(person: Person, session: Session, visit: Visit) -> dict[str, str]:
    conversation = visit.conversation
    assert conversation is not None
    for task in conversation.tasks.all():
        reply = turns.say(conversation=conversation, client_key=f"card-{task.key}", task_key=task.key)
        coded = stance_rules.code(
            reply.text, claim=task.context["claim"]["text"], stated=task.context["stated"], put=task.text
        )
        person.told[task.key] = coded.value
    return {}


def _debrief(person: Person, session: Session, visit: Visit) -> dict[str, str]:
    return {"keep": "yes"}


_ACTIONS: Mapping[str, Callable[[Person, Session, Visit], dict[str, Any]]] = {
    "consent": _consent,
    "scale": _scale,
    "ratings": _ratings,
    "right": _ratings,
    "conversation": _conversation,
    "cards": _cards,
    "debrief": _debrief,
}
