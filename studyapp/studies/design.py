"""Whether a study's design holds together: every rule, run on what of the study is sound."""

from studyapp.studies import order, scales_used, sections_fit
from studyapp.studies.complaints import Complaint, spoken_path
from studyapp.studies.whole import StudyFile

RULES = (*sections_fit.RULES, *order.RULES, *scales_used.RULES)
EVERY_SECTION = frozenset(StudyFile.model_fields)


def complaints_about(study: StudyFile, *, sound: frozenset[str] = EVERY_SECTION) -> list[Complaint]:
    """What every rule complains of whose sections are ``sound``. No lines: a study need not be a file."""
    data = study.model_dump(by_alias=True, warnings=False)
    found = [complaint for rule in RULES if rule.sections <= sound for complaint in rule(study)]
    return [Complaint(c.path, c.problem, c.way_out, spoken_path(c.path, data)) for c in found]
