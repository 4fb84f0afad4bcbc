"""What a conversation of a study is made with, from the frozen document and a condition."""

from collections.abc import Mapping
from typing import Any

from studyapp.agents import persona_parts
from studyapp.agents.brief import Brief
from studyapp.agents.prompt import DEFAULT_BASE
from studyapp.studies.document import Document
from studyapp.studies.steps import CardsStep, ConversationStep


def brief_for(
    document: Document,
    condition_slug: str,
    *,
    step: ConversationStep | CardsStep,
    truth: Mapping[str, Any] | None = None,
    persona: bool = True,
    history: bool = True,
) -> Brief:
    """The brief of a conversation in a condition.

    Parameters
    ----------
    document: made with ``Document.of``, because the brief says which version it is of (else ValueError).
    step: the conversation gets the study's opening and its turns; cards take one turn per claim discussed.
    truth: what the demo agent holds true and how often it says so; None: its own default.
    persona, history: False in the shadows of a fork. Without persona nothing of the condition remains.
    """
    if document.version_id is None:
        raise ValueError("the brief names the version it is of: make the document with Document.of(version)")
    condition = document.condition(condition_slug)
    agent = document.agent_for(condition_slug)
    dose = condition.warmth if persona else 0.0
    turns = _turns(document, step)
    context: dict[str, Any] = {
        "dose": dose,
        "persona": persona,
        "history": history,
        "origin": {"version": document.version_id, "condition": condition_slug},
    }
    if truth is not None:
        context["truth"] = dict(truth)
    return Brief(
        agent_name=agent["name"],
        persona=_persona(document, condition_slug, agent) if persona else {"prompt_mode": "none"},
        provider=agent["provider"],
        model=agent["model"],
        parameters=agent["parameters"],
        opening=agent["opening"] if step.kind == "conversation" else "",
        min_turns=turns[0],
        max_turns=turns[1],
        max_characters=agent["max_characters"],
        first_token_s=agent["first_token_s"],
        whole_s=agent["whole_s"],
        attempts=agent["attempts"],
        start_ms=agent["start_ms"],
        ms_per_char=agent["ms_per_char"],
        context=context,
    )


def _turns(document: Document, step: ConversationStep | CardsStep) -> tuple[int, int]:
    if step.kind == "conversation":
        return step.min_turns, step.max_turns
    discussed = document.draws.cards.discussed if document.draws.cards else 0
    return discussed, discussed


def _persona(document: Document, condition_slug: str, agent: Mapping[str, Any]) -> dict[str, Any]:
    """What ``agents.prompt.compose`` makes the system prompt of, with the frozen parts it needs."""
    condition = document.condition(condition_slug)
    persona = {
        "agent_name": agent["name"],
        "warmth": condition.warmth,
        "prompt_mode": condition.prompt_mode,
        "prompt_text": condition.prompt_text,
        "base": agent["base"] or DEFAULT_BASE,
    }
    if condition.prompt_mode != "text":
        parts = document.data["persona_parts"]
        band = persona_parts.band(parts, condition.warmth)
        persona["parts"] = {
            "base": {persona["base"]: parts["base"][persona["base"]]},
            "warmth": parts["warmth"] | {"bands": [band]},
        }
    return persona
