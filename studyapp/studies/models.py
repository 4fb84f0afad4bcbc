"""Studies as they are edited (drafts), and as they run (frozen versions)."""

from django.conf import settings
from django.db import models
from django.db.models import Q


class Study(models.Model):
    """A study's draft. Sessions never run from here: they run from a StudyVersion."""

    class Status(models.TextChoices):
        DRAFT = "draft"
        PILOTING = "piloting"
        LIVE = "live"
        PAUSED = "paused"
        CLOSED = "closed"

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=200)
    summary = models.TextField(blank=True)
    language = models.CharField(max_length=10, default="en")
    duration_minutes = models.PositiveSmallIntegerField()
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.DRAFT)
    # Each of these is one section of the study file, shaped and checked by studies/study_file.py.
    contact = models.JSONField(default=dict)
    ethics = models.JSONField(default=dict)
    consent = models.JSONField(default=dict)
    texts = models.JSONField(default=dict)
    agent = models.JSONField(default=dict)
    allocation = models.JSONField(default=dict)
    draws = models.JSONField(default=dict)
    # How a belief card is put to the agent: templates for, against, none.
    stated = models.JSONField(default=dict)
    probes = models.JSONField(default=dict)
    recruitment = models.JSONField(default=dict)
    analysis = models.JSONField(default=dict)
    countries = models.JSONField(default=list)
    retention_days = models.PositiveIntegerField(default=3650)
    members: models.ManyToManyField = models.ManyToManyField(
        settings.AUTH_USER_MODEL, through="Membership", related_name="studies"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name_plural = "studies"
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=["draft", "piloting", "live", "paused", "closed"]),
                name="study_status_known",
            )
        ]

    def __str__(self) -> str:
        return self.title


class Membership(models.Model):
    class Role(models.TextChoices):
        OWNER = "owner"
        EDITOR = "editor"
        VIEWER = "viewer"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "user"], name="membership_once"),
            models.CheckConstraint(
                condition=Q(role__in=["owner", "editor", "viewer"]), name="membership_role_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"


class Factor(models.Model):
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="factors")
    name = models.SlugField(max_length=30)
    levels = models.JSONField()
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["study", "name"], name="factor_name_unique")]

    def __str__(self) -> str:
        return self.name


class Condition(models.Model):
    """One cell of the design: one explicit field per manipulation."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="conditions")
    slug = models.SlugField(max_length=60)
    label = models.CharField(max_length=120)
    position = models.PositiveSmallIntegerField()
    factors = models.JSONField(default=dict)
    # Dose of warmth from -1 (cold) to 1 (warm); 0 means no style text at all.
    warmth = models.FloatField(default=0.0)
    prompt_mode = models.CharField(max_length=20, default="recipe")
    prompt_text = models.TextField(blank=True)
    # Empty: as the study's agent section says.
    provider = models.CharField(max_length=60, blank=True)
    model = models.CharField(max_length=120, blank=True)
    parameters = models.JSONField(null=True, blank=True)
    weight = models.PositiveSmallIntegerField(default=1)
    cap = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["study", "slug"], name="condition_slug_unique"),
            models.CheckConstraint(
                condition=Q(warmth__gte=-1, warmth__lte=1), name="condition_warmth_is_a_dose"
            ),
            models.CheckConstraint(
                condition=Q(prompt_mode__in=["recipe", "recipe_and_text", "text"]),
                name="condition_prompt_mode_known",
            ),
            models.CheckConstraint(condition=Q(weight__gte=1), name="condition_weight_positive"),
        ]

    def __str__(self) -> str:
        return self.label


class Step(models.Model):
    """One page, or one page after another, of a session; ``config`` is shaped by its kind."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="steps")
    key = models.SlugField(max_length=40)
    kind = models.CharField(max_length=20)
    position = models.PositiveSmallIntegerField()
    config = models.JSONField(default=dict)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="step_key_unique"),
            models.UniqueConstraint(fields=["study", "position"], name="step_position_unique"),
        ]

    def __str__(self) -> str:
        return self.key


class BeliefCard(models.Model):
    """A claim people hold or not: rated, discussed and probed."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="cards")
    key = models.SlugField(max_length=40)
    position = models.PositiveSmallIntegerField()
    # A that-clause without its "that": fits "Is it true that ...?"
    claim = models.CharField(max_length=240)
    truth = models.BooleanField()
    explanation = models.TextField()
    domain = models.CharField(max_length=40)
    source = models.CharField(max_length=300)
    # "no", or "person, date"
    verified = models.CharField(max_length=120, default="no")
    refusal = models.CharField(max_length=20, default="uncommitted")

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["study", "key"], name="card_key_unique")]

    def __str__(self) -> str:
        return self.claim


class StudyVersion(models.Model):
    """A study as it ran: the whole document, its hash, write-once (a trigger refuses every update)."""

    class Kind(models.TextChoices):
        REHEARSAL = "rehearsal"
        LIVE = "live"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=Kind.choices)
    document = models.JSONField()
    sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="version_number_unique"),
            models.UniqueConstraint(fields=["study", "kind", "sha256"], name="version_document_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.study.slug} v{self.number}"


class FrozenCondition(models.Model):
    """A condition of a version, as a row, for keys and constraints; its text lies in the document."""

    version = models.ForeignKey(StudyVersion, on_delete=models.CASCADE, related_name="conditions")
    slug = models.SlugField(max_length=60)
    position = models.PositiveSmallIntegerField()
    factors = models.JSONField(default=dict)
    weight = models.PositiveSmallIntegerField()
    cap = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["version", "position"]
        constraints = [models.UniqueConstraint(fields=["version", "slug"], name="frozen_condition_unique")]

    def __str__(self) -> str:
        return self.slug


class AuditEntry(models.Model):
    """Who exported, erased, launched, changed what; never words of a participant."""

    at = models.DateTimeField(auto_now_add=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    study_slug = models.CharField(max_length=60, blank=True)
    action = models.CharField(max_length=40)
    detail = models.JSONField(default=dict)

    class Meta:
        ordering = ["-at"]
        verbose_name_plural = "audit entries"

    def __str__(self) -> str:
        return f"{self.action} {self.study_slug}"
