"""The study as a whole: every section of a study file in its shape."""

from typing import Literal

from pydantic import Field

from studyapp.studies.sections import (
    Agent,
    AllocationRule,
    Analysis,
    Cards,
    Claim,
    Condition,
    Consent,
    Contact,
    Draws,
    Ethics,
    Factor,
    Probes,
    Recruitment,
    Shape,
    Slug,
    Texts,
)
from studyapp.studies.steps import Step


class StudyFile(Shape):
    """A study as designed: its shape is right by construction; ``design`` tells whether its parts fit."""

    plainheart: Literal[1] = Field(description="1, the version of this format")
    slug: Slug = Field(description="short name in addresses, as in warm-and-plain")
    title: str = Field(min_length=1, max_length=200, description="what participants see it called")
    summary: str = Field(default="", description="what it is for")
    language: str = Field(default="en", pattern=r"^[a-z]{2}(-[A-Z]{2})?$", description="as in en or en-GB")
    duration_minutes: int = Field(ge=1, le=240, description="minutes a session takes")
    contact: Contact = Field(description="name and email")
    ethics: Ethics = Field(description="body, reference, minimum_age, topic_warning")
    countries: list[str] = Field(default=[], description="two capital letters each, as in [GB, IE]")
    retention_days: int = Field(default=3650, ge=1, le=36500, description="days until personal data go")
    consent: Consent = Field(description="intro, points, statements, share_words")
    texts: Texts = Field(description="the study's own sentences")
    agent: Agent | None = Field(default=None, description="the partner")
    factors: list[Factor] = Field(default=[], description="what is varied")
    conditions: list[Condition] = Field(default=[], description="the cells of the design")
    cards: Cards | None = Field(default=None, description="belief cards")
    probes: Probes | None = Field(default=None, description="claims put to copies of conversations")
    draws: Draws = Field(default=Draws(), description="the Solomon share and the cards per session")
    allocation: AllocationRule = Field(
        default=AllocationRule(rule="simple"), description="rule and block_sizes"
    )
    recruitment: Recruitment = Field(description="completion codes")
    analysis: Analysis = Field(default=Analysis(), description="one primary outcome per cell")
    steps: list[Step] = Field(min_length=1, description="what a session consists of, in order")

    @property
    def claims(self) -> list[Claim]:
        return self.cards.claims if self.cards else []

    @property
    def has_chat(self) -> bool:
        return any(step.kind in {"conversation", "cards"} for step in self.steps)

    def scale_keys(self) -> list[str]:
        """Keys of all scales a session is asked, in order of first asking."""
        keys = [
            step.scale if step.kind == "scale" else step.kind
            for step in self.steps
            if step.kind in {"scale", "ratings", "right"}
        ]
        return list(dict.fromkeys(keys))
