"""Judge replies: codes by the rule coder, and the verdict they make."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from studyapp.chat.models import Message
from studyapp.verdicts.coders import stance_rules
from studyapp.verdicts.models import Code, Verdict

KIND = "verdicts.code"
# The rule of a verdict that rests on one coder alone.
SINGLE_CODER = "single coder"
# What a claim can be told from: tasks without it are not claims.
_NEEDED = ("claim", "stated")
_ROWS = 1000


def run_coding(payload: dict[str, Any]) -> None:
    """Handler of ``verdicts.code``: ``messages`` holds message ids; those that are gone are left out."""
    code_messages(message_ids=payload["messages"])


def code_messages(*, message_ids: Sequence[int]) -> int:
    """Code the stance of finished replies to claims and set their verdicts; returns how many were coded.

    Idempotent: a message this version of the coder has coded stays as it is. A newer version adds its
    code and the verdict becomes its. A reply that failed is coded ``failed``.
    """
    coded = Code.objects.filter(
        message=OuterRef("pk"),
        measure=stance_rules.MEASURE,
        coder=stance_rules.CODER,
        coder_version=stance_rules.VERSION,
    )
    messages = list(
        Message.objects.filter(
            ~Exists(coded),
            pk__in=message_ids,
            role=Message.Role.AGENT,
            state__in=(Message.State.COMPLETE, Message.State.FAILED),
            task__context__has_keys=_NEEDED,
        )
        .select_related("task")
        .order_by("pk")
    )
    codes = [_code(message) for message in messages]
    with transaction.atomic():
        Code.objects.bulk_create(codes, batch_size=_ROWS, ignore_conflicts=True)
        _set_verdicts(codes)
    return len(codes)


def _code(message: Message) -> Code:
    assert message.task is not None, "only replies to a task are read"
    if message.state == Message.State.FAILED:
        coded = stance_rules.Coded("failed", "", None)
    else:
        context = message.task.context
        coded = stance_rules.code(
            message.text,
            claim=context["claim"]["text"],
            stated=context["stated"],
            put=message.task.text,
        )
    return Code(
        message=message,
        measure=stance_rules.MEASURE,
        value=coded.value,
        coder_kind="rule",
        coder=stance_rules.CODER,
        coder_version=stance_rules.VERSION,
        evidence=coded.evidence,
        evidence_start=coded.start,
        created_at=timezone.now(),
    )


def _set_verdicts(codes: Iterable[Code]) -> None:
    Verdict.objects.bulk_create(
        [
            Verdict(
                message=code.message,
                measure=code.measure,
                value=code.value,
                rule=SINGLE_CODER,
                created_at=code.created_at,
            )
            for code in codes
        ],
        batch_size=_ROWS,
        update_conflicts=True,
        unique_fields=["message", "measure"],
        update_fields=["value", "rule", "created_at"],
    )
