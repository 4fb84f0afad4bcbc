"""Scales as they were asked, and the answers given to them."""

import uuid

from django.db import models
from django.db.models import Q


class ScaleVersion(models.Model):
    """A scale file as it stood when it was asked (canonical JSON and its hash), write-once."""

    key = models.CharField(max_length=60)
    sha256 = models.CharField(max_length=64)
    document = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "sha256"], name="scale_version_unique")]

    def __str__(self) -> str:
        return self.key


class Administration(models.Model):
    """One asking of one scale: the items exactly as rendered, in order, with side, anchors and words."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    scale = models.ForeignKey(ScaleVersion, on_delete=models.PROTECT, related_name="administrations")
    # See surveys/rendering.py: instruction, and per item key, order, side, text, anchors, kind, choices.
    rendered = models.JSONField()
    seed = models.BigIntegerField()
    created_at = models.DateTimeField()
    shown_at = models.DateTimeField(null=True, blank=True)
    # Missing answers are asked for once; after that the page may be left with them missing.
    reminded_at = models.DateTimeField(null=True, blank=True)
    completed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.scale_id} {self.id}"


class Response(models.Model):
    """The answer to one item; a row exists once the item was touched or left missing at the end."""

    class State(models.TextChoices):
        ANSWERED = "answered"
        MISSING = "missing"
        PREFER_NOT = "prefer_not"
        DOES_NOT_FIT = "does_not_fit"

    administration = models.ForeignKey(Administration, on_delete=models.CASCADE, related_name="responses")
    item = models.CharField(max_length=60)
    state = models.CharField(max_length=12, choices=State.choices)
    number = models.FloatField(null=True, blank=True)
    text = models.TextField(null=True, blank=True)
    # Milliseconds from the page being shown to the first and the last change.
    first_ms = models.PositiveIntegerField(null=True, blank=True)
    last_ms = models.PositiveIntegerField(null=True, blank=True)
    changes = models.PositiveIntegerField(default=0)
    # Order of saves as the browser numbered them; an older save never overwrites a newer one.
    revision = models.PositiveIntegerField(default=0)
    saved_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["administration", "item"], name="response_once_per_item"),
            models.CheckConstraint(
                condition=Q(state__in=["answered", "missing", "prefer_not", "does_not_fit"]),
                name="response_state_known",
            ),
            models.CheckConstraint(
                condition=(
                    Q(state="answered") & (Q(number__isnull=False) | Q(text__isnull=False))
                    | ~Q(state="answered") & Q(number__isnull=True) & Q(text__isnull=True)
                ),
                name="response_value_exactly_when_answered",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item}: {self.state}"
