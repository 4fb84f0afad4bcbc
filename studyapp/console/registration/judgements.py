"""Forks, codes and verdicts."""

from django.contrib import admin

from studyapp.console.registration.reading import EvidenceAdmin
from studyapp.probes.models import Fork
from studyapp.verdicts.models import Code, Verdict


@admin.register(Fork)
class ForkAdmin(EvidenceAdmin):
    list_display = (
        "created_at",
        "condition",
        "battery",
        "point",
        "probe",
        "stated",
        "persona",
        "history",
        "draw",
    )
    list_filter = ("battery", "point", "stated", "persona", "history")
    search_fields = ("probe",)


@admin.register(Code)
class CodeAdmin(EvidenceAdmin):
    list_display = ("created_at", "measure", "value", "coder", "coder_version", "evidence")
    list_filter = ("measure", "value", "coder")


@admin.register(Verdict)
class VerdictAdmin(EvidenceAdmin):
    list_display = ("created_at", "measure", "value", "rule")
    list_filter = ("measure", "value", "rule")
