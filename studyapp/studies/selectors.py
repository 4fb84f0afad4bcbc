"""Finding studies and their versions."""

from studyapp.studies.complaints import nearest
from studyapp.studies.models import Study, StudyVersion


class StudyNotFound(LookupError):
    """No study has this slug; the message names the near ones."""


def study_by_slug(slug: str) -> Study:
    """The study of this slug. Raises StudyNotFound."""
    try:
        return Study.objects.get(slug=slug)
    except Study.DoesNotExist:
        way_out = nearest(slug, Study.objects.values_list("slug", flat=True))
        raise StudyNotFound(
            f"there is no study {slug!r}; {way_out or 'load one with: manage.py load_study FILE'}"
        ) from None


def live_version(study: Study) -> StudyVersion | None:
    """The version new live sessions run from; None before the first launch."""
    return study.versions.filter(kind=StudyVersion.Kind.LIVE).order_by("-number").first()


def title_of(study: Study) -> str:
    """The title participants see: the study's own may give away what is varied."""
    title: str = study.texts.get("title") or study.title
    return title
