"""Which sessions an export holds, and the facts that every one of its rows repeats."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from django.db.models import QuerySet

from studyapp.participation import withdrawal
from studyapp.participation.models import Session
from studyapp.probes.models import Fork
from studyapp.studies.models import Study, StudyVersion

# A session may have hundreds of forks; this many sessions' rows are in memory at once.
_CHUNK = 100


@dataclass(frozen=True)
class Selection:
    """The sessions of a study of the kinds asked for, in order of arrival.

    ``with_text`` adds words of sessions that opted in; ``identified`` adds recruitment ids.
    """

    study: Study
    kinds: tuple[str, ...]
    with_text: bool = False
    identified: bool = False

    def sessions(self) -> QuerySet[Session]:
        """Whoever asked for erasure is left out with all their sessions from that moment on, not from
        when it is done."""
        asked = Session.objects.filter(pk__in=withdrawal.erasures_asked(self.study))
        return (
            Session.objects.filter(study=self.study, kind__in=self.kinds)
            .exclude(participant__in=asked.values("participant"))
            .select_related("participant", "condition")
            .order_by("arrived_at", "id")
        )

    def chunks(self) -> Iterator[tuple[Session, ...]]:
        """Sessions some at a time, so that memory does not grow with the study."""
        rows = self.sessions().iterator(chunk_size=_CHUNK)
        while chunk := tuple(islice(rows, _CHUNK)):
            yield chunk

    @cached_property
    def versions(self) -> tuple[StudyVersion, ...]:
        """The frozen versions that the sessions ran from, oldest first."""
        ids = self.sessions().order_by().values_list("version_id", flat=True).distinct()
        return tuple(StudyVersion.objects.filter(pk__in=list(ids)).order_by("number"))

    @cached_property
    def agents(self) -> tuple[str, ...]:
        """Hashes of the agents that these sessions' conversations were forked with.

        A version's private stances are asked once per agent; those of an agent that only sessions of
        another kind met, such as a simulation's, are no part of this data set.
        """
        forks = Fork.objects.filter(origin__visit__session__in=self.sessions().order_by())
        return tuple(sorted(forks.order_by().values_list("agent_sha256", flat=True).distinct()))

    def batteries(self) -> QuerySet[Fork]:
        """Forks that belong to no session, of the agents and versions of these sessions."""
        return Fork.objects.filter(
            origin__isnull=True, version__in=self.versions, agent_sha256__in=self.agents
        )

    @cached_property
    def version_numbers(self) -> dict[int, int]:
        return {version.pk: version.number for version in self.versions}
