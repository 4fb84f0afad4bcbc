"""The audit log: who launched, exported, erased or changed what. Never a word of a participant."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from studyapp.studies.models import AuditEntry


def record(
    *,
    action: str,
    study_slug: str = "",
    user: AbstractBaseUser | None = None,
    detail: Mapping[str, Any] | None = None,
) -> AuditEntry:
    """Write one row, in the caller's transaction. ``user`` None: somebody at the server's shell."""
    return AuditEntry.objects.create(
        action=action, study_slug=study_slug, user=user, detail=dict(detail or {})
    )
