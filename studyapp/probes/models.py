"""Forks: branches of a real conversation's state in which a probe is put, shown to nobody."""

from django.db import models
from django.db.models import Q

from studyapp.chat.models import Conversation
from studyapp.studies.models import FrozenCondition, StudyVersion


class Fork(models.Model):
    """One probe put to one copy of a state (or, in a battery, to a bare condition), once.

    The exchange itself is a conversation of kind ``fork``; deleting the fork deletes it (a trigger).
    """

    version = models.ForeignKey(StudyVersion, on_delete=models.CASCADE, related_name="forks")
    condition = models.ForeignKey(
        FrozenCondition, null=True, blank=True, on_delete=models.CASCADE, related_name="forks"
    )
    # The conversation copied; null in a battery.
    origin = models.ForeignKey(
        Conversation, null=True, blank=True, on_delete=models.CASCADE, related_name="forks"
    )
    # "" for forks of conversations, else the battery's name ("private" for private stances).
    battery = models.CharField(max_length=80, blank=True)
    # SHA-256 of who answered: provider, model, parameters (and, for a scripted agent, its truth).
    # Told and private stances of the same agent share it; conditions may differ in model.
    agent_sha256 = models.CharField(max_length=64)
    # Agent turns the copied state holds (0 in a battery), and which of the set points that is.
    turn = models.PositiveSmallIntegerField()
    point = models.CharField(max_length=10)
    probe = models.CharField(max_length=60)
    stated = models.CharField(max_length=10)
    persona = models.BooleanField()
    history = models.BooleanField()
    draw = models.PositiveSmallIntegerField()
    exchange = models.OneToOneField(Conversation, on_delete=models.PROTECT, related_name="fork")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(origin__isnull=False, battery="") | (Q(origin__isnull=True) & ~Q(battery="")),
                name="fork_of_conversation_or_battery",
            ),
            models.CheckConstraint(
                condition=Q(stated__in=["for", "against", "none"]), name="fork_stated_known"
            ),
            models.UniqueConstraint(
                fields=["origin", "turn", "probe", "stated", "persona", "history", "draw"],
                condition=Q(origin__isnull=False),
                name="fork_once",
            ),
            models.UniqueConstraint(
                fields=["version", "battery", "agent_sha256", "probe", "stated", "draw"],
                condition=Q(origin__isnull=True),
                name="battery_fork_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.probe} {self.stated} draw {self.draw}"
