"""The web process: streams, static files and Django side by side, and what runs at start and stop."""

import os
import re

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyapp.settings")
django = get_asgi_application()

# After Django is set up: what follows reads settings and models.
from django.conf import settings  # noqa: E402

from studyapp.lifespan import Receive, Scope, Send, lifespan  # noqa: E402
from studyapp.static_files import HashedStaticFiles  # noqa: E402

static = HashedStaticFiles(directory=settings.STATIC_ROOT, check_dir=False)

# Plain ASGI callables beside Django, first match wins. They see the named groups of their pattern as
# scope["path_params"] and pass no middleware, no thread and no ORM.
ROUTES: list[tuple[re.Pattern[str], object]] = []


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        return await lifespan(scope, receive, send)
    path = scope["path"]
    if scope["type"] == "http" and path.startswith(settings.STATIC_URL):
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
