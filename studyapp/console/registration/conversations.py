"""Conversations and every attempt at a reply."""

from django.contrib import admin
from django.http import HttpRequest

from studyapp.chat.models import Attempt, Conversation, Message
from studyapp.console.registration.reading import EvidenceAdmin, EvidenceInline


class MessageInline(EvidenceInline):
    model = Message
    fields = ("position", "role", "state", "text", "failure", "created_at", "completed_at")
    ordering = ("position",)


@admin.register(Conversation)
class ConversationAdmin(EvidenceAdmin):
    list_display = ("id", "kind", "state", "end_reason", "created_at", "ended_at")
    list_filter = ("kind", "state", "end_reason")
    inlines = (MessageInline,)


@admin.register(Attempt)
class AttemptAdmin(EvidenceAdmin):
    list_display = (
        "started_at",
        "provider",
        "model_asked",
        "model_answered",
        "failure",
        "finish_reason",
        "input_tokens",
        "output_tokens",
        "price_usd",
    )
    list_filter = ("provider", "model_asked", "failure")

    def get_queryset(self, request: HttpRequest):
        return super().get_queryset(request).defer("system_prompt")
