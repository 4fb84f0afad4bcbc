"""Where the running services of a data folder are."""

import json
import os
from pathlib import Path

from launcher import folder, keys
from launcher.refusal import Refusal

PROJECT = Path(__file__).resolve().parent.parent


def data_dir() -> Path:
    """DATA_DIR of the environment, or ``data`` beside the code."""
    return Path(os.environ.get("DATA_DIR") or PROJECT / "data").expanduser().resolve()


def environment(path: Path) -> dict[str, str]:
    """Variables that lead Django to the services a launcher runs for the data folder ``path``.

    Raises Refusal, saying how to start them, when none runs there.
    """
    if not folder.is_running(path):
        how = "make run" if path == PROJECT / "data" else f"make run DATA_DIR={path}"
        raise Refusal(
            f"Nothing is running for the data folder {path}. Start it in another terminal with '{how}', "
            "or set DATABASE_URL and REDIS_URL."
        )
    try:
        services = json.loads((path / folder.SERVICES).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise Refusal(f"The launcher of {path} is still starting. Try again in a few seconds.") from error
    except PermissionError as error:
        raise Refusal(f"The services of {path} belong to another user; run this as that user.") from error
    own = keys.read(path)
    return {
        "DATABASE_URL": services["DATABASE_URL"],
        "REDIS_URL": services["REDIS_URL"],
        "SITE_URL": services["url"],
        "DATA_DIR": str(path),
        **{name: own[name] for name in keys.FOR_SETTINGS},
    }
