"""What a provider is asked for one reply: composed from the brief, what was said and the task raised."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from studyapp.agents.protocol import ReplyRequest, Turn
from studyapp.seeds import derive

from .brief import Brief
from .conversations import brief_of, history
from .models import Attempt, Message
from .prompting import system_prompt


@dataclass(frozen=True)
class Question:
    """A request and the hash of its system prompt."""

    request: ReplyRequest
    prompt_sha256: str


def question(
    *, brief: Brief, turns: Sequence[Turn], seed: int, position: int, task_context: Mapping[str, Any] | None
) -> Question:
    """The request for the reply at ``position``. Pure: the same brief, turns and seed ask the same.

    ``seed`` is the conversation's; every position has a seed of its own below it.
    """
    composed = system_prompt(brief)
    return Question(
        request=ReplyRequest(
            system=composed.system,
            turns=tuple(turns),
            model=brief.model,
            parameters=brief.parameters,
            seed=derive(seed, "reply", position),
            context={**brief.context, **(task_context or {})},
        ),
        prompt_sha256=composed.sha256,
    )


def question_for(reply: Message) -> Question:
    """The request for a stored agent message that is still owed."""
    conversation = reply.conversation
    return question(
        brief=brief_of(conversation),
        turns=history(conversation, until=reply.position),
        seed=conversation.seed,
        position=reply.position,
        task_context=reply.task.context if reply.task else None,
    )


def attempt_at(asked: Question, *, brief: Brief, message: Message, number: int, **fields: Any) -> Attempt:
    """An unsaved attempt that records what was asked."""
    return Attempt(
        message=message,
        number=number,
        provider=brief.provider,
        model_asked=brief.model,
        parameters=brief.parameters,
        system_prompt=asked.request.system,
        prompt_sha256=asked.prompt_sha256,
        **fields,
    )
