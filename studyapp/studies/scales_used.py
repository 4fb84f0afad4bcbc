"""Whether the scales a study asks exist, and have the items, words and scores the study counts on."""

import json
import re
from collections.abc import Iterator

from studyapp.studies.complaints import Complaint, Path, nearest
from studyapp.studies.rules import reads
from studyapp.studies.sections import ScaleCell
from studyapp.studies.whole import StudyFile
from surveys.scale_file import Scale, shipped

_WORD = re.compile(r"\{([a-z_]+)\}")


@reads("steps", "agent")
def scales_are_known(study: StudyFile) -> Iterator[Complaint]:
    scales = shipped()
    for index, step in enumerate(study.steps):
        if step.kind != "scale":
            continue
        here: Path = ("steps", index)
        scale = scales.get(step.scale)
        if scale is None:
            yield Complaint(
                (*here, "scale"), f"there is no scale {step.scale!r}", nearest(step.scale, scales)
            )
            continue
        if scale.template is not None and not step.items:
            yield Complaint(here, f"{step.scale} leaves its items to the study", "add items: key, text")
        if scale.template is None and step.items:
            yield Complaint((*here, "items"), f"{step.scale} has items of its own", "drop these")
        words = words_in(scale)
        given = step.words.keys() | ({"agent"} if study.agent else set())
        for word in sorted(words - given):
            yield Complaint(
                here, f"the items of {step.scale} need the word {{{word}}}", f"add words: {word}: ..."
            )
        for word in sorted(step.words.keys() - words):
            yield Complaint((*here, "words", word), f"{step.scale} has no place for it", nearest(word, words))


def words_in(scale: Scale) -> set[str]:
    """Names of the words piped into a scale's texts."""
    return set(_WORD.findall(json.dumps(scale.model_dump(mode="json"))))


@reads("steps", "analysis")
def primary_outcomes_are_asked(study: StudyFile) -> Iterator[Complaint]:
    scales = shipped()
    asked = [step for step in study.steps if step.kind == "scale" and step.scale in scales]
    by_name: dict[str, str] = {}
    for step in asked:
        twice = sum(other.scale == step.scale for other in asked) > 1
        by_name[step.key if twice else step.scale] = step.scale
    for name in ("felt", "perceived"):
        cell: ScaleCell | None = getattr(study.analysis.cells, name)
        if cell is None:
            continue
        here: Path = ("analysis", "cells", name)
        if cell.scale not in by_name:
            yield Complaint((*here, "scale"), f"{cell.scale!r} is not asked", nearest(cell.scale, by_name))
            continue
        scores = [score.key for score in scales[by_name[cell.scale]].scores]
        if cell.score not in scores:
            yield Complaint(
                (*here, "score"), f"{cell.scale} has no score {cell.score!r}", nearest(cell.score, scores)
            )


@reads("steps", "analysis", "probes")
def honesty_is_probed(study: StudyFile) -> Iterator[Complaint]:
    if study.analysis.cells.honest is not None and study.probes is None:
        yield Complaint(("analysis", "cells", "honest"), "nothing is probed", "add probes, or drop this cell")


RULES = (
    scales_are_known,
    primary_outcomes_are_asked,
    honesty_is_probed,
)
