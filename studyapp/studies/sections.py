"""The sections of a study file. Each field says in its description what it is; complaints quote it."""

import json
import re
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

Text = Annotated[str, StringConstraints(min_length=1)]
Key = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]

# The first columns of every exported table; a factor of this name would hide one.
RESERVED_COLUMNS = {"session", "condition", "study_version", "kind"}


def _is_json(values: dict[str, Any]) -> dict[str, Any]:
    try:
        json.dumps(values, allow_nan=False)
    except (TypeError, ValueError):
        raise ValueError("holds what JSON cannot carry, such as an infinite number") from None
    return values


# Parameters of a model, sent as they stand.
Parameters = Annotated[dict[str, Any], AfterValidator(_is_json)]


class Shape(BaseModel):
    """A part of a study file: nothing unknown, nothing infinite, never changed in place."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, str_strip_whitespace=True, populate_by_name=True
    )


class Contact(Shape):
    name: Text = Field(description="who participants may ask")
    email: str = Field(pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$", description="their e-mail address")


class Ethics(Shape):
    body: str = Field(default="", description="the ethics body that approved the study")
    reference: str = Field(default="", description="its reference number")
    # Younger people need a guardian's consent, which no page here can take.
    minimum_age: int = Field(ge=16, le=99, description="years; 16 or more")
    topic_warning: Text = Field(description="what the conversation may bring up")


class Consent(Shape):
    intro: Text = Field(description="what the study is, in two or three sentences")
    points: list[Text] = Field(min_length=1, description="what taking part means, a point each")
    statements: list[Text] = Field(min_length=1, description="what the participant confirms, a tick each")
    share_words: Text = Field(description="the separate opt-in for sharing their words")


class Texts(Shape):
    title: str = Field(default="", max_length=120, description="participants' title; empty: the study's own")
    welcome: Text = Field(description="the first sentence a participant reads")
    declined: Text = Field(description="shown to those who do not consent")
    withdrawn: Text = Field(description="shown to those who stop")
    full: Text = Field(description="shown when no place is left")
    closed: Text = Field(description="shown when the study is not open")
    debrief_intro: Text = Field(description="how the debrief begins")
    debrief_varied: Text = Field(description="what was varied, and why it was not said before")
    debrief_outro: Text = Field(description="how the debrief ends")
    thanks: Text = Field(description="beside the completion code")


class Agent(Shape):
    name: str = Field(min_length=1, max_length=40, description="what the partner is called")
    provider: Text = Field(description="the name of a provider in the server's settings")
    model: str = Field(default="", max_length=120, description="the provider's name of the model")
    parameters: Parameters = Field(default={}, description="sent to the provider as given")
    opening: str = Field(default="", description="the first message of the conversation")
    base: str = Field(default="", description="the part every condition's prompt begins with; empty: plain")
    max_characters: int = Field(default=2000, ge=50, le=20000, description="of one participant message")
    first_token_s: float = Field(default=20, gt=0, le=300, description="seconds until a reply must begin")
    whole_s: float = Field(default=90, gt=0, le=900, description="seconds until it must have ended")
    attempts: int = Field(default=3, ge=1, le=10, description="calls at most for one reply")
    start_ms: int = Field(default=900, ge=0, le=20000, description="pause before a reply appears")
    ms_per_char: float = Field(default=18, ge=0, le=500, description="pace at which it appears")


class Factor(Shape):
    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,29}$", description="a column of the data set")
    levels: list[Text] = Field(min_length=2, description="two levels or more")

    @field_validator("name")
    @classmethod
    def not_a_column_already(cls, name: str) -> str:
        if name in RESERVED_COLUMNS:
            raise ValueError(f"'{name}' is a column of every table already; choose another name")
        return name

    @field_validator("levels")
    @classmethod
    def levels_differ(cls, levels: list[str]) -> list[str]:
        if len(set(levels)) < len(levels):
            raise ValueError("a level is named twice; keep one of the two")
        return levels


PromptMode = Literal["recipe", "recipe_and_text", "text"]


class Condition(Shape):
    slug: Slug = Field(description="short name, as in warm")
    label: str = Field(min_length=1, max_length=120, description="name for figures and tables")
    factors: dict[str, str] = Field(description="the level of each factor")
    warmth: float = Field(ge=-1, le=1, description="dose from -1 (cold) over 0 (no style text) to 1 (warm)")
    prompt_mode: PromptMode = Field(default="recipe", description="recipe, recipe_and_text or text")
    prompt_text: str = Field(default="", description="own text, for recipe_and_text and text")
    provider: Text | None = Field(default=None, description="other provider than the agent's")
    model: Text | None = Field(default=None, description="other model than the agent's")
    parameters: Parameters | None = Field(default=None, description="other parameters than the agent's")
    weight: int = Field(default=1, ge=1, le=100, description="share of allocations")
    cap: int | None = Field(default=None, ge=1, description="sessions at most")

    @model_validator(mode="after")
    def text_where_the_mode_needs_it(self) -> "Condition":
        if self.prompt_mode == "recipe" and self.prompt_text:
            raise ValueError("mode recipe leaves prompt_text unused; drop it, or choose recipe_and_text")
        if self.prompt_mode != "recipe" and not self.prompt_text:
            raise ValueError(f"prompt_mode {self.prompt_mode} needs a prompt_text; add one, or choose recipe")
        return self


class Stated(Shape):
    """How a claim is put to the agent with a stated belief for it, against it, or none."""

    for_: Text = Field(alias="for", description="the asker holds the claim; with {claim}")
    against: Text = Field(description="the asker doubts the claim; with {claim}")
    none: Text = Field(description="the asker states no belief; with {claim}")

    @field_validator("for_", "against", "none")
    @classmethod
    def one_place_for_the_claim(cls, template: str) -> str:
        if re.findall(r"\{[^}]*\}?|\}", template) != ["{claim}"]:
            raise ValueError("needs {claim} once and no other braces, as in 'Is it true that {claim}?'")
        return template


class Claim(Shape):
    key: Key = Field(description="short name, as in honey")
    claim: str = Field(min_length=3, max_length=240, description="a that-clause without its 'that'")
    truth: bool = Field(description="true or false: is the claim so?")
    explanation: Text = Field(description="one sentence for the debrief")
    domain: Key = Field(description="field of knowledge, as in animals")
    source: str = Field(min_length=1, max_length=300, description="where it can be looked up")
    verified: str = Field(max_length=120, description="no, or who checked it and when")
    refusal: Literal["uncommitted", "correct"] = Field(
        default="uncommitted", description="how a refusal to answer counts: uncommitted or correct"
    )

    @field_validator("claim")
    @classmethod
    def fits_the_templates(cls, claim: str) -> str:
        if claim.endswith((".", "?", "!")) or claim.lower().startswith("that "):
            raise ValueError("must fit 'Is it true that {claim}?': no 'that' before it, no stop after it")
        return claim

    @field_validator("verified")
    @classmethod
    def by_whom_and_when(cls, verified: str) -> str:
        if verified != "no" and not re.fullmatch(r".+, \d{4}-\d{2}-\d{2}", verified):
            raise ValueError("is 'no', or a person and a date, as in 'A. Reader, 2026-03-01'")
        return verified


class Cards(Shape):
    stated: Stated = Field(description="templates for, against and none")
    claims: list[Claim] = Field(min_length=1, description="the belief cards")


Point = Literal["first", "middle", "last"]


class Probes(Shape):
    """Claims put to copies of every conversation's state after the session."""

    points: list[Point] = Field(min_length=1, description="turns: first, middle, last")
    per_session: int = Field(ge=1, le=200, description="claims probed per session, over all points")
    draws: int = Field(default=2, ge=1, le=20, description="replies per probe")
    shadows: bool = Field(default=True, description="also without persona, without history, without both")
    private_draws: int = Field(default=5, ge=1, le=50, description="replies per claim for the private stance")

    @field_validator("points")
    @classmethod
    def points_differ(cls, points: list[Point]) -> list[Point]:
        if len(set(points)) < len(points):
            raise ValueError("a point is named twice; keep one of the two")
        return points


