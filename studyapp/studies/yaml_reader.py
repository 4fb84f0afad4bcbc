"""YAML text to plain data, remembering the line of every key.

Only the scalars of YAML 1.2's core schema are read as more than text: ``true`` and ``false``, numbers,
``null``. So ``verified: no`` is the word *no* and the country ``NO`` stays a country.
"""

import re
from dataclasses import dataclass
from pathlib import Path as FilePath

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from studyapp.studies.complaints import Complaint, Path, StudyFileError

# A study file of a hundred claims has some 50 kB; more than this is another kind of file.
MAX_BYTES = 1_000_000
MAX_DEPTH = 30
_UNFIT = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True)
class Document:
    """Plain data, and the line (from 1) on which each path begins."""

    data: object
    lines: dict[Path, int]

    def line(self, path: Path) -> int:
        """The line of a path; of what surrounds it where the path itself is missing."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


class _Loader(yaml.SafeLoader):
    """Composes nodes only; refuses what study files have no use for."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}

    def compose_node(self, parent: Node | None, index: object) -> Node | None:
        event = self.peek_event()
        self.depth = getattr(self, "depth", 0) + 1
        problem = ""
        if isinstance(event, yaml.AliasEvent):
            problem = "anchors and aliases (& and *) are not used here"
        elif getattr(event, "tag", None) not in (None, "!"):
            problem = f"tags ({event.tag}) are not used here"
        elif self.depth > MAX_DEPTH:
            problem = f"nested deeper than {MAX_DEPTH} levels"
        if problem:
            raise yaml.composer.ComposerError(None, None, problem, event.start_mark)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$", re.I), list("tTfF"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:null", re.compile(r"^(?:~|null|)$", re.I), ["~", "n", "N", ""]
)
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?[0-9]+$"), list("-+0123456789"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?$"),
    list("-+.0123456789"),
)


def read_text(path: FilePath) -> str:
    """The text of a file. Raises StudyFileError with one clear line for anything that is not text."""
    try:
        if path.is_dir():
            raise _refuse(path.name, "is a folder, not a study file", "name the .yaml file inside it")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise _refuse(str(path), "there is no such file", "check the name and the folder") from None
    except PermissionError:
        raise _refuse(str(path), "may not be read", "give yourself read permission on it") from None
    except OSError as error:
        raise _refuse(str(path), f"cannot be read ({error.strerror})", "check the name") from None
    if len(content) > MAX_BYTES:
        raise _refuse(
            path.name,
            f"has more than the {MAX_BYTES:,} bytes of any study file",
            "check that this is the file you meant",
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise _refuse(path.name, "is not UTF-8 text", "save it as a UTF-8 text file", line) from None
    return text


def compose(text: str, name: str) -> Document:
    """Plain data with lines. Raises StudyFileError: broken YAML, or keys given twice (all of them)."""
    try:
        node = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise _refuse(name, f"this is not valid YAML ({error.problem})", "mend this line", line) from None
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        raise _refuse(
            name, f"holds a character that text files do not have (code {error.character})", "remove it", line
        ) from None
    if node is None:
        raise _refuse(name, "is empty", "a study file begins with 'plainheart: 1'")
    lines: dict[Path, int] = {}
    complaints: list[Complaint] = []
    data = _plain(node, (), lines, complaints)
    if complaints:
        raise StudyFileError(name, complaints)
    return Document(data=data, lines=lines)


def _refuse(name: str, problem: str, way_out: str, line: int | None = None) -> StudyFileError:
    return StudyFileError(name, [Complaint(path=(), problem=problem, way_out=way_out, line=line)])


def _plain(node: Node, path: Path, lines: dict[Path, int], complaints: list[Complaint]) -> object:
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, MappingNode):
        return _mapping(node, path, lines, complaints)
    if isinstance(node, SequenceNode):
        return [_plain(child, (*path, index), lines, complaints) for index, child in enumerate(node.value)]
    # Escapes can spell what neither PostgreSQL nor UTF-8 can hold.
    unfit = _UNFIT.search(node.value)
    if unfit:
        complaints.append(
            Complaint(
                path,
                f"holds the character U+{ord(unfit[0]):04X}, which no text can keep",
                "remove it",
                line=node.start_mark.line + 1,
            )
        )
    return _scalar(node)


def _mapping(
    node: MappingNode, path: Path, lines: dict[Path, int], complaints: list[Complaint]
) -> dict[str, object]:
    found: dict[str, object] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, ScalarNode):
            complaints.append(
                Complaint(path, "a list or mapping stands where a key should", "write a word here", line=line)
            )
            continue
        key = _UNFIT.sub("?", key_node.value)
        here = (*path, key)
        if key in found:
            complaints.append(
                Complaint(
                    here,
                    f"'{key}' is given twice (first on line {lines[here]})",
                    "keep one of the two",
                    line=line,
                )
            )
            continue
        lines[here] = line
        found[key] = _plain(value_node, here, lines, complaints)
    return found


def _scalar(node: Node) -> object:
    kind = node.tag.rpartition(":")[2]
    if kind == "bool":
        return node.value.lower() == "true"
    if kind == "null":
        return None
    if kind == "int" and len(node.value) <= 20:
        return int(node.value)
    if kind == "float":
        return float(node.value)
    return node.value
