"""A real HTTP server that speaks OpenAI's chat completions and misbehaves on command.

The command is the model's name, or what ``script`` holds for the next requests, as in
``server.script("hang", "say")``.
It runs in a thread with an event loop of its own, so that any test can use it, in whatever loop or process.
"""

import asyncio
import json
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import web

REPLY = "Thank you for writing. What made you think of it today?"
LONG_REPLY = "word " * 20_000
RETRY_AFTER_S = 7


class ModelServer:
    """``base_url`` is what a provider is configured with; ``requests`` holds every body that came in."""

    def __init__(self) -> None:
        self.base_url = ""
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        # Requests whose client went away before the end.
        self.abandoned = 0
        self.reply = REPLY
        self._script: deque[str] = deque()
        self._release: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def script(self, *behaviours: str) -> None:
        """What the next requests get, one each, whatever model they name; afterwards the model decides."""
        unknown = set(behaviours) - set(_BEHAVIOURS)
        if unknown:
            raise ValueError(f"unknown behaviour {', '.join(sorted(unknown))}")
        self._script.extend(behaviours)

    def release(self) -> None:
        """Let the requests that wait in mid-stream (``hold``) go on."""
        assert self._loop is not None and self._release is not None
        self._loop.call_soon_threadsafe(self._release.set)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        self.headers.append(dict(request.headers))
        behaviour = self._script.popleft() if self._script else body["model"]
        try:
            return await _BEHAVIOURS.get(behaviour, _say)(self, request, body)
        except (ConnectionError, asyncio.CancelledError):
            self.abandoned += 1
            raise

    async def wait_for_release(self) -> None:
        assert self._release is not None
        await self._release.wait()

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop, self._release = loop, asyncio.Event()


Behaviour = Callable[[ModelServer, web.Request, dict[str, Any]], Any]
_BEHAVIOURS: dict[str, Behaviour] = {}


def _behaviour(name: str) -> Callable[[Behaviour], Behaviour]:
    def add(function: Behaviour) -> Behaviour:
        _BEHAVIOURS[name] = function
        return function

    return add


def _event(body: dict[str, Any], delta: dict[str, Any], reason: str | None = None) -> bytes:
    chunk = {
        "id": "chatcmpl-fake",
        "object": "chat.completion.chunk",
        "model": f"{body['model']}-2026",
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
    }
    return b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\n\n"


def _usage(body: dict[str, Any], words: int) -> bytes:
    chunk = {
        "id": "chatcmpl-fake",
        "model": f"{body['model']}-2026",
        "choices": [],
        "usage": {"prompt_tokens": 11, "completion_tokens": words, "total_tokens": 11 + words},
    }
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"


async def _stream(request: web.Request, chunks: AsyncIterator[bytes]) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "x-request-id": "req-fake"})
    await response.prepare(request)
    async for chunk in chunks:
        await response.write(chunk)
    await response.write_eof()
    return response


def _words(text: str) -> list[str]:
    pieces = text.split(" ")
    return [pieces[0], *(f" {piece}" for piece in pieces[1:])]


async def _whole(body: dict[str, Any], text: str, reason: str = "stop") -> AsyncIterator[bytes]:
    yield _event(body, {"role": "assistant", "content": ""})
    for word in _words(text):
        yield _event(body, {"content": word})
    yield _event(body, {}, reason)
    yield _usage(body, len(text.split()))
    yield DONE


