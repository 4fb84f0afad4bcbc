"""From a condition's persona to the system prompt: pure, so that any prompt can be made again."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studyapp.agents import persona_parts
from studyapp.canonical import sha256

MODES = ("recipe", "recipe_and_text", "text", "none")
DEFAULT_BASE = "plain"


@dataclass(frozen=True)
class Composed:
    """A system prompt; ``system`` is "" where nothing is to be sent. The hash is SHA-256 of the text."""

    system: str
    sha256: str


def compose(persona: Mapping[str, Any]) -> Composed:
    """Put a system prompt together.

    ``persona`` holds ``agent_name``; ``warmth`` (dose, -1 to 1; 0 adds no style text); ``prompt_mode``:
    *recipe* (base and style), *recipe_and_text* (and ``prompt_text`` after them), *text* (``prompt_text``
    alone) or *none* (no system prompt: the model as it is); ``base`` (key of a base part, "" for the plain
    one); ``notes`` (sentences added at the end in every mode but *none*, alike in all conditions); ``parts``
    (as ``persona_parts.shipped``, frozen with the study; the shipped ones when missing). ``{agent_name}`` in
    any text is replaced; other braces stay. Parts are parted by an empty line. Raises ValueError naming what
    is wrong.
    """
    mode = persona.get("prompt_mode", "recipe")
    if mode not in MODES:
        raise ValueError(f"prompt_mode {mode!r} is not one of {', '.join(MODES)}")
    if mode == "none":
        return _composed("")
    text = str(persona.get("prompt_text") or "").strip()
    if mode in ("text", "recipe_and_text") and not text:
        raise ValueError(f"prompt_mode '{mode}' needs a prompt_text, which is empty")
    texts: list[str] = []
    if mode != "text":
        parts = persona.get("parts") or persona_parts.shipped()
        base = persona.get("base") or DEFAULT_BASE
        if base not in parts["base"]:
            raise ValueError(f"base {base!r} is not one of {', '.join(sorted(parts['base']))}")
        texts += [parts["base"][base]["text"], persona_parts.band(parts, persona.get("warmth", 0.0))["text"]]
    if mode != "recipe":
        texts.append(text)
    notes = persona.get("notes") or ()
    texts += [notes] if isinstance(notes, str) else notes
    system = "\n\n".join(part.strip() for part in texts if part.strip())
    return _composed(system.replace("{agent_name}", str(persona.get("agent_name", ""))))


def _composed(system: str) -> Composed:
    return Composed(system=system, sha256=sha256(system))
