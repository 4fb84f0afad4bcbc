"""What pydantic found wrong, in words a researcher can act on."""

import types
from collections.abc import Mapping
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from studyapp.studies.complaints import Complaint, Path, nearest, spoken_path
from studyapp.studies.steps import KINDS

_EXPECTED = {
    "string_type": "text (put it in quotes)",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "a list",
    "dict_type": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
}


def explain(error: ValidationError, data: object, root: type[BaseModel]) -> list[Complaint]:
    """A complaint per error, with the path it has in the document."""
    return [_explain(detail, data, root) for detail in error.errors(include_url=False)]


def _explain(detail: ErrorDetails, data: object, root: type[BaseModel]) -> Complaint:
    path = _path_in_document(detail["loc"])
    given = detail["input"]
    kind = detail["type"]
    context = detail.get("ctx", {})
    description = _description(root, path, data)
    expected = f"expected: {description}" if description else ""
    match kind:
        case "missing":
            problem, way_out = "is missing", f"add it: {description}" if description else "add it"
        case "extra_forbidden":
            problem = "is not a key of this place"
            way_out = nearest(path[-1], _known_keys(root, path[:-1], data))
        case "union_tag_not_found":
            path = (*path, "kind")
            problem, way_out = "is missing", f"kinds of step are {', '.join(KINDS)}"
        case "union_tag_invalid":
            path = (*path, "kind")
            tag = context.get("tag")
            problem, way_out = f"{tag!r} is no kind of step", nearest(tag, KINDS)
        case "literal_error":
            problem, way_out = f"{given!r} is not {context['expected']}", ""
            if isinstance(given, str):
                way_out = nearest(given, _choices(context["expected"]))
        case "greater_than" | "greater_than_equal":
            bound = context.get("gt", context.get("ge"))
            at_least = "more than" if kind == "greater_than" else "at least"
            problem, way_out = f"{given} is too small, it must be {at_least} {bound}", expected
        case "less_than" | "less_than_equal":
            bound = context.get("lt", context.get("le"))
            at_most = "less than" if kind == "less_than" else "at most"
            problem, way_out = f"{given} is too large, it must be {at_most} {bound}", expected
        case "string_too_short":
            problem, way_out = "is empty" if given == "" else f"{given!r} is too short", expected
        case "string_too_long":
            problem = f"has {len(given)} characters, at most {context['max_length']} fit"
            way_out = "shorten it"
        case "string_pattern_mismatch":
            problem = f"{given!r} has not the form this needs"
            way_out = expected or f"the pattern is {context['pattern']}"
        case "too_short":
            problem = f"needs {context['min_length']} entries or more, not {context['actual_length']}"
            way_out = expected
        case "value_error":
            problem, way_out = str(context["error"]), ""
        case _ if kind in _EXPECTED:
            problem, way_out = f"{_shown(given)} is not {_EXPECTED[kind]}", expected
        case _:
            problem, way_out = detail["msg"], expected
    return Complaint(path=path, problem=problem, way_out=way_out, where=spoken_path(path, data))


def _shown(given: object) -> str:
    if given is None:
        return "nothing"
    if isinstance(given, dict):
        return "this mapping"
    if isinstance(given, list):
        return "this list"
    return repr(given)


def _path_in_document(loc: tuple[int | str, ...]) -> Path:
    # Inside a step pydantic puts the kind into the location, where the document has no such level.
    return (*loc[:2], *loc[3:]) if loc[:1] == ("steps",) and len(loc) > 2 else loc


def _choices(expected: str) -> list[str]:
    return [choice.strip(" '") for part in expected.split(" or ") for choice in part.split(",")]


def _model_at(root: type[BaseModel], path: Path, data: object) -> type[BaseModel] | None:
    """The model that shapes the mapping at ``path``."""
    model: Any = root
    here: Any = data
    for part in path:
        here = _into(here, part)
        if isinstance(part, int):
            if path[0] == "steps" and len(path) >= 2 and isinstance(here, Mapping):
                model = KINDS.get(str(here.get("kind")))
            continue
        field = _field(model, part)
        model = _model_in(field.annotation) if field else None
    return model if isinstance(model, type) and issubclass(model, BaseModel) else None


def _into(here: Any, part: int | str) -> Any:
    if isinstance(here, list) and isinstance(part, int) and part < len(here):
        return here[part]
    return here.get(part) if isinstance(here, Mapping) else None


def _field(model: Any, name: int | str) -> Any:
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        return None
    return next((f for n, f in model.model_fields.items() if (f.alias or n) == name), None)


def _model_in(annotation: Any) -> Any:
    """The model inside ``list[M]``, ``M | None`` and the like."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (list, Union, types.UnionType):
        return next((found for a in get_args(annotation) if (found := _model_in(a))), None)
    return None


def _known_keys(root: type[BaseModel], path: Path, data: object) -> list[str]:
    model = _model_at(root, path, data)
    return [field.alias or name for name, field in model.model_fields.items()] if model else []


def _description(root: type[BaseModel], path: Path, data: object) -> str:
    # Entries of a list are described by the list.
    while path and isinstance(path[-1], int):
        path = path[:-1]
    if not path:
        return ""
    field = _field(_model_at(root, path[:-1], data), path[-1])
    return (field.description or "") if field else ""
