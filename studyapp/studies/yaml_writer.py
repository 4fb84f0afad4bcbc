"""A study as a YAML file that people like to read: sections apart, long texts folded, nothing empty."""

from typing import Any

import yaml

from studyapp.studies.whole import StudyFile

_WIDTH = 100


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        # List entries indented under their key, as in the files we ship.
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = None
    # Block styles cannot carry these without loss.
    plain_lines = all(line == line.strip() and line.isprintable() for line in value.split("\n"))
    if plain_lines and "\n" in value:
        style = "|"
    elif plain_lines and len(value) > _WIDTH - 20:
        style = ">"
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


def _list(dumper: yaml.SafeDumper, value: list[Any]) -> yaml.SequenceNode:
    short = all(isinstance(entry, int | float) or _is_word(entry) for entry in value)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", value, flow_style=short)


def _is_word(entry: object) -> bool:
    return isinstance(entry, str) and len(entry) <= 20 and entry.isidentifier()


_Dumper.add_representer(str, _text)
_Dumper.add_representer(list, _list)


def _told(whole: Any, chosen: Any) -> Any:
    """``whole`` without the empty values nobody chose; numbers and words show, defaults too."""
    if isinstance(whole, list):
        return [_told(entry, chosen[n] if chosen else None) for n, entry in enumerate(whole)]
    if not isinstance(whole, dict):
        return whole
    chosen = chosen if isinstance(chosen, dict) else {}
    found = {name: _told(value, chosen.get(name)) for name, value in whole.items()}
    return {name: value for name, value in found.items() if name in chosen or value not in (None, "", [], {})}


def write(study: StudyFile) -> str:
    """The study as YAML text; ``study_file.parse_text`` of it gives the same study."""
    document = _told(
        study.model_dump(mode="json", by_alias=True),
        study.model_dump(mode="json", by_alias=True, exclude_defaults=True),
    )
    parts = [
        yaml.dump({name: section}, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH)
        for name, section in document.items()
    ]
    text = ""
    for part in parts:
        # One-line entries stand together, sections apart.
        apart = part.count("\n") > 1 or text.endswith("\n\n")
        text += ("\n" if apart and text and not text.endswith("\n\n") else "") + part
        text += "\n" if part.count("\n") > 1 else ""
    return text.rstrip("\n") + "\n"