@_behaviour("say")
async def _say(server: ModelServer, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    return await _stream(request, _whole(body, server.reply))


@_behaviour("hang")
async def _hang(server: ModelServer, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    """Accept the request and never answer."""
    await server.wait_for_release()
    return web.Response(status=204)


@_behaviour("hold")
async def _hold(server: ModelServer, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    """Half the reply, then nothing until released, then the rest."""

    async def chunks() -> AsyncIterator[bytes]:
        words = _words(server.reply)
        for number, word in enumerate(words):
            if number == len(words) // 2:
                await server.wait_for_release()
            yield _event(body, {"content": word})
        yield _event(body, {}, "stop")
        yield _usage(body, len(words))
        yield DONE

    return await _stream(request, chunks())


@_behaviour("half")
async def _half(server: ModelServer, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    """Half the reply, then the stream ends as if all were well."""

    async def chunks() -> AsyncIterator[bytes]:
        words = _words(server.reply)
        for word in words[: len(words) // 2]:
            yield _event(body, {"content": word})

    return await _stream(request, chunks())


@_behaviour("drop")
async def _drop(server: ModelServer, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    """Half the reply, then the connection is cut."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    await response.write(_event(body, {"content": "Thank you"}))
    assert request.transport is not None
    request.transport.abort()
    return response


@_behaviour("slow")
async def _slow(server: ModelServer, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    """A token every tenth of a second."""

    async def chunks() -> AsyncIterator[bytes]:
        async for chunk in _whole(body, server.reply):
            await asyncio.sleep(0.1)
            yield chunk

    return await _stream(request, chunks())


@_behaviour("crumbs")
async def _crumbs(server: ModelServer, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    """The stream in pieces of three bytes, lines ending in CR LF, comments in between."""

    async def chunks() -> AsyncIterator[bytes]:
        whole = b": a comment\r\n\r\n"
        async for chunk in _whole(body, server.reply):
            whole += b"event: message\r\n" + chunk.replace(b"\n", b"\r\n")
        for start in range(0, len(whole), 3):
            yield whole[start : start + 3]
            await asyncio.sleep(0)

    return await _stream(request, chunks())


@_behaviour("long")
async def _long(server: ModelServer, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    """100 kB of reply."""
    return await _stream(request, _whole(body, LONG_REPLY.strip()))


@_behaviour("length")
async def _length(server: ModelServer, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    """Cut at the model's limit."""
    return await _stream(request, _whole(body, "Thank you for", "length"))


@_behaviour("refusal")
async def _refusal(server: ModelServer, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    return await _stream(request, _whole(body, "I", "content_filter"))


@_behaviour("empty")
async def _empty(server: ModelServer, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    """A reply of blanks."""
    return await _stream(request, _whole(body, " \n"))


@_behaviour("no-usage")
async def _no_usage(server: ModelServer, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    """A server that knows neither usage nor [DONE]."""

    async def chunks() -> AsyncIterator[bytes]:
        yield _event(body, {"content": server.reply})
        yield _event(body, {}, "stop")

    return await _stream(request, chunks())


@_behaviour("malformed")
async def _malformed(server: ModelServer, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    async def chunks() -> AsyncIterator[bytes]:
        yield _event(body, {"content": "Thank"})
        yield b'data: {"choices": [\n\n'

    return await _stream(request, chunks())


@_behaviour("not-an-object")
async def _not_an_object(
    server: ModelServer, request: web.Request, body: dict[str, Any]
) -> web.StreamResponse:
    async def chunks() -> AsyncIterator[bytes]:
        yield b'data: ["choices"]\n\n'

    return await _stream(request, chunks())


@_behaviour("error-event")
async def _error_event(server: ModelServer, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    """An error in mid-stream, as several servers send it."""

    async def chunks() -> AsyncIterator[bytes]:
        yield _event(body, {"content": "Thank"})
        yield b'data: {"error": {"message": "out of memory", "code": 500}}\n\n'

    return await _stream(request, chunks())


@_behaviour("html")
async def _html(server: ModelServer, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    """A page in place of a stream, as a portal or a proxy sends it."""
    return web.Response(text="<html>Welcome</html>", content_type="text/html")


def _refusing(status: int, code: str, headers: dict[str, str] | None = None) -> Behaviour:
    async def answer(server: ModelServer, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        # Real servers repeat the key they were given; so does this one.
        told = f"Something is wrong with {request.headers.get('Authorization', 'your request')}"
        error = {"error": {"message": told, "type": "invalid_request_error", "code": code}}
        return web.json_response(error, status=status, headers=headers)

    return answer


_BEHAVIOURS |= {
    "400": _refusing(400, "model_not_found"),
    "401": _refusing(401, "invalid_api_key"),
    "403": _refusing(403, "forbidden"),
    "429": _refusing(429, "rate_limit_exceeded", {"Retry-After": str(RETRY_AFTER_S)}),
    "500": _refusing(500, "server_error"),
    "503": _refusing(503, "overloaded", {"Retry-After": "1"}),
    "filtered": _refusing(400, "content_filter"),
    "redirect": _refusing(307, "moved", {"Location": "http://127.0.0.1:9/v1/chat/completions"}),
}
BEHAVIOURS = tuple(_BEHAVIOURS)


@contextmanager
def running() -> Iterator[ModelServer]:
    """The server, up on a free port of this machine, gone at the end."""
    server = ModelServer()
    ready = threading.Event()
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()

    async def serve() -> None:
        server.begin(asyncio.get_running_loop())
        application = web.Application(client_max_size=64 * 1024 * 1024)
        application.router.add_post("/v1/chat/completions", server.handle)
        # A client that goes away ends its handler, as with a real server that stops generating.
        runner = web.AppRunner(application, handler_cancellation=True, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        server.base_url = f"http://{host}:{port}/v1"
        ready.set()
        await stop.wait()
        await runner.cleanup()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    if not ready.wait(10):
        raise RuntimeError("the fake model server did not start")
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        loop.close()
