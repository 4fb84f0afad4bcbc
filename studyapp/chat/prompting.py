"""The system prompt of a conversation, composed once per persona."""

import json
from functools import lru_cache

from studyapp.agents.prompt import Composed, compose
from studyapp.canonical import canonical_json

from .brief import Brief


def system_prompt(brief: Brief) -> Composed:
    """The composed prompt of the brief's persona. Raises ValueError for a persona that cannot be composed."""
    return _composed(canonical_json(brief.persona))


# Thousands of forks share a handful of personas.
@lru_cache(maxsize=256)
def _composed(persona: str) -> Composed:
    return compose(json.loads(persona))
