"""Freezing a draft: the whole text a session needs, in one document that never changes."""

from dataclasses import asdict
from typing import Any

from django.db import transaction

from studyapp.agents import persona_parts
from studyapp.canonical import canonical_json, sha256
from studyapp.safety.resources import resources
from studyapp.studies import drafts
from studyapp.studies.models import FrozenCondition, Study, StudyVersion
from studyapp.studies.study_file import StudyFile
from surveys.scale_file import load as load_scale


def freeze(*, study: Study, kind: str) -> StudyVersion:
    """The version of the draft as it stands; the same document and kind give the version there is.

    ``kind`` is a StudyVersion.Kind. Raises StudyFileError where the draft lost its shape, and
    ScaleFileError where a scale it asks is not there.
    """
    with transaction.atomic():
        # Two freezes at once would take the same number.
        Study.objects.select_for_update().get(pk=study.pk)
        file = drafts.dump(study)
        document = whole_document(file)
        digest = sha256(canonical_json(document))
        found = study.versions.filter(kind=kind, sha256=digest).first()
        if found is not None:
            return found
        last = study.versions.order_by("-number").values_list("number", flat=True).first()
        version = StudyVersion.objects.create(
            study=study, number=(last or 0) + 1, kind=kind, document=document, sha256=digest
        )
        FrozenCondition.objects.bulk_create(
            FrozenCondition(
                version=version,
                slug=condition.slug,
                position=position,
                factors=condition.factors,
                weight=condition.weight,
                cap=condition.cap,
            )
            for position, condition in enumerate(file.conditions)
        )
        return version


def whole_document(file: StudyFile) -> dict[str, Any]:
    """The study file in full, with all that it only names: scales, persona parts, places of help."""
    return file.model_dump(mode="json", by_alias=True) | {
        "scales": {key: load_scale(key).document() for key in file.scale_keys()},
        "persona_parts": persona_parts.shipped(),
        "resources": [asdict(resource) for resource in resources(file.countries)],
    }
