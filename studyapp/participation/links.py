"""The addresses people are sent to."""

from dataclasses import dataclass

from django.conf import settings
from django.core import signing

from studyapp.participation.sources import PARAMETERS
from studyapp.studies.models import Study

SALT = "plainheart.preview"
PREVIEW_LASTS_S = 30 * 24 * 3600


class LinkRefused(Exception):
    """A preview link that is not ours, or too old; the message says what to do."""


@dataclass(frozen=True)
class Preview:
    """What a preview link opens: a study by slug, in one condition."""

    study: str
    condition: str


def participant_link(study: Study) -> str:
    """Where anybody may enter."""
    return f"{settings.SITE_URL}/s/{study.slug}/"


def prolific_link(study: Study) -> str:
    """The address to give to Prolific, which puts the participant's id in place of the placeholder."""
    parameter = PARAMETERS["prolific"]
    return f"{participant_link(study)}?{parameter}={{{{%{parameter}%}}}}"


def preview_link(study: Study, condition_slug: str) -> str:
    """Where a researcher sees one condition; good for 30 days, counts nowhere."""
    token = signing.dumps({"study": study.slug, "condition": condition_slug}, salt=SALT)
    return f"{settings.SITE_URL}/preview/{token}/"


def read_preview(token: str) -> Preview:
    """What a preview link's token opens. Raises LinkRefused."""
    try:
        read = signing.loads(token, salt=SALT, max_age=PREVIEW_LASTS_S)
    except signing.SignatureExpired:
        raise LinkRefused("This preview link is more than 30 days old. Make a new one: manage.py links SLUG.")
    except signing.BadSignature:
        raise LinkRefused("This preview link is damaged. Copy it again, whole, or make a new one.")
    return Preview(study=read["study"], condition=read["condition"])
