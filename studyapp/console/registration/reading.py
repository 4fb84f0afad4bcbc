"""Admin pages for rows that are evidence: they can be read and searched, never typed over."""

from django.db import models
from django.http import HttpRequest
from unfold.admin import ModelAdmin, TabularInline


class ReadOnly:
    """Nothing made, changed or deleted by hand; services do that, and leave a trace."""

    def has_add_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False


class EvidenceAdmin(ReadOnly, ModelAdmin):
    list_per_page = 50
    show_full_result_count = False


class EvidenceInline(ReadOnly, TabularInline):
    extra = 0
    can_delete = False
    show_change_link = False
