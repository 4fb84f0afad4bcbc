"""Studies: drafts are edited here, frozen versions are only read."""

import json

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.admin import ModelAdmin, StackedInline, TabularInline

from studyapp.console.registration.reading import EvidenceAdmin
from studyapp.participation.erasure import erase_study
from studyapp.participation.links import participant_link, preview_link
from studyapp.studies.models import (
    AuditEntry,
    BeliefCard,
    Condition,
    Factor,
    Membership,
    Step,
    Study,
    StudyVersion,
)


class FactorInline(TabularInline):
    model = Factor
    extra = 0
    tab = True


class ConditionInline(StackedInline):
    model = Condition
    extra = 0
    tab = True
    fieldsets = (
        (None, {"fields": (("slug", "label", "position"), "factors", ("warmth", "weight", "cap"))}),
        ("What the agent is told", {"fields": ("prompt_mode", "prompt_text")}),
        ("Model, where it differs from the study's", {"fields": (("provider", "model"), "parameters")}),
    )


class StepInline(TabularInline):
    model = Step
    extra = 0
    tab = True


class BeliefCardInline(StackedInline):
    model = BeliefCard
    extra = 0
    tab = True


class MembershipInline(TabularInline):
    model = Membership
    extra = 0
    tab = True


@admin.register(Study)
class StudyAdmin(ModelAdmin):
    list_display = ("title", "slug", "status", "participant_page", "updated_at")
    list_filter = ("status",)
    search_fields = ("title", "slug")
    # Status moves only through check, pilot, launch, pause and close, which leave an audit entry.
    readonly_fields = ("status", "participant_page", "preview_pages", "created_at", "updated_at")
    inlines = (FactorInline, ConditionInline, StepInline, BeliefCardInline, MembershipInline)
    fieldsets = (
        (None, {"fields": ("title", "slug", "summary", ("language", "duration_minutes"), "status")}),
        ("Links", {"fields": ("participant_page", "preview_pages")}),
        ("People and ethics", {"classes": ("tab",), "fields": ("contact", "ethics", "consent", "countries")}),
        ("Texts", {"classes": ("tab",), "fields": ("texts",)}),
        ("Agent", {"classes": ("tab",), "fields": ("agent", "stated", "probes")}),
        (
            "Allocation and recruitment",
            {
                "classes": ("tab",),
                "fields": ("allocation", "draws", "recruitment", "retention_days", "analysis"),
            },
        ),
    )

    @admin.display(description="Participant link")
    def participant_page(self, study: Study) -> SafeString | str:
        if study.status not in {Study.Status.PILOTING, Study.Status.LIVE}:
            return "not open"
        link = participant_link(study)
        return format_html('<a href="{}" target="_blank" rel="noopener">{}</a>', link, link)

    @admin.display(description="Previews, one per condition")
    def preview_pages(self, study: Study) -> SafeString | str:
        return (
            format_html_join(
                "\n",
                '<p><a href="{}" target="_blank" rel="noopener">{}</a></p>',
                (
                    (preview_link(study, condition.slug), condition.label)
                    for condition in study.conditions.all()
                ),
            )
            or "Conditions have no preview until they are saved."
        )

    def get_deleted_objects(self, objs, request: HttpRequest):
        """What the confirmation page says: counts, not a tree of every answer ever given."""
        summary = []
        for study in objs:
            summary.append(
                f"{study}: {study.participants.count()} participants with all they gave, "
                f"{study.versions.count()} frozen versions, {study.allocations.count()} allocations"
            )
        return summary, {"studies": len(summary)}, set(), []

    def delete_model(self, request: HttpRequest, obj: Study) -> None:
        erase_study(study=obj, user=request.user)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Study]) -> None:
        for study in queryset:
            erase_study(study=study, user=request.user)


@admin.register(StudyVersion)
class StudyVersionAdmin(EvidenceAdmin):
    list_display = ("study", "number", "kind", "sha256", "created_at")
    list_filter = ("kind", "study")
    fields = ("study", "number", "kind", "sha256", "created_at", "document_text")
    readonly_fields = ("document_text",)

    @admin.display(description="Document")
    def document_text(self, version: StudyVersion) -> SafeString:
        return format_html("<pre>{}</pre>", json.dumps(version.document, indent=2, ensure_ascii=False))

    def get_queryset(self, request: HttpRequest):
        return super().get_queryset(request).select_related("study").defer("document")


@admin.register(AuditEntry)
class AuditEntryAdmin(EvidenceAdmin):
    list_display = ("at", "action", "study_slug", "user")
    list_filter = ("action",)
