"""Which sessions an export holds, and the facts that every one of its rows repeats."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from studyapp.participation import withdrawal
from studyapp.participation.models import Session
from studyapp.studies.models import Study, StudyVersion

_CHUNK = 200


@dataclass(frozen=True)
class Selection:
    """The sessions of a study of the kinds asked for, in order of arrival.

    ``with_text`` adds words of sessions that opted in; ``identified`` adds recruitment ids.
    """

    study: Study
    kinds: tuple[str, ...]
    with_text: bool = False
    identified: bool = False

    def sessions(self):
        """Whoever asked for erasure is left out from that moment on, not from when it is done."""
        return (
            Session.objects.filter(study=self.study, kind__in=self.kinds)
            .exclude(pk__in=withdrawal.erasures_asked(self.study))
            .select_related("participant", "condition")
            .order_by("arrived_at", "id")
        )

    def chunks(self) -> Iterator[tuple[Session, ...]]:
        """Sessions a few hundred at a time, so that memory does not grow with the study."""
        rows = self.sessions().iterator(chunk_size=_CHUNK)
        while chunk := tuple(islice(rows, _CHUNK)):
            yield chunk

    @cached_property
    def versions(self) -> tuple[StudyVersion, ...]:
        """The frozen versions that the sessions ran from, oldest first."""
        ids = self.sessions().order_by().values_list("version_id", flat=True).distinct()
        return tuple(StudyVersion.objects.filter(pk__in=list(ids)).order_by("number"))

    @cached_property
    def version_numbers(self) -> dict[int, int]:
        return {version.pk: version.number for version in self.versions}