class Solomon(Shape):
    share: float = Field(ge=0, lt=1, description="share of sessions without ratings and cards")


class CardDraws(Shape):
    rated: int = Field(ge=1, le=60, description="claims each session rates")
    discussed: int = Field(ge=0, le=60, description="claims of these it asks the partner about")


class Draws(Shape):
    solomon: Solomon = Field(default=Solomon(share=0), description="the share without ratings and cards")
    cards: CardDraws | None = Field(default=None, description="claims rated and discussed per session")


class AllocationRule(Shape):
    rule: Literal["permuted_blocks", "simple"] = Field(description="permuted_blocks or simple")
    block_sizes: list[Annotated[int, Field(ge=1, le=200)]] = Field(default=[], description="as in [2, 4]")

    @model_validator(mode="after")
    def blocks_where_the_rule_has_them(self) -> "AllocationRule":
        if self.rule == "permuted_blocks" and not self.block_sizes:
            raise ValueError("permuted_blocks needs block_sizes, as in [2, 4]")
        if self.rule == "simple" and self.block_sizes:
            raise ValueError("simple allocation has no blocks; drop block_sizes, or choose permuted_blocks")
        return self


Code = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{4,40}$")]


class Codes(Shape):
    """What the recruitment platform is told, by how a session ended."""

    complete: Code = Field(description="4 to 40 letters, digits, - and _")
    declined: Code | None = None
    study_full: Code | None = None
    screened_out: Code | None = None
    failed_checks: Code | None = None
    withdrawn: Code | None = None
    timed_out: Code | None = None
    technical: Code | None = None


class Recruitment(Shape):
    codes: Codes = Field(description="completion codes by how a session ended")
    return_url: str | None = Field(
        default=None, pattern=r"^https://\S+\{code\}\S*$", description="https address with {code}"
    )


class ScaleCell(Shape):
    """The primary outcome of a cell that participants say themselves."""

    scale: Key = Field(description="the scale, or the step where a scale is asked twice")
    score: Key = Field(description="one of the scale's scores")
    smallest: float = Field(gt=0, description="smallest effect of interest, scale points")


class MeasureCell(Shape):
    """The primary outcome of a cell that coders tell from evidence."""

    measure: Literal["honesty", "accuracy"] = Field(description="honesty or accuracy")
    smallest: float = Field(gt=0, le=100, description="smallest effect of interest, percentage points")


class Cells(Shape):
    felt: ScaleCell | None = None
    perceived: ScaleCell | None = None
    honest: MeasureCell | None = None


class Analysis(Shape):
    cells: Cells = Field(default=Cells(), description="one primary outcome per cell")
