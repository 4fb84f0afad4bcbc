"""Randomness that can be replayed: every draw descends from a stored seed and the names of what it is for."""

import hashlib
import random
import secrets


def derive(seed: int, *names: object) -> int:
    """A seed for a part of what ``seed`` governs: 63 bits of SHA-256 over the seed and the names.

    Distinct names give independent streams, so adding a draw never shifts another.
    """
    text = "\x1f".join([str(seed), *map(str, names)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def rng(seed: int, *names: object) -> random.Random:
    """A generator for the part of ``seed`` that the names spell out."""
    return random.Random(derive(seed, *names))


def fresh_seed() -> int:
    """A new seed (63 bits, fits a BigIntegerField)."""
    return secrets.randbits(63)
