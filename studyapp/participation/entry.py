"""Coming in: one person, one participant, one session, however often and from wherever they come."""

import secrets

from django.db import IntegrityError, transaction
from django.utils import timezone

from studyapp.build import APP_VERSION, app_commit
from studyapp.participation import draws, events
from studyapp.participation import recruitment_id as ids
from studyapp.participation.models import Kind, Participant, Session, Tombstone
from studyapp.seeds import fresh_seed
from studyapp.studies import versions
from studyapp.studies.models import Study, StudyVersion

# No vowels, nothing that reads as another: a code spells no word and can be read out.
CODE_LETTERS = "23456789BCDFGHJKMNPQRSTVWXZ"
CODE_LENGTH = 8

# A new code collides once in a hundred million; racing entries of one person resolve at the second look.
TRIES = 5

KIND_OF_STATUS = {Study.Status.PILOTING: Kind.PILOT, Study.Status.LIVE: Kind.LIVE}


class EntryRefused(Exception):
    """Nobody comes in this way. ``code``: not_open, paused, closed, erased or unknown_condition."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def enter(
    *,
    study: Study,
    kind: str | None = None,
    source: str,
    recruitment_id: str | None = None,
    condition: str | None = None,
    seed: int | None = None,
) -> Session:
    """The session of whoever comes: theirs where they came before, else a new one.

    Parameters
    ----------
    kind: "preview" or "simulated" (open at any time); None, "live" and "pilot" go by the study's status.
    source: where they come from, see sources.py.
    recruitment_id: their id there; None where nobody recruited them, then each call is somebody new.
    condition: slug of the condition a preview shows; its allocation is logged as rule "preview".
    seed: the session's seed (simulation); None draws a fresh one.

    Raises
    ------
    EntryRefused: with a message for the person.
    """
    identity = _hash(study, recruitment_id)
    known = _find(study, identity)
    if known is not None:
        return known
    if identity is not None and Tombstone.objects.filter(study=study, recruitment_hash=identity).exists():
        raise EntryRefused(
            "erased",
            "You took part in this study before and asked for your data to be erased. That has been done, "
            "and the study cannot be taken a second time.",
        )
    kind = _kind(study, kind)
    version = _version(study, kind)
    if condition is not None and not version.conditions.filter(slug=condition).exists():
        raise EntryRefused("unknown_condition", f"This study has no condition '{condition}'.")
    for last in [False] * (TRIES - 1) + [True]:
        try:
            return _make(
                study=study,
                version=version,
                kind=kind,
                source=source,
                identity=identity,
                recruited_as=recruitment_id,
                condition=condition,
                seed=fresh_seed() if seed is None else seed,
            )
        except IntegrityError:
            # Either the same person came in at the same instant, or the code is taken.
            known = _find(study, identity)
            if known is not None:
                return known
            if last:
                raise
    raise AssertionError("the last try returns or raises")


def _hash(study: Study, given: str | None) -> str | None:
    if given is None:
        return None
    return ids.hashed(study_slug=study.slug, recruitment_id=given)


def _find(study: Study, identity: str | None) -> Session | None:
    if identity is None:
        return None
    theirs = Session.objects.filter(participant__study=study, participant__recruitment_hash=identity)
    return theirs.select_related("participant", "study", "version", "condition").order_by("-wave").first()


def _kind(study: Study, asked: str | None) -> str:
    if asked in {Kind.PREVIEW, Kind.SIMULATED}:
        return asked
    by_status = KIND_OF_STATUS.get(study.status)
    if by_status is None or asked not in {None, by_status}:
        raise EntryRefused(*_closed_door(study))
    return by_status


def _closed_door(study: Study) -> tuple[str, str]:
    if study.status == Study.Status.PAUSED:
        return "paused", "This study is paused at the moment. Please try again later."
    if study.status == Study.Status.CLOSED:
        return "closed", study.texts.get("closed") or "This study is closed. Thank you for your interest."
    return "not_open", "This study is not open yet. Please try again later."


def _version(study: Study, kind: str) -> StudyVersion:
    if kind == Kind.LIVE:
        version = study.versions.filter(kind=StudyVersion.Kind.LIVE).order_by("number").last()
        if version is None:
            raise EntryRefused("not_open", "This study is not open yet. Please try again later.")
        return version
    return versions.freeze(study=study, kind=StudyVersion.Kind.REHEARSAL)


@transaction.atomic
def _make(
    *,
    study: Study,
    version: StudyVersion,
    kind: str,
    source: str,
    identity: str | None,
    recruited_as: str | None,
    condition: str | None,
    seed: int,
) -> Session:
    now = timezone.now()
    participant = Participant.objects.create(
        study=study,
        code="".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH)),
        recruitment_hash=identity,
        recruitment_id="" if recruited_as is None else ids.encrypt(recruited_as),
        source=source,
        created_at=now,
    )
    session = Session.objects.create(
        participant=participant,
        study=study,
        version=version,
        kind=kind,
        seed=seed,
        app_version=APP_VERSION,
        app_commit=app_commit(),
        arrived_at=now,
    )
    draws.log_at_entry(session=session, document=version.document, condition=condition)
    events.record(session=session, kind="arrived", detail={"source": source})
    return session
