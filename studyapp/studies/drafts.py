"""Between draft rows and the study file: loading what was dumped changes nothing, and the reverse."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import models, transaction
from django.db.models import F

from studyapp.studies import audit
from studyapp.studies.models import BeliefCard, Condition, Factor, Membership, Step, Study
from studyapp.studies.study_file import StudyFile, shaped

_PLAIN = ("title", "summary", "language", "duration_minutes", "countries", "retention_days")
_SECTIONS = (
    "contact",
    "ethics",
    "consent",
    "texts",
    "agent",
    "probes",
    "draws",
    "allocation",
    "recruitment",
    "analysis",
)
# Stored as {} where the file leaves them out.
_OPTIONAL = ("agent", "probes")
# Larger than any position, so that rows can be moved past each other.
_ASIDE = 10_000


@transaction.atomic
def load(*, file: StudyFile, user: AbstractBaseUser | None = None) -> Study:
    """Bring the draft of ``file.slug`` to what the file says, making it if need be; sessions stay."""
    document = file.model_dump(mode="json", by_alias=True)
    fields = {name: document[name] for name in _PLAIN}
    fields |= {name: document[name] or {} for name in _SECTIONS}
    fields["stated"] = document["cards"]["stated"] if document["cards"] else {}
    study, made = Study.objects.update_or_create(slug=file.slug, defaults=fields)
    if made and user is not None:
        Membership.objects.create(study=study, user=user, role=Membership.Role.OWNER)
    _sync(Factor, study, "name", document["factors"])
    _sync(Condition, study, "slug", [_condition_row(entry) for entry in document["conditions"]])
    _sync(Step, study, "key", [_step_row(entry) for entry in document["steps"]])
    _sync(BeliefCard, study, "key", document["cards"]["claims"] if document["cards"] else [])
    audit.record(
        action="study_loaded",
        study_slug=study.slug,
        user=user,
        detail={"made": made, "conditions": len(file.conditions), "steps": len(file.steps)},
    )
    return study


def _condition_row(entry: dict[str, Any]) -> dict[str, Any]:
    return entry | {"provider": entry["provider"] or "", "model": entry["model"] or ""}


def _step_row(entry: dict[str, Any]) -> dict[str, Any]:
    config = {name: value for name, value in entry.items() if name not in {"key", "kind"}}
    return {"key": entry["key"], "kind": entry["kind"], "config": config}


def _sync(model: type[models.Model], study: Study, name: str, entries: Sequence[dict[str, Any]]) -> None:
    """Make, change and delete rows until they are ``entries``, in order; kept rows keep their id."""
    rows = model._default_manager.filter(study=study)
    rows.exclude(**{f"{name}__in": [entry[name] for entry in entries]}).delete()
    rows.update(position=F("position") + _ASIDE)
    for position, entry in enumerate(entries):
        model._default_manager.update_or_create(
            study=study, **{name: entry[name]}, defaults=entry | {"position": position}
        )


def dump(study: Study) -> StudyFile:
    """The draft as a study file. Raises StudyFileError where rows, edited by hand, lost their shape."""
    document: dict[str, Any] = {"plainheart": 1, "slug": study.slug}
    document |= {name: getattr(study, name) for name in (*_PLAIN, *_SECTIONS)}
    document |= {name: getattr(study, name) or None for name in _OPTIONAL}
    document["factors"] = list(study.factors.values("name", "levels"))
    document["conditions"] = [_condition_entry(row) for row in study.conditions.all()]
    document["steps"] = [{"key": row.key, "kind": row.kind, **row.config} for row in study.steps.all()]
    claims = list(
        study.cards.values("key", "claim", "truth", "explanation", "domain", "source", "verified", "refusal")
    )
    document["cards"] = {"stated": study.stated, "claims": claims} if claims or study.stated else None
    return shaped(document, name=f"study {study.slug}")


def _condition_entry(row: Condition) -> dict[str, Any]:
    return {
        "slug": row.slug,
        "label": row.label,
        "factors": row.factors,
        "warmth": row.warmth,
        "prompt_mode": row.prompt_mode,
        "prompt_text": row.prompt_text,
        "provider": row.provider or None,
        "model": row.model or None,
        "parameters": row.parameters,
        "weight": row.weight,
        "cap": row.cap,
    }
