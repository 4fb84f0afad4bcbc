"""Judgements of messages: codes by single coders, verdicts as their consensus."""

from django.db import models

from studyapp.chat.models import Message


class Code(models.Model):
    """One coder's judgement of one message on one measure, with the span it rests on."""

    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="codes")
    measure = models.CharField(max_length=40)
    value = models.CharField(max_length=40)
    coder_kind = models.CharField(max_length=10)
    coder = models.CharField(max_length=60)
    coder_version = models.CharField(max_length=20)
    # Quoted verbatim from the message: text[start:end] == evidence.
    evidence = models.TextField(blank=True)
    evidence_start = models.PositiveIntegerField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["message", "measure", "coder", "coder_version"], name="code_once_per_coder"
            )
        ]

    def __str__(self) -> str:
        return f"{self.measure}: {self.value}"


class Verdict(models.Model):
    """The consensus of a message's codes on one measure."""

    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="verdicts")
    measure = models.CharField(max_length=40)
    value = models.CharField(max_length=40)
    rule = models.CharField(max_length=40)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["message", "measure"], name="verdict_once")]

    def __str__(self) -> str:
        return f"{self.measure}: {self.value}"
