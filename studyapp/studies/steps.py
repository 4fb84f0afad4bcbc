"""The kinds of step a session is made of, told apart by ``kind``."""

from typing import Annotated, Literal, get_args

from pydantic import Field

from studyapp.studies.sections import Key, Shape, Text


class _Step(Shape):
    key: Key = Field(description="short name, as in affect_before")


class _Skippable(_Step):
    """A step that the Solomon share of sessions may be spared."""

    unless: Literal["solomon"] | None = Field(default=None, description="solomon, or nothing")


class ConsentStep(_Step):
    kind: Literal["consent"]


class AskedItem(Shape):
    key: Key = Field(description="short name, as in calm")
    text: Text = Field(description="what is asked")


class ScaleStep(_Skippable):
    kind: Literal["scale"]
    scale: Key = Field(description="a scale's key")
    words: dict[str, str] = Field(default={}, description="words piped into the items, by name")
    items: list[AskedItem] | None = Field(
        default=None, min_length=1, description="key and text, for a scale that leaves its items to the study"
    )


class RatingsStep(_Skippable):
    """How likely the session's drawn claims are true, 0-100."""

    kind: Literal["ratings"]
    when: Literal["before", "after"] = Field(description="before or after the conversation")


class AllocationStep(_Step):
    kind: Literal["allocation"]


class ConversationStep(_Step):
    kind: Literal["conversation"]
    min_turns: int = Field(ge=1, le=100, description="messages before it may be ended")
    max_turns: int = Field(ge=1, le=100, description="messages at most")
    prompt: Text = Field(description="what the participant is asked to talk about")


class CardsStep(_Skippable):
    """Live cards: a second conversation that continues the first; each drawn claim asked with one tap."""

    kind: Literal["cards"]
    intro: Text = Field(description="what the participant is asked to do")


class RightStep(_Skippable):
    """Per claim discussed: was what the partner told you right?"""

    kind: Literal["right"]


class DebriefStep(_Step):
    kind: Literal["debrief"]


class CodeStep(_Step):
    kind: Literal["code"]


Step = Annotated[
    ConsentStep
    | ScaleStep
    | RatingsStep
    | AllocationStep
    | ConversationStep
    | CardsStep
    | RightStep
    | DebriefStep
    | CodeStep,
    Field(discriminator="kind"),
]

KINDS: dict[str, type[_Step]] = {
    get_args(kind.model_fields["kind"].annotation)[0]: kind for kind in get_args(get_args(Step)[0])
}
