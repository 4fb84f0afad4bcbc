"""Participants and their sessions. Recruitment ids are never shown."""

from django.contrib import admin
from django.http import HttpRequest

from studyapp.console.registration.reading import EvidenceAdmin, EvidenceInline
from studyapp.participation.models import (
    Allocation,
    Draw,
    Event,
    Participant,
    ProblemReport,
    Session,
    Tombstone,
    Visit,
)


class VisitInline(EvidenceInline):
    model = Visit
    fields = ("position", "step_key", "step_kind", "started_at", "completed_at")
    ordering = ("position",)


class EventInline(EvidenceInline):
    model = Event
    fields = ("at", "kind", "detail")
    ordering = ("id",)


class DrawInline(EvidenceInline):
    model = Draw
    fields = ("name", "rule", "result", "at")


@admin.register(Session)
class SessionAdmin(EvidenceAdmin):
    list_display = ("code", "study", "kind", "condition", "status", "position", "arrived_at", "finished_at")
    list_filter = ("study", "kind", "status")
    search_fields = ("participant__code",)
    date_hierarchy = "arrived_at"
    inlines = (VisitInline, DrawInline, EventInline)

    @admin.display(description="Participant", ordering="participant__code")
    def code(self, session: Session) -> str:
        return session.participant.code

    def get_queryset(self, request: HttpRequest):
        return (
            super()
            .get_queryset(request)
            .select_related("participant", "study", "condition")
            .defer("version__document")
        )


@admin.register(Participant)
class ParticipantAdmin(EvidenceAdmin):
    list_display = ("code", "study", "source", "created_at")
    list_filter = ("study", "source")
    search_fields = ("code",)
    fields = ("study", "code", "source", "created_at")


@admin.register(Allocation)
class AllocationAdmin(EvidenceAdmin):
    list_display = ("study", "kind", "position", "condition_slug", "at")
    list_filter = ("study", "kind", "condition_slug")


@admin.register(ProblemReport)
class ProblemReportAdmin(EvidenceAdmin):
    list_display = ("at", "session", "step_key", "text")
    list_filter = ("session__study",)


@admin.register(Tombstone)
class TombstoneAdmin(EvidenceAdmin):
    list_display = ("study", "kind", "at")
    fields = ("study", "kind", "at")
