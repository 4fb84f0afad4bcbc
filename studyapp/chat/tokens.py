"""Short-lived proof that a page may speak in a conversation, and that a listener may hear a reply."""

from uuid import UUID

from django.core import signing

PAGE_S = 12 * 60 * 60
STREAM_S = 15 * 60
_PAGE, _STREAM = "chat.page", "chat.stream"


def page_token(conversation_id: UUID) -> str:
    """Given to the page of a conversation; proves, for 12 hours, that its holder may post and read."""
    return signing.dumps(str(conversation_id), salt=_PAGE)


def check_page_token(token: str, conversation_id: UUID) -> bool:
    """Whether ``token`` is a live page token of this conversation."""
    return _opened(token, _PAGE, PAGE_S) == str(conversation_id)


def stream_token(conversation_id: UUID, message_id: int) -> str:
    """Given for one reply; admits listeners for 15 minutes."""
    return signing.dumps([str(conversation_id), message_id], salt=_STREAM)


def check_stream_token(token: str, conversation_id: UUID) -> int | None:
    """The id of the reply that ``token`` admits to; None when it is no live token of this conversation."""
    match _opened(token, _STREAM, STREAM_S):
        case [conversation, int(message_id)] if conversation == str(conversation_id):
            return message_id
    return None


def _opened(token: str, salt: str, max_age: int) -> object:
    try:
        return signing.loads(token, salt=salt, max_age=max_age)
    except signing.BadSignature:
        return None
