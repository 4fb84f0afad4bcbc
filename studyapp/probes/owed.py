"""What a study still owes in forks and private stances."""

from collections.abc import Collection

from studyapp.chat.models import Conversation
from studyapp.probes import forking, private
from studyapp.studies.models import Study
from studyapp.work.models import Work

KINDS = [forking.KIND, private.KIND]


def work_of(study: Study) -> list[Work]:
    """Every row of probing work of a study, done or not, oldest first."""
    versions = set(study.versions.values_list("pk", flat=True))
    rows = list(Work.objects.filter(kind__in=KINDS).order_by("pk"))
    conversations = _conversations_of(versions)
    return [
        row
        for row in rows
        if row.payload.get("version") in versions or row.payload.get("conversation") in conversations
    ]


def _conversations_of(versions: Collection[int]) -> set[str]:
    ids = Conversation.objects.filter(
        kind=Conversation.Kind.MAIN, brief__context__origin__version__in=list(versions)
    ).values_list("pk", flat=True)
    return {str(pk) for pk in ids}
