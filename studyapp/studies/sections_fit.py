"""Whether the sections of a study fit each other: names, conditions, allocation, sums of claims."""

from collections import Counter
from collections.abc import Iterable, Iterator

from studyapp.studies.complaints import Complaint, Path, nearest
from studyapp.studies.rules import reads
from studyapp.studies.sections import Condition
from studyapp.studies.whole import StudyFile


def _twice(section: Path, field: str, names: Iterable[str]) -> Iterator[Complaint]:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            yield Complaint((*section, index, field), f"{name!r} is there already", "choose another name")
        seen.add(name)


@reads("factors")
def factor_names_differ(study: StudyFile) -> Iterator[Complaint]:
    yield from _twice(("factors",), "name", (f.name for f in study.factors))


@reads("conditions")
def condition_slugs_differ(study: StudyFile) -> Iterator[Complaint]:
    yield from _twice(("conditions",), "slug", (c.slug for c in study.conditions))


@reads("cards")
def claim_keys_differ(study: StudyFile) -> Iterator[Complaint]:
    yield from _twice(("cards", "claims"), "key", (claim.key for claim in study.claims))
    yield from _twice(("cards", "claims"), "claim", (claim.claim for claim in study.claims))


@reads("steps")
def step_keys_differ(study: StudyFile) -> Iterator[Complaint]:
    yield from _twice(("steps",), "key", (step.key for step in study.steps))


@reads("countries")
def countries_are_codes(study: StudyFile) -> Iterator[Complaint]:
    for index, country in enumerate(study.countries):
        if not (len(country) == 2 and country.isascii() and country.isalpha() and country.isupper()):
            yield Complaint(
                ("countries", index), f"{country!r} is no country code", "two capital letters, as in GB"
            )


@reads("factors", "conditions")
def conditions_name_every_factor(study: StudyFile) -> Iterator[Complaint]:
    levels = {factor.name: factor.levels for factor in study.factors}
    for index, condition in enumerate(study.conditions):
        here: Path = ("conditions", index, "factors")
        for name, level in condition.factors.items():
            if name not in levels:
                yield Complaint((*here, name), "is no factor of this study", nearest(name, levels))
            elif level not in levels[name]:
                yield Complaint(
                    (*here, name), f"{level!r} is no level of {name}", f"levels are {', '.join(levels[name])}"
                )
        for name in levels.keys() - condition.factors.keys():
            yield Complaint(
                here,
                f"does not say the level of {name}",
                f"add '{name}:' and one of {', '.join(levels[name])}",
            )


@reads("factors", "conditions")
def every_level_is_covered(study: StudyFile) -> Iterator[Complaint]:
    for index, factor in enumerate(study.factors):
        used = {condition.factors.get(factor.name) for condition in study.conditions}
        for position, level in enumerate(factor.levels):
            if level not in used:
                yield Complaint(
                    ("factors", index, "levels", position),
                    f"no condition has the level {level!r} of {factor.name}",
                    "add such a condition, or drop the level",
                )


@reads("conditions", "agent")
def no_two_conditions_alike(study: StudyFile) -> Iterator[Complaint]:
    manipulated: list[tuple[tuple[object, ...], str]] = []
    named: dict[tuple[tuple[str, str], ...], str] = {}
    for index, condition in enumerate(study.conditions):
        here: Path = ("conditions", index)
        manipulations = _manipulations(study, condition)
        twin = next((slug for other, slug in manipulated if other == manipulations), None)
        levels = tuple(sorted(condition.factors.items()))
        if twin is not None:
            yield Complaint(
                here,
                f"is just like condition {twin!r}: same warmth, prompt, provider, model and parameters",
                "make them differ, or drop one",
            )
        elif levels in named:
            yield Complaint(
                here,
                f"has the factor levels of condition {named[levels]!r}, so data could not tell them apart",
                "give it levels of its own",
            )
        manipulated.append((manipulations, condition.slug))
        named.setdefault(levels, condition.slug)


def _manipulations(study: StudyFile, condition: Condition) -> tuple[object, ...]:
    agent = study.agent
    return (
        condition.warmth,
        condition.prompt_mode,
        condition.prompt_text,
        condition.provider or (agent.provider if agent else ""),
        condition.model or (agent.model if agent else ""),
        condition.parameters if condition.parameters is not None else (agent.parameters if agent else {}),
    )


@reads("allocation", "conditions")
def blocks_hold_the_weights(study: StudyFile) -> Iterator[Complaint]:
    total = sum(condition.weight for condition in study.conditions)
    for index, size in enumerate(study.allocation.block_sizes):
        if total and size % total:
            yield Complaint(
                ("allocation", "block_sizes", index),
                f"a block of {size} cannot hold the conditions in their weights (sum {total})",
                f"use multiples of {total}",
            )


@reads("draws", "cards")
def sums_of_claims_work(study: StudyFile) -> Iterator[Complaint]:
    draw = study.draws.cards
    if draw is None:
        return
    here: Path = ("draws", "cards")
    if draw.discussed > draw.rated:
        yield Complaint(
            (*here, "discussed"),
            f"{draw.discussed} claims cannot be discussed of {draw.rated} rated",
            f"at most {draw.rated}",
        )
    if draw.rated > len(study.claims):
        yield Complaint(
            (*here, "rated"),
            f"{draw.rated} claims cannot be rated of {len(study.claims)} claims",
            "add claims, or rate fewer",
        )
        return
    if draw.rated % 2:
        yield Complaint(
            (*here, "rated"), "is odd, but half of the rated claims are true ones", "use an even number"
        )
    half = (draw.rated + 1) // 2
    for truth, count in sorted(_truths(study).items()):
        if count < half:
            yield Complaint(
                (*here, "rated"),
                f"half of {draw.rated} rated claims are {str(truth).lower()} ones; there are {count}",
                f"add {half - count} such claims, or rate fewer",
            )


def _truths(study: StudyFile) -> dict[bool, int]:
    counts = Counter(claim.truth for claim in study.claims)
    return {truth: counts[truth] for truth in (False, True)}


@reads("probes", "cards")
def probes_have_claims(study: StudyFile) -> Iterator[Complaint]:
    if study.probes is None:
        return
    if not study.claims:
        yield Complaint(("probes",), "there are no claims to probe", "add cards, or drop probes")
        return
    points = len(study.probes.points)
    if study.probes.per_session < points:
        yield Complaint(
            ("probes", "per_session"),
            f"{study.probes.per_session} claims cannot be spread over {points} points",
            f"at least {points}",
        )
    elif study.probes.per_session > len(study.claims):
        yield Complaint(
            ("probes", "per_session"),
            f"{study.probes.per_session} claims cannot be probed of {len(study.claims)}",
            "add claims, or probe fewer",
        )


RULES = (
    factor_names_differ,
    condition_slugs_differ,
    claim_keys_differ,
    step_keys_differ,
    countries_are_codes,
    conditions_name_every_factor,
    every_level_is_covered,
    no_two_conditions_alike,
    blocks_hold_the_weights,
    sums_of_claims_work,
    probes_have_claims,
)
