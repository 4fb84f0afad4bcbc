"""What an attempt has brought so far and in the end, written only while the turn is still ours."""

from collections.abc import Iterable
from decimal import Decimal

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from studyapp.agents.prices import price_usd

from . import signals
from .calling import Outcome
from .claiming import Claim, give_up
from .models import Attempt, Message


@transaction.atomic
def record(held: Claim, outcome: Outcome, *, last: bool) -> bool:
    """Write the end of an attempt, and of its turn when the reply is whole or no attempt follows (``last``).

    Returns False, having written nothing, when the turn has been taken over, finished or erased.
    """
    message = (
        Message.objects.select_for_update().filter(pk=held.message_id, state=Message.State.STREAMING).first()
    )
    if message is None:
        return False
    attempt = message.attempts.order_by("-number").first()
    if attempt is None or attempt.number != held.number or attempt.ended_at is not None:
        return False
    describe(attempt, outcome)
    attempt.save()
    message.text = outcome.text
    if not outcome.failure:
        message.state = Message.State.COMPLETE
        message.completed_at = timezone.now()
        message.save(update_fields=["state", "text", "completed_at"])
        signals.turn_finished.send(sender=Message, messages=[message])
    elif last:
        give_up(message, failure=outcome.failure)
    signals.spend_recorded.send(sender=Attempt, attempts=[attempt])
    return True


@transaction.atomic
def write_texts(texts: Iterable[tuple[int, int, str]]) -> None:
    """Keep what has arrived of replies under way: (message id, attempt number, text) each."""
    for message_id, number, text in texts:
        newer = Attempt.objects.filter(message=OuterRef("pk"), number__gt=number)
        Message.objects.filter(~Exists(newer), pk=message_id, state=Message.State.STREAMING).update(text=text)


def describe(attempt: Attempt, outcome: Outcome) -> None:
    """Put on the attempt what came of it."""
    attempt.started_at = outcome.started_at
    attempt.first_token_at = outcome.first_token_at
    attempt.ended_at = outcome.ended_at
    attempt.failure = outcome.failure
    finished = outcome.finished
    if finished is None:
        return
    attempt.model_answered = _fitted(attempt, "model_answered", finished.model)
    attempt.request_id = _fitted(attempt, "request_id", finished.request_id)
    attempt.finish_reason = _fitted(attempt, "finish_reason", finished.reason)
    attempt.input_tokens = finished.input_tokens
    attempt.output_tokens = finished.output_tokens
    attempt.price_usd = _price(attempt)


def _price(attempt: Attempt) -> Decimal | None:
    kind = str(settings.PROVIDERS[attempt.provider]["kind"])
    model = attempt.model_answered or attempt.model_asked
    return price_usd(kind, model, attempt.input_tokens, attempt.output_tokens)


def _fitted(attempt: Attempt, field: str, value: str) -> str:
    # A model server may name anything; what it names must not keep the reply from being stored.
    return value.replace("\x00", "")[: Attempt._meta.get_field(field).max_length]
