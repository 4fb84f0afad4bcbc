"""Asynchronous work as rows: a row is claimed, retried and finished; a Celery message is only a nudge."""

from django.db import models
from django.db.models import Q


class Work(models.Model):
    """One unit of work, made in the transaction that needs it, so that neither exists without the other."""

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    kind = models.CharField(max_length=60)
    # With kind, the idempotency key: asking twice for the same work makes one row.
    key = models.CharField(max_length=200)
    # What the work is about ("conversation:<uuid>", "session:<uuid>"); erasure deletes by it.
    subject = models.CharField(max_length=80, blank=True, db_index=True)
    # Identifiers and numbers only, never words of a person.
    payload = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    max_attempts = models.PositiveSmallIntegerField(default=5)
    run_after = models.DateTimeField()
    lease_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=500, blank=True)

    class Meta:
        verbose_name_plural = "work"
        constraints = [
            models.UniqueConstraint(fields=["kind", "key"], name="work_once_per_kind_and_key"),
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "running", "done", "failed"]), name="work_state_known"
            ),
        ]
        indexes = [
            models.Index(
                fields=["run_after", "id"], condition=Q(state__in=["waiting", "running"]), name="work_due"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key} ({self.state})"
