"""Conversations, the turns in them, and every attempt to get a reply."""

import uuid

from django.db import models
from django.db.models import F, Q


class ChatProcess(models.Model):
    """A process that generates replies; while it beats, the attempts it holds are its own."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    started_at = models.DateTimeField()
    beat_at = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name_plural = "chat processes"

    def __str__(self) -> str:
        return str(self.id)


class Conversation(models.Model):
    """An exchange with an agent. It knows nothing of studies or participants.

    ``brief`` holds all the caller fixed when the conversation was made (see ``chat.brief.Brief``):
    persona snapshot, provider name, model, parameters, opening, limits, failure policy, pacing.
    """

    class Kind(models.TextChoices):
        MAIN = "main"
        CARDS = "cards"
        FORK = "fork"

    class State(models.TextChoices):
        OPEN = "open"
        ENDED = "ended"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    brief = models.JSONField()
    seed = models.BigIntegerField()
    # History handed over: the messages of another conversation up to and including a position.
    continues = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.CASCADE, related_name="continued_by"
    )
    continues_until = models.PositiveIntegerField(null=True, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    end_reason = models.CharField(max_length=30, blank=True)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["main", "cards", "fork"]), name="conversation_kind_known"
            ),
            models.CheckConstraint(
                condition=Q(state="open", ended_at__isnull=True) | Q(state="ended", ended_at__isnull=False),
                name="conversation_ended_has_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


class Task(models.Model):
    """Something to be raised in a conversation with fixed wording, such as a belief card or a probe."""

    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="tasks")
    key = models.CharField(max_length=60)
    position = models.PositiveSmallIntegerField()
    text = models.TextField()
    # Plain data for scripted agents and coders (claim, stated belief, draw); never sent to a real provider.
    context = models.JSONField(default=dict)
    raised_at = models.DateTimeField(null=True, blank=True)
    raised_in = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["conversation", "key"], name="task_once_per_conversation"),
            models.UniqueConstraint(fields=["conversation", "position"], name="task_position_unique"),
        ]

    def __str__(self) -> str:
        return self.key


class Message(models.Model):
    """One message. An agent's message is made with its participant's message and is the *turn*."""

    class Role(models.TextChoices):
        PARTICIPANT = "participant"
        AGENT = "agent"

    class State(models.TextChoices):
        PENDING = "pending"
        STREAMING = "streaming"
        COMPLETE = "complete"
        FAILED = "failed"

    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="messages")
    position = models.PositiveIntegerField()
    role = models.CharField(max_length=12, choices=Role.choices)
    state = models.CharField(max_length=10, choices=State.choices)
    text = models.TextField(blank=True)
    # Set by the participant's browser, so that a repeated POST finds its first.
    client_key = models.CharField(max_length=64, null=True, blank=True)
    task = models.ForeignKey(Task, null=True, blank=True, on_delete=models.CASCADE, related_name="messages")
    failure = models.CharField(max_length=20, blank=True)
    # Pacing shown to the participant: {"start_ms": int, "ms_per_char": number}; counted from created_at.
    schedule = models.JSONField(default=dict)
    created_at = models.DateTimeField()
    completed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["conversation", "position"]
        constraints = [
            models.UniqueConstraint(fields=["conversation", "position"], name="message_position_unique"),
            models.UniqueConstraint(fields=["conversation", "client_key"], name="message_client_key_unique"),
            models.CheckConstraint(
                condition=Q(state__in=["pending", "streaming", "complete", "failed"]),
                name="message_state_known",
            ),
            models.CheckConstraint(
                condition=~Q(state="failed") | ~Q(failure=""), name="message_failed_says_how"
            ),
            # One reply in flight per conversation.
            models.UniqueConstraint(
                fields=["conversation"],
                condition=Q(role="agent", state__in=["pending", "streaming"]),
                name="message_one_reply_in_flight",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role} {self.position}"


class Attempt(models.Model):
    """One call to a provider for one turn, kept whatever came of it."""

    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="attempts")
    number = models.PositiveSmallIntegerField()
    # Plain id, not a key: process rows are swept, attempts stay.
    process = models.UUIDField(null=True, blank=True)
    provider = models.CharField(max_length=60)
    model_asked = models.CharField(max_length=120)
    model_answered = models.CharField(max_length=120, blank=True)
    parameters = models.JSONField(default=dict)
    system_prompt = models.TextField()
    prompt_sha256 = models.CharField(max_length=64)
    input_tokens = models.PositiveIntegerField(null=True, blank=True)
    output_tokens = models.PositiveIntegerField(null=True, blank=True)
    price_usd = models.DecimalField(max_digits=12, decimal_places=8, null=True, blank=True)
    request_id = models.CharField(max_length=120, blank=True)
    started_at = models.DateTimeField()
    first_token_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    finish_reason = models.CharField(max_length=30, blank=True)
    # "" while running or when all went well; else refused, cut, empty, rate_limited, timed_out,
    # broken, unauthorised, lost (its process died).
    failure = models.CharField(max_length=20, blank=True)

    class Meta:
        ordering = ["message", "number"]
        constraints = [
            models.UniqueConstraint(fields=["message", "number"], name="attempt_number_unique"),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True) | Q(ended_at__gte=F("started_at")),
                name="attempt_ends_after_start",
            ),
        ]

    def __str__(self) -> str:
        return f"attempt {self.number}"
