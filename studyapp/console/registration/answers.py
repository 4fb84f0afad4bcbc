"""Scales as asked, and answers."""

from django.contrib import admin

from studyapp.console.registration.reading import EvidenceAdmin, EvidenceInline
from surveys.models import Administration, Response, ScaleVersion


class ResponseInline(EvidenceInline):
    model = Response
    fields = ("item", "state", "number", "text", "first_ms", "last_ms", "changes")


@admin.register(Administration)
class AdministrationAdmin(EvidenceAdmin):
    list_display = ("id", "scale", "created_at", "completed_at")
    list_filter = ("scale__key",)
    inlines = (ResponseInline,)


@admin.register(ScaleVersion)
class ScaleVersionAdmin(EvidenceAdmin):
    list_display = ("key", "sha256", "created_at")
