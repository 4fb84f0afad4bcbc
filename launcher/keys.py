"""Secrets of a data folder: made once, readable by their owner only, never printed but the admin's."""

import base64
import json
import secrets
from pathlib import Path

from launcher.folder import write_private
from launcher.refusal import Refusal

FILE = "keys.json"
ADMIN_USER = "researcher"
# Letters and digits that cannot be taken for one another when typed from a screen.
_LEGIBLE = "abcdefghjkmnpqrstuvwxyz23456789"

# What the Django settings need, in the order of .env.example.
FOR_SETTINGS = ("SECRET_KEY", "HASH_KEY", "FIELD_KEYS")


def password() -> str:
    """Four groups of five legible characters: 99 bits, easy to type."""
    return "-".join("".join(secrets.choice(_LEGIBLE) for _ in range(5)) for _ in range(4))


def made_once(folder: Path) -> dict[str, str]:
    """The keys of ``folder``, made at the first call.

    HASH_KEY and FIELD_KEYS must never change: the one finds a returning participant, the other
    reads recruitment ids. A damaged file is therefore refused, not replaced.
    """
    file = folder / FILE
    if file.exists():
        return read(folder)
    keys = {
        "SECRET_KEY": secrets.token_urlsafe(48),
        "HASH_KEY": secrets.token_urlsafe(48),
        # A Fernet key: 32 random bytes, URL-safe base64.
        "FIELD_KEYS": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
        "POSTGRES_PASSWORD": secrets.token_urlsafe(24),
        "VALKEY_PASSWORD": secrets.token_urlsafe(24),
        "ADMIN_USER": ADMIN_USER,
        "ADMIN_PASSWORD": password(),
    }
    write_private(file, json.dumps(keys, indent=2) + "\n")
    return keys


def read(folder: Path) -> dict[str, str]:
    """The keys of ``folder``. Raises Refusal where the file is missing or damaged."""
    file = folder / FILE
    try:
        keys: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
        missing = [name for name in FOR_SETTINGS if not keys.get(name)]
    except FileNotFoundError as error:
        raise Refusal(f"{file} does not exist yet. Start the platform once: make run") from error
    except (OSError, ValueError, AttributeError) as error:
        raise Refusal(f"{file} cannot be read ({error}). Restore it from a backup of this folder.") from error
    if missing:
        raise Refusal(f"{file} lacks {', '.join(missing)}. Restore it from a backup of this folder.")
    return keys


def replace_admin_password(folder: Path, new: str) -> None:
    keys = read(folder)
    write_private(folder / FILE, json.dumps(keys | {"ADMIN_PASSWORD": new}, indent=2) + "\n")
