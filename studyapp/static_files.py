"""Static files, served beside Django: its middleware would cost every file, and none is needed."""

import re
from collections.abc import MutableMapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response
from starlette.staticfiles import StaticFiles

# ManifestStaticFilesStorage puts twelve hexadecimal digits of the content's hash into the name.
_HASHED = re.compile(r"\.[0-9a-f]{12}\.[A-Za-z0-9]+$")


class HashedStaticFiles(StaticFiles):
    """Files whose name holds their hash may be kept for ever; the others are asked for again."""

    async def get_response(self, path: str, scope: MutableMapping[str, Any]) -> Response:
        try:
            response = await super().get_response(path, scope)
        except HTTPException as refused:
            # There is no Starlette application around us that would turn it into an answer.
            return PlainTextResponse(refused.detail, refused.status_code)
        response.headers["Cache-Control"] = (
            "public, max-age=31536000, immutable" if _HASHED.search(path) else "no-cache"
        )
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response
