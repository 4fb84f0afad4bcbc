"""Work: what waits, what failed, and a way to try again."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from studyapp.console.registration.reading import EvidenceAdmin
from studyapp.work.models import Work
from studyapp.work.queue import nudge


@admin.register(Work)
class WorkAdmin(EvidenceAdmin):
    list_display = ("kind", "key", "state", "attempts", "run_after", "finished_at", "error")
    list_filter = ("kind", "state")
    search_fields = ("key",)
    actions = ("try_again",)

    @admin.action(description="Try failed work again")
    def try_again(self, request: HttpRequest, rows: QuerySet[Work]) -> None:
        failed = rows.filter(state=Work.State.FAILED)
        kinds = set(failed.values_list("kind", flat=True))
        count = failed.update(
            state=Work.State.WAITING, attempts=0, run_after=timezone.now(), finished_at=None
        )
        for kind in kinds:
            nudge(kind)
        self.message_user(request, f"{count} piece(s) of work will be tried again.")
