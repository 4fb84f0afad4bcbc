"""The web process: streams, static files and Django side by side, and what runs at start and stop."""

import os
import re
from collections.abc import Awaitable, Callable

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyapp.settings")
django = get_asgi_application()

# After Django is set up: what follows reads settings and models.
from django.conf import settings  # noqa: E402

from studyapp.chat import process, stream  # noqa: E402
from studyapp.lifespan import Receive, Scope, Send, lifespan, on_shutdown, on_startup  # noqa: E402
from studyapp.static_files import HashedStaticFiles  # noqa: E402

static = HashedStaticFiles(directory=settings.STATIC_ROOT, check_dir=False)

Application = Callable[[Scope, Receive, Send], Awaitable[None]]
# Plain ASGI callables beside Django, first match wins. They see the named groups of their pattern as
# scope["path_params"] and pass no middleware, no thread and no ORM.
ROUTES: list[tuple[re.Pattern[str], Application]] = [(stream.PATH, stream.stream)]

on_startup.append(process.start)
on_shutdown.append(process.stop)


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        return await lifespan(scope, receive, send)
    path = scope["path"]
    if scope["type"] != "http":
        return await django(scope, receive, send)
    if path.startswith(settings.STATIC_URL):
        mounted = {
            **scope,
            "path": path,
            "root_path": scope.get("root_path", "") + settings.STATIC_URL.rstrip("/"),
        }
        return await static(mounted, receive, send)
    for pattern, callable_ in ROUTES:
        if match := pattern.fullmatch(path):
            return await callable_({**scope, "path_params": match.groupdict()}, receive, send)
    return await django(scope, receive, send)
