"""The study file: a whole study as one YAML document that people read, check in and send around."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

from pydantic import TypeAdapter, ValidationError

from studyapp.studies import yaml_reader
from studyapp.studies.complaints import Complaint, StudyFileError
from studyapp.studies.design import EVERY_SECTION, complaints_about
from studyapp.studies.explaining import explain
from studyapp.studies.whole import StudyFile

__all__ = ["StudyFile", "StudyFileError", "parse", "parse_text", "read", "shaped"]


def read(path: str | FilePath) -> StudyFile:
    """Read a study file. Raises StudyFileError with every complaint: file, line, key, way out."""
    path = FilePath(path)
    return parse_text(yaml_reader.read_text(path), name=path.name)


def parse_text(text: str, *, name: str) -> StudyFile:
    """The study in YAML text; ``name`` is what complaints call the file. Raises StudyFileError."""
    document = yaml_reader.compose(text, name)
    try:
        return parse(document.data, name=name)
    except StudyFileError as error:
        placed = [replace(c, line=document.line(c.path)) for c in error.complaints]
        raise StudyFileError(name, placed) from None


def parse(data: object, *, name: str) -> StudyFile:
    """The study in plain data: shape and design. Raises StudyFileError (without lines)."""
    if not isinstance(data, dict):
        raise StudyFileError(
            name, [Complaint((), "holds no keys", "a study file begins with 'plainheart: 1'")]
        )
    try:
        study = StudyFile.model_validate(data)
    except ValidationError as error:
        complaints = explain(error, data, StudyFile)
        study, sound = _sound_sections(data, error)
    else:
        complaints, sound = [], EVERY_SECTION
    complaints += complaints_about(study, sound=sound)
    if complaints:
        raise StudyFileError(name, complaints)
    return study


def shaped(data: Mapping[str, Any], *, name: str) -> StudyFile:
    """The study in plain data, its shape only: what drafts under way must have. Raises StudyFileError."""
    try:
        return StudyFile.model_validate(data)
    except ValidationError as error:
        raise StudyFileError(name, explain(error, data, StudyFile)) from None


def _sound_sections(data: Mapping[str, Any], error: ValidationError) -> tuple[StudyFile, frozenset[str]]:
    """What can be read of a broken document, so that its sound sections are checked too."""
    broken = {str(detail["loc"][0]) for detail in error.errors() if detail["loc"]}
    sections: dict[str, Any] = {}
    sound = set()
    for name, field in StudyFile.model_fields.items():
        if name in broken:
            continue
        sound.add(name)
        if name in data:
            adapter: TypeAdapter[Any] = TypeAdapter(field.rebuild_annotation())
            sections[name] = adapter.validate_python(data[name])
    return StudyFile.model_construct(**sections), frozenset(sound)
