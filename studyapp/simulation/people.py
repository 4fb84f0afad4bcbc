"""How a simulated person answers: pure functions of a truth, a seed and what is asked."""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from studyapp.seeds import rng

if TYPE_CHECKING:
    from analysis.truth import ScaleTruth, Truth

# What a simulated participant says: authored, harmless, the same for every condition.
LINES = (
    "I keep putting off a letter I have to write, and it sits on my desk and looks at me.",
    "My neighbour moved away last month and the stairs are very quiet now.",
    "I said something clumsy at lunch and I have been thinking about it since.",
    "It is mostly in the evening, when there is nothing left to do.",
    "I tried to make a list, but the list only got longer.",
    "I think I would feel lighter if I just did the first small part of it.",
    "Nobody else seems to mind as much as I do.",
    "Maybe I will ring somebody tomorrow and talk about something else.",
    "It helps a little to say it in words.",
    "I usually go for a walk, but it has been raining all week.",
)


@dataclass
class Person:
    """One simulated participant: their seed, the levels of their condition, and what they said so far.

    ``latent`` keeps the standardised latent answer by asking and item, for askings that remember;
    ``told`` what the agent told of each claim.
    """

    truth: "Truth"
    seed: int
    levels: Mapping[str, str] = field(default_factory=dict)
    latent: dict[tuple[str, str], float] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)

    def draw(self, *names: object) -> random.Random:
        """A generator of this person's own for the thing named."""
        return rng(self.seed, "simulated", *names)

    def happens(self, name: str, *more: object) -> bool:
        """Whether something of the truth's participant shares happens to this person."""
        return self.draw(name, *more).random() < self.truth.participants[name]

    def answers(
        self, *, asking: str, scale: Mapping[str, Any], rendered: Mapping[str, Any]
    ) -> dict[str, str]:
        """Form data (``i-<item>``, ``t-<item>``) for one asking.

        Parameters
        ----------
        asking: the step's key where the scale is asked more than once, else the scale's key.
        scale: the scale's document.
        rendered: the administration as shown.
        """
        of_scale = self.truth.scale(asking, scale["key"])
        factors = {} if of_scale is None else self._factors(asking, of_scale)
        data: dict[str, str] = {}
        clock = 0.0
        for shown in rendered["items"]:
            key = shown["key"]
            chance = self.draw(asking, key)
            clock += self.truth.participants["item_ms"] * math.exp(chance.gauss(0, 0.4))
            value = self._value(asking, scale, shown, of_scale, factors, chance)
            if value is None or self.happens("missing", asking, key):
                continue
            data[f"i-{key}"] = value
            data[f"t-{key}"] = f"{int(clock)},{int(clock)},1,{int(clock)}"
        return data

    def ratings(
        self, *, when: str, rendered: Mapping[str, Any], truths: Mapping[str, bool]
    ) -> dict[str, str]:
        """Form data for beliefs before or after, or for "was it right?"."""
        from analysis.truth import observe

        of_scale = self.truth.scales["right" if when == "right" else "ratings"]
        data: dict[str, str] = {}
        for place, shown in enumerate(rendered["items"], 1):
            key = shown["key"]
            if self.happens("missing", when, key):
                continue
            # People are right a little more often than wrong, and keep most of what they believed.
            lean = 0.0 if when == "right" else (8.0 if truths[key] else -8.0)
            z = self.draw("belief", key).gauss(0, 1)
            if when != "before":
                z = 0.9 * z + math.sqrt(1 - 0.81) * self.draw(when, key).gauss(0, 1)
            towards = {"asserts": 1.0, "denies": -1.0}.get(self.told.get(key, ""), 0.0)
            influence = self.truth.participants["influence"] * towards if when == "after" else 0.0
            value = of_scale.mean(key) + lean + influence + of_scale.sd(key) * z
            ms = self.truth.participants["item_ms"] * place
            data[f"i-{key}"] = str(observe(value, 0, 100))
            data[f"t-{key}"] = f"{ms},{ms},1,{ms}"
        return data

    def _factors(self, asking: str, of_scale: "ScaleTruth") -> dict[str, float]:
        """Correlated standard normal factor scores (Cholesky factor of phi)."""
        chance = self.draw(asking, "factors")
        independent = [chance.gauss(0, 1) for _ in of_scale.factors]
        lower = _cholesky([[float(value) for value in row] for row in of_scale.phi])
        return {
            factor: math.fsum(lower[row][column] * independent[column] for column in range(row + 1))
            for row, factor in enumerate(of_scale.factors)
        }

    def _value(
        self,
        asking: str,
        scale: Mapping[str, Any],
        shown: Mapping[str, Any],
        of_scale: "ScaleTruth | None",
        factors: Mapping[str, float],
        chance: random.Random,
    ) -> str | None:
        from analysis.truth import observe, shift

        key, kind = shown["key"], shown["kind"]
        if kind in {"short_text", "long_text"}:
            return None if shown["optional"] else "It was about how people talk with a computer."
        if kind in {"choice", "choices"}:
            values = [option["value"] for option in shown["options"]]
            weights = self.truth.choices.get(scale["key"], {}).get(key)
            return str(chance.choices(values, weights)[0])
        if shown["minimum"] is None or shown["maximum"] is None:
            return None
        low, high = math.ceil(shown["minimum"]), math.floor(shown["maximum"])
        if kind == "number":
            return str(chance.randint(low, high))
        if shown["does_not_fit"] and chance.random() < self.truth.participants["does_not_fit"]:
            return "does_not_fit"
        if of_scale is None:
            # The truth says nothing of this scale: answers around its middle, alike in every condition.
            latent = (low + high) / 2 + (high - low) / 4 * chance.gauss(0, 1)
        else:
            z = self._standardised(asking, key, of_scale, factors, chance)
            latent = of_scale.mean(key) + shift(of_scale, scale, key, self.levels) + of_scale.sd(key) * z
        value = observe(latent, low, high)
        return str(low + high - value if shown["reverse"] else value)

    def _standardised(
        self,
        asking: str,
        key: str,
        of_scale: "ScaleTruth",
        factors: Mapping[str, float],
        chance: random.Random,
    ) -> float:
        loading = of_scale.loading(key)
        common = math.fsum(value * factors[factor] for factor, value in loading.items())
        vector = [loading.get(factor, 0.0) for factor in of_scale.factors]
        communality = math.fsum(
            vector[row] * float(of_scale.phi[row, column]) * vector[column]
            for row in range(len(vector))
            for column in range(len(vector))
        )
        z = common + math.sqrt(1.0 - communality) * chance.gauss(0, 1)
        if of_scale.remembers is not None:
            before, correlation = of_scale.remembers
            earlier = self.latent.get((before, key))
            if earlier is not None:
                z = correlation * earlier + math.sqrt(1.0 - correlation**2) * z
        self.latent[asking, key] = z
        return z


def _cholesky(matrix: list[list[float]]) -> list[list[float]]:
    """Lower triangular factor of a positive definite matrix (checked when the truth was read)."""
    size = len(matrix)
    lower = [[0.0] * size for _ in range(size)]
    for row in range(size):
        for column in range(row + 1):
            rest = matrix[row][column] - math.fsum(lower[row][k] * lower[column][k] for k in range(column))
            lower[row][column] = math.sqrt(rest) if row == column else rest / lower[column][column]
    return lower
