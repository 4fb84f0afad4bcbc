"""What is personal, declared by the room that keeps it.

Each room with rows about a person lists them in ``<room>/personal.py`` as ``PERSONAL``. Erasure,
invariants and "what we keep about you" walk the declarations; a test fails where a model with text
has none.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Literal

from django.apps import apps
from django.db import models

Reach = Literal["participant", "session", "conversation", "administration", "message", "subject"]


@dataclass(frozen=True)
class PersonalRows:
    """Rows of one model that are about a person.

    Attributes
    ----------
    model: the model class.
    by: what the rows hang from.
    path: the lookup that leads from the model to that thing's primary key, e.g. ``"conversation_id"``.
    what: what is kept, in words a participant understands.
    why: what it is kept for.
    """

    model: type[models.Model]
    by: Reach
    path: str
    what: str
    why: str


def declared() -> Iterator[PersonalRows]:
    """Every declaration of every installed room, in the order of INSTALLED_APPS."""
    for config in apps.get_app_configs():
        name = f"{config.name}.personal"
        if find_spec(name) is not None:
            yield from import_module(name).PERSONAL
