"""Participants, their sessions, and the logs of what happened to them."""

import uuid

from django.db import models
from django.db.models import Q

from studyapp.chat.models import Conversation
from studyapp.studies.models import FrozenCondition, Study, StudyVersion
from surveys.models import Administration


class Kind(models.TextChoices):
    """What a session is for; each kind has an allocation log of its own."""

    LIVE = "live"
    PILOT = "pilot"
    PREVIEW = "preview"
    SIMULATED = "simulated"


class Participant(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="participants")
    # Pseudonym used everywhere else.
    code = models.CharField(max_length=12)
    # HMAC of study and normalised recruitment id; null where nobody recruited them (plain link, preview).
    recruitment_hash = models.CharField(max_length=64, null=True, blank=True)
    recruitment_id = models.TextField(blank=True)  # encrypted, see participation/recruitment_id.py
    source = models.CharField(max_length=20)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "recruitment_hash"], name="participant_enters_once"),
            models.UniqueConstraint(fields=["study", "code"], name="participant_code_unique"),
        ]

    def __str__(self) -> str:
        return self.code


class Session(models.Model):
    """One person's run through one frozen version."""

    class Status(models.TextChoices):
        ARRIVED = "arrived"
        DECLINED = "declined"
        STUDY_FULL = "study_full"
        SCREENED_OUT = "screened_out"
        ACTIVE = "active"
        COMPLETE = "complete"
        FAILED_CHECKS = "failed_checks"
        WITHDRAWN = "withdrawn"
        TIMED_OUT = "timed_out"
        TECHNICAL = "technical"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="sessions")
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="sessions")
    version = models.ForeignKey(StudyVersion, on_delete=models.CASCADE, related_name="sessions")
    condition = models.ForeignKey(
        FrozenCondition, null=True, blank=True, on_delete=models.CASCADE, related_name="sessions"
    )
    kind = models.CharField(max_length=10, choices=Kind.choices)
    wave = models.PositiveSmallIntegerField(default=1)
    status = models.CharField(max_length=15, choices=Status.choices, default=Status.ARRIVED)
    # Index into the version's steps; lives here only, never in the browser.
    position = models.PositiveSmallIntegerField(default=0)
    # Every draw of the session (orders, sides, cards) descends from it.
    seed = models.BigIntegerField()
    # Opt-in asked at consent: may the words be shared? Null until asked.
    share_words = models.BooleanField(null=True, blank=True)
    # Fixed and committed before the last page shows it; the same after every reload.
    completion_code = models.CharField(max_length=40, blank=True)
    app_version = models.CharField(max_length=40)
    app_commit = models.CharField(max_length=40, blank=True)
    arrived_at = models.DateTimeField()
    consented_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["participant", "wave"], name="session_once_per_wave"),
            models.CheckConstraint(
                condition=Q(kind__in=["live", "pilot", "preview", "simulated"]), name="session_kind_known"
            ),
            models.CheckConstraint(
                condition=Q(
                    status__in=[
                        "arrived",
                        "declined",
                        "study_full",
                        "screened_out",
                        "active",
                        "complete",
                        "failed_checks",
                        "withdrawn",
                        "timed_out",
                        "technical",
                    ]
                ),
                name="session_status_known",
            ),
            # Done means saved: the code is there exactly when the session is complete.
            models.CheckConstraint(
                condition=~Q(status="complete") | (~Q(completion_code="") & Q(finished_at__isnull=False)),
                name="session_complete_has_code",
            ),
        ]
        indexes = [models.Index(fields=["study", "kind", "status"], name="session_counts")]

    def __str__(self) -> str:
        return f"{self.participant_id} {self.status}"


class Visit(models.Model):
    """A session's passage through one step. Deleting it deletes what it points to (a trigger)."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="visits")
    position = models.PositiveSmallIntegerField()
    step_key = models.CharField(max_length=40)
    step_kind = models.CharField(max_length=20)
    administration = models.OneToOneField(
        Administration, null=True, blank=True, on_delete=models.PROTECT, related_name="visit"
    )
    conversation = models.OneToOneField(
        Conversation, null=True, blank=True, on_delete=models.PROTECT, related_name="visit"
    )
    started_at = models.DateTimeField()
    completed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["session", "position"]
        constraints = [models.UniqueConstraint(fields=["session", "position"], name="visit_once_per_step")]

    def __str__(self) -> str:
        return self.step_key


class Allocation(models.Model):
    """The allocation log: append-only, gap-free per study and kind; every draw can be replayed from it.

    Erasure takes only the pointer to the session: counts and draws name nobody.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="allocations")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    position = models.PositiveIntegerField()
    session = models.OneToOneField(
        Session, null=True, blank=True, on_delete=models.SET_NULL, related_name="allocation"
    )
    rule = models.JSONField()
    seed = models.CharField(max_length=64)
    stratum = models.CharField(max_length=120, blank=True)
    counts = models.JSONField()
    draw = models.JSONField()
    condition_slug = models.CharField(max_length=60)
    at = models.DateTimeField()

    class Meta:
        ordering = ["study", "kind", "position"]
        constraints = [
            models.UniqueConstraint(fields=["study", "kind", "position"], name="allocation_position_unique")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.position}: {self.condition_slug}"


class Draw(models.Model):
    """A logged draw of a session's own (Solomon share, which cards): what was asked and what came out."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="draws")
    name = models.CharField(max_length=30)
    rule = models.JSONField()
    result = models.JSONField()
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "name"], name="draw_once")]

    def __str__(self) -> str:
        return self.name


class Event(models.Model):
    """What happened to a session: append-only; keys and numbers, never words."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="events")
    kind = models.CharField(max_length=40)
    at = models.DateTimeField()
    detail = models.JSONField(default=dict)

    class Meta:
        ordering = ["session", "id"]
        indexes = [models.Index(fields=["session", "kind"], name="event_by_kind")]

    def __str__(self) -> str:
        return self.kind


class ProblemReport(models.Model):
    """A participant's words about a problem, for the researcher to read."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="problem_reports")
    step_key = models.CharField(max_length=40)
    text = models.TextField()
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"at {self.step_key}"


class Tombstone(models.Model):
    """What remains of an erased person: that there was one, and until the study closes the keyed hash."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="tombstones")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    recruitment_hash = models.CharField(max_length=64, null=True, blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "recruitment_hash"], name="tombstone_once")]

    def __str__(self) -> str:
        return f"erased {self.at:%Y-%m-%d}"
