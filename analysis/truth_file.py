"""Truth files: what a simulation plants, read and checked, every complaint with its place.

Only numpy and PyYAML: the platform's simulation reads them too, through ``analysis.truth``.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import yaml

PARTICIPANTS = {
    # Shares of people, from 0 to 1.
    "declines": (0.0, 1.0),
    "withdraws": (0.0, 1.0),
    "missing": (0.0, 1.0),
    "does_not_fit": (0.0, 1.0),
    "shares_words": (0.0, 1.0),
    "item_ms": (1.0, 600_000.0),
    "influence": (-100.0, 100.0),
}
NEEDED_SCALES = ("ratings", "right")
_KNOWN = ("truth", "label", "note", "participants", "choices", "scales", "agent")
_KNOWN_OF_SCALE = ("means", "sd", "factors", "loadings", "phi", "shifts", "remembers")


class TruthError(ValueError):
    """A truth file that cannot be used; the message names the file, the place and what was expected."""


@dataclass(frozen=True)
class ScaleTruth:
    """How one asking is answered.

    Attributes
    ----------
    means : latent mean by item; ``default`` stands for the rest (item units).
    sds : latent standard deviation by item, ``default`` for the rest (item units).
    loadings : by item, its standardised loading on each factor.
    factors : names of the factors, in the order of ``phi``.
    phi : factor correlations, shape (factors, factors).
    shifts : by item or score, by factor of the design, by level: what is added to the latent mean of
        the item (or of every item of the score), in item units.
    remembers : the asking whose answers these lean on, and the correlation of the latent answers.
    """

    means: Mapping[str, float]
    sds: Mapping[str, float]
    factors: tuple[str, ...]
    loadings: Mapping[str, Mapping[str, float]]
    phi: np.ndarray
    shifts: Mapping[str, Mapping[str, Mapping[str, float]]]
    remembers: tuple[str, float] | None = None

    def loading(self, item: str) -> dict[str, float]:
        """Standardised loadings of an item; items not named load as ``default`` does."""
        return dict(self.loadings.get(item, self.loadings.get("default", {})))

    def mean(self, item: str) -> float:
        """Latent mean of an item without any shift, item units."""
        return self.means.get(item, self.means["default"])

    def sd(self, item: str) -> float:
        """Latent standard deviation of an item, item units."""
        return self.sds.get(item, self.sds["default"])


@dataclass(frozen=True)
class Truth:
    """A truth file, read and checked."""

    label: str
    sha256: str
    participants: Mapping[str, Any]
    choices: Mapping[str, Mapping[str, Sequence[float]]]
    scales: Mapping[str, ScaleTruth]
    agent: Mapping[str, Any]
    source: Mapping[str, Any] = field(repr=False)

    def scale(self, asking: str, scale: str) -> ScaleTruth | None:
        """The truth of an asking, by its own name or by its scale's."""
        return self.scales.get(asking, self.scales.get(scale))


def read(path: Path | str) -> Truth:
    """Read a truth file.

    Raises
    ------
    TruthError : the file cannot be read, is not YAML, or says something that cannot be simulated.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
        document = yaml.safe_load(text)
    except (OSError, UnicodeDecodeError) as error:
        raise TruthError(f"{path}: cannot be read ({error}); give the path of a truth file") from error
    except yaml.YAMLError as error:
        raise TruthError(f"{path}: is not YAML ({str(error).splitlines()[0]})") from error
    if not isinstance(document, dict) or document.get("truth") != 1:
        raise TruthError(f"{path}: is not a truth file; its first line should be 'truth: 1'")
    try:
        return _parse(document, hashlib.sha256(text.encode()).hexdigest())
    except TruthError as error:
        raise TruthError(f"{path}: {error}") from error


def _parse(document: Mapping[str, Any], digest: str) -> Truth:
    _only_known(document, _KNOWN, "the file")
    for key in ("label", "participants", "scales", "agent"):
        if key not in document:
            raise TruthError(f"'{key}' is missing")
    scales = {
        str(name): _scale(f"scales.{name}", given) for name, given in _mapping(document, "scales").items()
    }
    for name in NEEDED_SCALES:
        if name not in scales:
            raise TruthError(f"scales.{name} is missing: how claims are rated (means and sd, 0 to 100)")
    for name, each in scales.items():
        if each.remembers is not None and each.remembers[0] not in scales:
            raise TruthError(f"scales.{name}.remembers.asking: there is no scales.{each.remembers[0]}")
    return Truth(
        label=str(document["label"]),
        sha256=digest,
        participants=_participants(_mapping(document, "participants")),
        choices=_choices(_mapping(document, "choices") if "choices" in document else {}),
        scales=scales,
        agent=_agent(_mapping(document, "agent")),
        source=document,
    )


def _participants(given: Mapping[str, Any]) -> dict[str, float]:
    _only_known(given, tuple(PARTICIPANTS), "participants")
    for name, (low, high) in PARTICIPANTS.items():
        _number(given.get(name), f"participants.{name}", low, high)
    return dict(given)


def _agent(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Its form; the agent itself says which numbers it can take."""
    for name in ("private", "claims", "uncommitted", "deflects"):
        if name in given:
            _mapping(given, name, "agent.")
    return given


