"""A light client for servers that speak OpenAI's chat completions: OpenAI, Ollama, vLLM, llama.cpp."""

import asyncio
import email.utils
import json
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from typing import Any
from weakref import WeakKeyDictionary

import aiohttp

from studyapp.agents.event_stream import NotAnEventStream, data_of
from studyapp.agents.protocol import Delta, FailureKind, Finished, ProviderFailure, ReplyRequest

_ROLES = {"participant": "user", "agent": "assistant"}
_KIND_BY_STATUS: dict[int, FailureKind] = {401: "unauthorised", 403: "unauthorised", 429: "rate_limited"}
# The smallest range of seeds among the servers named above (32 bits, read as signed by some).
_SEEDS = 2**31
_LONGEST_ERROR = 64 * 1024


class OpenAICompatible:
    """One server. The key travels in the header only and is in no message, representation or record.

    Time-outs for the first token and the whole reply belong to the caller; here only reaching the server
    is limited, by ``connect_s`` seconds.
    """

    def __init__(self, *, name: str, base_url: str, key: str = "", connect_s: float = 10.0) -> None:
        self._name = name
        self._address = base_url.rstrip("/") + "/chat/completions"
        self._key = key
        self._connect_s = connect_s
        self._sessions: WeakKeyDictionary[asyncio.AbstractEventLoop, aiohttp.ClientSession] = (
            WeakKeyDictionary()
        )

    def __repr__(self) -> str:
        return f"OpenAICompatible({self._name!r})"

    async def reply(self, request: ReplyRequest) -> AsyncIterator[Delta | Finished]:
        """Stream a reply as ``protocol.Provider`` says; one cut at the model's limit ends with ``length``."""
        try:
            # No redirects: one would carry the key to a host nobody named.
            async with self._session().post(
                self._address, json=body(request), headers=self._headers(), allow_redirects=False
            ) as response:
                if response.status != 200:
                    raise await self._failure(response)
                reading = _Reading(self._name, response.headers.get("x-request-id", ""), request.model)
                async for data in data_of(response.content.iter_any()):
                    if data == "[DONE]":
                        break
                    text = reading.take(data)
                    if text:
                        yield Delta(text)
                yield reading.finished()
        except (aiohttp.ConnectionTimeoutError, aiohttp.ServerTimeoutError):
            raise ProviderFailure(
                "timed_out", f"provider '{self._name}' could not be reached within {self._connect_s:g} s"
            ) from None
        except aiohttp.ClientError as error:
            # The class only: the text of these errors can hold addresses and headers.
            raise ProviderFailure(
                "broken", f"provider '{self._name}': the connection failed ({type(error).__name__})"
            ) from None
        except NotAnEventStream as error:
            raise ProviderFailure(
                "broken", f"provider '{self._name}' did not send an event stream: {error}"
            ) from None

    async def aclose(self) -> None:
        session = self._sessions.pop(asyncio.get_running_loop(), None)
        if session is not None:
            await session.close()

    def _session(self) -> aiohttp.ClientSession:
        """The session of the running loop: connections cannot be shared between loops."""
        loop = asyncio.get_running_loop()
        session = self._sessions.get(loop)
        if session is None or session.closed:
            session = aiohttp.ClientSession(
                # No limit on connections: chats must not queue behind each other's replies.
                connector=aiohttp.TCPConnector(limit=0),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=self._connect_s),
            )
            self._sessions[loop] = session
        return session

    def _headers(self) -> dict[str, str]:
        headers = {"Accept": "text/event-stream"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        return headers

    async def _failure(self, response: aiohttp.ClientResponse) -> ProviderFailure:
        """The failure an answer other than 200 stands for.

        Servers put parts of keys and of prompts into the words of their errors: only the code is kept.
        """
        code = _error_code(await response.content.read(_LONGEST_ERROR))
        kind = _KIND_BY_STATUS.get(response.status, "broken")
        if code == "content_filter":
            kind = "refused"
        named = f" ({code})" if code else ""
        return ProviderFailure(
            kind,
            f"provider '{self._name}' answered {response.status}{named}",
            retry_after_s=_retry_after(response.headers.get("Retry-After")),
        )


def body(request: ReplyRequest) -> dict[str, Any]:
    """The JSON of a request. Parameters go as given, 0 included; the context never goes.

    ``model``, ``messages`` and the two stream settings are ours whatever the parameters say. Where the
    parameters hold ``seed``, the request's own seed is sent in its place, so that repeated draws differ.
    """
    messages = [{"role": "system", "content": request.system}] if request.system else []
    messages += [{"role": _ROLES[turn.role], "content": turn.text} for turn in request.turns]
    seed = {"seed": request.seed % _SEEDS} if "seed" in request.parameters else {}
    return {
        **request.parameters,
        **seed,
        "model": request.model,
        "messages": messages,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


class _Reading:
    """What has been learned from a stream so far."""

    def __init__(self, name: str, request_id: str, model: str) -> None:
        self._name = name
        self._request_id = request_id
        self._model = model
        self._reason: str | None = None
        self._usage: Mapping[str, Any] = {}
        self._said_something = False
        self._refused = False

    def take(self, data: str) -> str:
        """Learn from one event; returns the text it adds ("" when none)."""
        try:
            event = json.loads(data)
            choices = event.get("choices") or []
            if event.get("error"):
                raise self._broken("reported an error in mid-reply")
            self._request_id = self._request_id or event.get("id") or ""
            self._model = event.get("model") or self._model
            self._usage = event.get("usage") or self._usage
            if not choices:
                return ""
            self._reason = choices[0].get("finish_reason") or self._reason
            delta = choices[0].get("delta") or {}
            self._refused = self._refused or bool(delta.get("refusal"))
            text = delta.get("content") or ""
            self._said_something = self._said_something or bool(text.strip())
        except (ValueError, AttributeError, KeyError, TypeError):
            raise self._broken("sent an event that is not a chat completion") from None
        return text

    def finished(self) -> Finished:
        """The end; raises ProviderFailure when the stream did not hold a whole, non-empty reply."""
        if self._refused or self._reason == "content_filter":
            raise ProviderFailure("refused", f"provider '{self._name}' refused to reply")
        if self._reason is None:
            raise self._broken("ended its stream before the reply was finished")
        if not self._said_something:
            raise ProviderFailure("empty", f"provider '{self._name}' sent an empty reply")
        return Finished(
            reason=self._reason,
            model=self._model,
            input_tokens=_count(self._usage.get("prompt_tokens")),
            output_tokens=_count(self._usage.get("completion_tokens")),
            request_id=self._request_id,
        )

    def _broken(self, what: str) -> ProviderFailure:
        return ProviderFailure("broken", f"provider '{self._name}' {what}")


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _error_code(answer: bytes) -> str:
    """The code, else the type, of an OpenAI-shaped error; "" when there is none worth printing."""
    try:
        error = json.loads(answer)["error"]
        code = error.get("code") or error.get("type") or ""
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""
    code = str(code)
    return code if code.replace("_", "").replace("-", "").isalnum() and len(code) <= 60 else ""


def _retry_after(value: str | None) -> float | None:
    """Seconds to wait, from a number of seconds or an HTTP date; None when the server did not say."""
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        when = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (when - datetime.now(UTC)).total_seconds())
