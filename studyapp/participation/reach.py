"""Everything that hangs from a participant, found by walking what the rooms declare."""

from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import Any

from django.db import models

from studyapp.chat.models import Conversation, Message
from studyapp.participation.models import Participant, Session, Visit
from studyapp.personal import PersonalRows, declared


@dataclass(frozen=True)
class Reached:
    """Primary keys of all that is one participant's, by what rows may hang from."""

    participant: set[Any]
    session: set[Any]
    conversation: set[Any]
    administration: set[Any]
    message: set[Any]
    subject: set[str]

    def rows(self, rows: PersonalRows) -> models.QuerySet:
        """The declared model's rows that are this participant's."""
        return rows.model._default_manager.filter(**{f"{rows.path}__in": getattr(self, rows.by)})


def reached(participant: Participant) -> Reached:
    """What is ``participant``'s: sessions, their administrations and conversations, and forks of these."""
    sessions = set(Session.objects.filter(participant=participant).values_list("pk", flat=True))
    visits = Visit.objects.filter(session__in=sessions)
    administrations = set(
        visits.filter(administration__isnull=False).values_list("administration_id", flat=True)
    )
    conversations = _branches(
        set(visits.filter(conversation__isnull=False).values_list("conversation_id", flat=True))
    )
    messages = set(Message.objects.filter(conversation__in=conversations).values_list("pk", flat=True))
    return Reached(
        participant={participant.pk},
        session=sessions,
        conversation=conversations,
        administration=administrations,
        message=messages,
        subject={f"participant:{participant.pk}"}
        | {f"session:{pk}" for pk in sessions}
        | {f"conversation:{pk}" for pk in conversations}
        | {f"message:{pk}" for pk in messages},
    )


def in_deletion_order() -> list[PersonalRows]:
    """The declarations, those that point before those they point to."""
    every = list(declared())
    sorter: TopologicalSorter[type[models.Model]] = TopologicalSorter()
    known = {rows.model for rows in every}
    for model in known:
        sorter.add(model)
        for target in _targets(model):
            if target in known and target is not model:
                sorter.add(target, model)
    place = {model: index for index, model in enumerate(sorter.static_order())}
    return sorted(every, key=lambda rows: place[rows.model])


def _branches(conversations: set[Any]) -> set[Any]:
    """``conversations`` and all tied to them by a row of any room, such as forks and their exchanges."""
    found = set(conversations)
    ties = [
        (rows.model, names)
        for rows in declared()
        if (names := [field.attname for field in _keys(rows.model) if field.related_model is Conversation])
    ]
    while True:
        before = len(found)
        for model, names in ties:
            for name in names:
                for row in model._default_manager.filter(**{f"{name}__in": found}).values_list("pk", *names):
                    # A conversation is tied by its own key too: it continues another.
                    own = row if model is Conversation else row[1:]
                    found.update(key for key in own if key is not None)
        if len(found) == before:
            return found


def _keys(model: type[models.Model]) -> list[models.ForeignKey]:
    return [field for field in model._meta.concrete_fields if isinstance(field, models.ForeignKey)]


def _targets(model: type[models.Model]) -> list[type[models.Model]]:
    return [field.related_model for field in _keys(model)]
