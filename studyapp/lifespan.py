"""What runs when the web process starts and when it stops. Django itself does not answer ASGI's lifespan."""

from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import AsyncExitStack
from typing import Any

Hook = Callable[[], Awaitable[None]]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

# Filled while the application is imported; shutdown hooks run in reverse order.
on_startup: list[Hook] = []
on_shutdown: list[Hook] = []


async def lifespan(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer the server's lifespan messages by running the hooks.

    A failing startup hook keeps the server from serving. A failing shutdown hook does not keep the
    others from running (one of them may hold replies under way); its error is raised after them.
    """
    await receive()
    for hook in on_startup:
        await hook()
    await send({"type": "lifespan.startup.complete"})
    await receive()
    async with AsyncExitStack() as stack:
        for hook in on_shutdown:
            stack.push_async_callback(hook)
    await send({"type": "lifespan.shutdown.complete"})