def _choices(given: Mapping[str, Any]) -> dict[str, dict[str, Sequence[float]]]:
    for scale in given:
        for item, weights in _mapping(given, scale, "choices.").items():
            where = f"choices.{scale}.{item}"
            if not isinstance(weights, list) or not weights:
                raise TruthError(f"{where} must list one weight a choice, not {weights!r}")
            for weight in weights:
                _number(weight, where, 0.0, math.inf)
            if not sum(weights) > 0:
                raise TruthError(f"{where}: at least one weight must be above 0")
    return dict(given)


def _scale(where: str, given: Any) -> ScaleTruth:
    if not isinstance(given, Mapping):
        raise TruthError(f"{where} must hold means and sd, not {given!r}")
    _only_known(given, _KNOWN_OF_SCALE, where)
    means = _mapping(given, "means", f"{where}.") if "means" in given else {}
    if "default" not in means:
        raise TruthError(f"{where}.means.default is missing: the latent mean of items not named")
    for item, value in means.items():
        _number(value, f"{where}.means.{item}")
    sd = given.get("sd")
    sds: Mapping[str, Any] = sd if isinstance(sd, Mapping) else {"default": sd}
    if "default" not in sds or any(not _is_number(each) or each <= 0 for each in sds.values()):
        raise TruthError(f"{where}.sd must be a number above 0 (or one by item, with default), not {sd!r}")
    factors = tuple(given.get("factors", ["general"]))
    phi = _phi(where, given.get("phi", {}), factors)
    return ScaleTruth(
        means=means,
        sds={item: float(each) for item, each in sds.items()},
        factors=factors,
        loadings=_loadings(where, given.get("loadings", {}), factors, phi),
        phi=phi,
        shifts=_shifts(where, given.get("shifts", {})),
        remembers=_remembers(where, given.get("remembers")),
    )


def _phi(where: str, given: Mapping[str, Any], factors: tuple[str, ...]) -> np.ndarray:
    phi = np.eye(len(factors))
    for pair, value in given.items():
        try:
            first, second = (factors.index(part.strip()) for part in pair.split("~"))
        except ValueError as error:
            raise TruthError(f"{where}.phi: '{pair}' must name two of the factors, as in a ~ b") from error
        _number(value, f"{where}.phi.{pair}", -1.0, 1.0)
        phi[first, second] = phi[second, first] = value
    if np.linalg.eigvalsh(phi)[0] <= 0:
        raise TruthError(f"{where}.phi is no correlation matrix (it is not positive definite)")
    return phi


def _loadings(
    where: str, given: Mapping[str, Any], factors: tuple[str, ...], phi: np.ndarray
) -> dict[str, dict[str, float]]:
    for item in given:
        on = _mapping(given, item, f"{where}.loadings.")
        for factor, value in on.items():
            _number(value, f"{where}.loadings.{item}.{factor}")
        vector = np.array([on.get(factor, 0.0) for factor in factors])
        if set(on) - set(factors) or vector @ phi @ vector >= 1:
            raise TruthError(f"{where}.loadings.{item}: needs known factors and a communality below 1")
    return {item: dict(on) for item, on in given.items()}


def _shifts(where: str, given: Mapping[str, Any]) -> Mapping[str, Mapping[str, Mapping[str, float]]]:
    for name in given:
        for factor in (by_factor := _mapping(given, name, f"{where}.shifts.")):
            for level, value in _mapping(by_factor, factor, f"{where}.shifts.{name}.").items():
                _number(value, f"{where}.shifts.{name}.{factor}.{level}")
    return given


def _remembers(where: str, given: Any) -> tuple[str, float] | None:
    if given is None:
        return None
    if not isinstance(given, Mapping) or set(given) != {"asking", "correlation"}:
        raise TruthError(f"{where}.remembers must hold asking and correlation, not {given!r}")
    correlation = given["correlation"]
    if not _is_number(correlation) or not -1 < correlation < 1:
        raise TruthError(f"{where}.remembers.correlation must lie between -1 and 1, not {correlation!r}")
    return str(given["asking"]), float(correlation)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _number(value: Any, where: str, low: float = -math.inf, high: float = math.inf) -> None:
    if _is_number(value) and low <= value <= high:
        return
    ends = f" from {low:g} to {high:g}" if math.isfinite(high) else ""
    raise TruthError(f"{where} must be a number{ends}, not {value!r}")


def _mapping(given: Mapping[str, Any], key: str, before: str = "") -> Mapping[str, Any]:
    found = given[key]
    if not isinstance(found, Mapping):
        raise TruthError(f"{before}{key} must hold names and values, not {found!r}")
    return found


def _only_known(given: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    if unknown := sorted(set(given) - set(known)):
        raise TruthError(f"{where}: unknown key '{unknown[0]}'; known are {', '.join(sorted(known))}")
