"""A browser's side of a conversation, without the browser."""

import http.client
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from studyapp.chat.models import Conversation
from studyapp.chat.tokens import page_token


@dataclass(frozen=True)
class Event:
    id: str
    name: str
    data: Any


class Page:
    """Posts, reads and listens with the page token of a conversation, at the site of ``url``."""

    def __init__(self, url: str, conversation: Conversation) -> None:
        self.netloc = urlsplit(url).netloc
        self.path = f"/c/{conversation.pk}/messages"
        self.token = page_token(conversation.pk)

    def post(self, **body: Any) -> tuple[int, dict[str, Any]]:
        return self._ask("POST", json.dumps(body))

    def read(self) -> tuple[int, dict[str, Any]]:
        return self._ask("GET", None)

    def listen(self, stream: str, *, last_event_id: str = "", timeout: float = 20) -> "Listener":
        return Listener(self.netloc, stream, last_event_id, timeout)

    def _ask(self, method: str, body: str | None) -> tuple[int, dict[str, Any]]:
        connection = http.client.HTTPConnection(self.netloc, timeout=20)
        headers = {"X-Chat-Token": self.token, "Content-Type": "application/json"}
        connection.request(method, self.path, body, headers)
        answer = connection.getresponse()
        document = json.loads(answer.read())
        connection.close()
        return answer.status, document


class Listener:
    """An EventSource. Iterating gives events until the server ends the stream."""

    def __init__(self, netloc: str, stream: str, last_event_id: str, timeout: float) -> None:
        self._connection = http.client.HTTPConnection(netloc, timeout=timeout)
        headers = {"Accept": "text/event-stream"}
        if last_event_id:
            headers["Last-Event-ID"] = last_event_id
        self._connection.request("GET", stream, headers=headers)
        self.answer = self._connection.getresponse()
        self.status = self.answer.status

    def __iter__(self) -> Iterator[Event]:
        fields: dict[str, str] = {}
        while line := self.answer.readline():
            text = line.decode().rstrip("\n")
            if text:
                name, _, value = text.partition(": ")
                fields[name] = value
            elif "event" in fields:
                yield Event(fields.get("id", ""), fields["event"], json.loads(fields["data"]))
                fields = {}

    def leave(self) -> None:
        """Go away without waiting for the end."""
        self._connection.close()
        self.answer.close()


def told(events: list[Event]) -> str:
    """The text that a listener put together from its tokens since the reply last began."""
    text = ""
    for event in events:
        if event.name == "accepted":
            text = ""
        elif event.name == "token":
            text += event.data["text"]
    return text
