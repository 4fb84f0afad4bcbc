"""A recruitment platform's id for a person: hashed to find them again, encrypted to pay them."""

import binascii
import hashlib
import hmac

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


class FieldKeyProblem(Exception):
    """FIELD_KEYS cannot do what was asked: a key is malformed, or none fits what is stored."""


def normalise(recruitment_id: str) -> str:
    """The id as one person's id: no surrounding blanks, one case."""
    return recruitment_id.strip().casefold()


def hashed(*, study_slug: str, recruitment_id: str) -> str:
    """HMAC-SHA256 of study and normalised id under HASH_KEY, 64 hexadecimal digits.

    The study is part of it, so that one person in two studies cannot be linked by their hashes.
    """
    message = f"{study_slug}\x1f{normalise(recruitment_id)}".encode()
    return hmac.new(settings.HASH_KEY.encode(), message, hashlib.sha256).hexdigest()


def encrypt(recruitment_id: str) -> str:
    """The id as it came (the platform pays by it), under the first of FIELD_KEYS."""
    return _keys().encrypt(recruitment_id.strip().encode()).decode()


def decrypt(stored: str) -> str:
    """What ``encrypt`` was given; "" for a person nobody recruited.

    Raises
    ------
    FieldKeyProblem: none of FIELD_KEYS opens it.
    """
    if not stored:
        return ""
    try:
        return _keys().decrypt(stored.encode()).decode()
    except InvalidToken:
        raise FieldKeyProblem(
            "No key in FIELD_KEYS opens a stored recruitment id. Add the key it was written with "
            "to FIELD_KEYS (newest first, comma separated); keys may only be removed once nothing needs them."
        )


def _keys() -> MultiFernet:
    if not settings.FIELD_KEYS:
        raise FieldKeyProblem("FIELD_KEYS is empty; .env.example says how to make a key.")
    keys = []
    for number, key in enumerate(settings.FIELD_KEYS, start=1):
        try:
            keys.append(Fernet(key))
        except (ValueError, binascii.Error):
            raise FieldKeyProblem(
                f"Key {number} of FIELD_KEYS is not 32 bytes in URL-safe base64; "
                ".env.example says how to make one."
            )
    return MultiFernet(keys)
