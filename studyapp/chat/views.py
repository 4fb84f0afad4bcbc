"""The page's two requests: say something, and read how the conversation stands.

The page token in a header is the proof, not a cookie, so no other site can make a browser send it and
the views need no CSRF token.
"""

import json
from typing import Any
from uuid import UUID

from django.http import HttpRequest, JsonResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from . import claiming, process, turns
from .models import Conversation
from .reading import page_messages, stream_url
from .tokens import check_page_token

# Room for the longest message a brief would allow, in a script of four bytes a character, escaped.
MOST_BYTES = 256 * 1024
_STATUS = {
    "empty": 422,
    "bad_key": 422,
    "unknown_task": 422,
    "too_long": 413,
    "busy": 409,
    "ended": 409,
    "full": 409,
}


@csrf_exempt
@never_cache
@require_http_methods(["GET", "POST"])
def messages(request: HttpRequest, conversation_id: UUID) -> JsonResponse:
    """``POST``: 201, or 200 when repeated. ``GET``: how the conversation stands. See docs/contracts.md."""
    if not check_page_token(request.headers.get("X-Chat-Token", ""), conversation_id):
        return _error(
            403, "token", "This page has been open for too long. Please reload it; nothing is lost."
        )
    conversation = get_object_or_404(Conversation, pk=conversation_id)
    if request.method == "POST":
        return _post(request, conversation)
    for message in claiming.unowned().filter(conversation=conversation):
        _wake(message.pk)
    return JsonResponse(page_messages(conversation))


def _post(request: HttpRequest, conversation: Conversation) -> JsonResponse:
    if int(request.headers.get("Content-Length") or 0) > MOST_BYTES:
        return _error(413, "too_long", "This message is far too long. Please shorten it.")
    data = _document(request)
    if data is None:
        return _error(422, "not_understood", "This message did not arrive whole. Please send it again.")
    try:
        posted = turns.post(
            conversation=conversation,
            client_key=data.get("client_key", ""),
            text=data.get("text"),
            task_key=data.get("task"),
        )
    except turns.Refused as refusal:
        return _error(_STATUS[refusal.code], refusal.code, refusal.message)
    _wake(posted.reply.pk)
    return JsonResponse(
        {
            "position": posted.message.position,
            "reply_position": posted.reply.position,
            "stream": stream_url(conversation.pk, posted.reply.pk),
            "support": bool(posted.distress),
        },
        status=200 if posted.repeated else 201,
    )


def _document(request: HttpRequest) -> dict[str, Any] | None:
    """The request's JSON object with text values, or None."""
    try:
        data = json.loads(request.body)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        return None
    if not isinstance(data, dict) or not all(isinstance(value, str) for value in data.values()):
        return None
    return data


def _wake(message_id: int) -> None:
    if (server := process.current()) is not None:
        server.wake(message_id)


def _error(status: int, code: str, message: str) -> JsonResponse:
    return JsonResponse({"error": code, "message": message}, status=status)
