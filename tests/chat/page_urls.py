"""The site and, for tests, a page that holds nothing but a conversation made for the asking."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import include, path

from studyapp.chat import conversations
from studyapp.chat.models import Conversation
from studyapp.chat.tokens import page_token
from tests.chat.briefs import CARD, started

PAGE = "chat_page.html"


def make(request: HttpRequest) -> HttpResponse:
    """``/try/?model=slow&min_turns=2&cards=1``: start such a conversation and go to its page."""
    changes = {name: value for name, value in request.GET.items() if name != "cards"}
    conversation = started(
        tasks=[CARD] if request.GET.get("cards") else [],
        **{"provider": "fake", "model": "slow", "whole_s": 20, "opening": "Hello, I am Robin.", **changes},
    )
    return redirect("page", conversation.pk)


def page(request: HttpRequest, conversation_id: object) -> HttpResponse:
    conversation = Conversation.objects.get(pk=conversation_id)
    brief = conversations.brief_of(conversation)
    context = {
        "conversation_id": conversation.pk,
        "page_token": page_token(conversation.pk),
        "agent_name": brief.agent_name,
        "min_turns": brief.min_turns,
        "max_turns": brief.max_turns,
        "max_characters": brief.max_characters,
        "tasks": [
            {"key": task.key, "text": task.text, "raised": task.raised_at is not None}
            for task in conversation.tasks.all()
        ],
        "ended": conversation.state == Conversation.State.ENDED,
    }
    return render(request, PAGE, context)


urlpatterns = [
    path("try/", make),
    path("try/<uuid:conversation_id>/", page, name="page"),
    path("", include("studyapp.urls")),
]
