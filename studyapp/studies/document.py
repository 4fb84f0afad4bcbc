"""Reading a frozen document: what a session was promised, by name."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from studyapp.studies.models import StudyVersion
from studyapp.studies.sections import Claim, Condition, Draws
from studyapp.studies.steps import Step
from studyapp.studies.whole import StudyFile

# What freezing adds to the study file.
_ADDED = ("scales", "persona_parts", "resources")


class Document:
    """Typed reader of ``StudyVersion.document``; ``data`` is the document itself."""

    def __init__(self, data: Mapping[str, Any], version_id: int | None = None) -> None:
        self.data = data
        self.version_id = version_id

    @classmethod
    def of(cls, version: StudyVersion) -> "Document":
        """The document of a version, knowing which version it is of."""
        return cls(version.document, version.pk)

    @cached_property
    def study(self) -> StudyFile:
        """The study file inside."""
        return StudyFile.model_validate({k: v for k, v in self.data.items() if k not in _ADDED})

    @property
    def steps(self) -> list[Step]:
        return self.study.steps

    def step(self, position: int) -> Step:
        """The step at a position counted from 0. Raises IndexError past the last."""
        return self.steps[position]

    @property
    def conditions(self) -> list[Condition]:
        return self.study.conditions

    def condition(self, slug: str) -> Condition:
        """Raises KeyError naming the slug."""
        return self._named(self.study.conditions, "slug", slug)

    @property
    def claims(self) -> list[Claim]:
        return self.study.claims

    def card(self, key: str) -> Claim:
        """Raises KeyError naming the key."""
        return self._named(self.study.claims, "key", key)

    def ask(self, key: str, stated: str) -> str:
        """The words in which a card is put to the agent; ``stated`` is for, against or none."""
        template: str = self.data["cards"]["stated"][stated]
        return template.replace("{claim}", self.card(key).claim)

    @property
    def draws(self) -> Draws:
        return self.study.draws

    def scale(self, key: str) -> dict[str, Any]:
        """The full scale document, as ``surveys.administration.administer`` takes it. Raises KeyError."""
        scale: dict[str, Any] = self.data["scales"][key]
        return scale

    def text(self, name: str) -> str:
        """One of the study's own sentences. Raises KeyError."""
        text: str = self.data["texts"][name]
        return text

    @property
    def resources(self) -> list[dict[str, Any]]:
        return list(self.data["resources"])

    def agent_for(self, condition_slug: str) -> dict[str, Any]:
        """The agent section, with the provider, model and parameters a condition has of its own."""
        if self.study.agent is None:
            raise KeyError(f"study {self.study.slug} has no agent")
        condition = self.condition(condition_slug)
        agent = self.study.agent.model_dump(mode="json")
        for name in ("provider", "model", "parameters"):
            own = getattr(condition, name)
            if own is not None:
                agent[name] = own
        return agent

    def _named(self, entries: list[Any], field: str, name: str) -> Any:
        for entry in entries:
            if getattr(entry, field) == name:
                return entry
        raise KeyError(f"study {self.study.slug} has no {name!r}")
