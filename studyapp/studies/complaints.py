"""What is wrong with a study file, said so that it can be mended: place, expectation, way out."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Complaint:
    """One thing to mend. ``path`` is the way through the document; ``line`` is known for files only."""

    path: Path
    problem: str
    way_out: str = ""
    where: str = ""
    line: int | None = None

    @property
    def message(self) -> str:
        """The complaint without its file and line."""
        text = f"{self.where}: {self.problem}" if self.where else self.problem
        return f"{text}; {self.way_out}" if self.way_out else text


class StudyFileError(Exception):
    """Everything found wrong with one study file, at once. ``str()`` is one line a complaint."""

    def __init__(self, name: str, complaints: Iterable[Complaint]) -> None:
        self.name = name
        self.complaints = sorted(complaints, key=lambda complaint: complaint.line or 0)
        super().__init__("\n".join(self._place(c) + c.message for c in self.complaints))

    def _place(self, complaint: Complaint) -> str:
        return f"{self.name}:{complaint.line}: " if complaint.line else f"{self.name}: "


def spoken_path(path: Path, data: object) -> str:
    """A path as people read it: list entries by their own key, slug or name, else by their number from 1."""
    text = ""
    here = data
    for part in path:
        if isinstance(part, int):
            entry = here[part] if isinstance(here, list) and part < len(here) else None
            text += f"[{_name_of(entry, part)}]"
            here = entry
        else:
            text += f".{part}" if text else part
            here = here.get(part) if isinstance(here, dict) else None
    return text


def _name_of(entry: object, index: int) -> str:
    if isinstance(entry, dict):
        for name in ("key", "slug", "name"):
            if isinstance(entry.get(name), str) and entry[name]:
                return entry[name]
    return str(index + 1)


def nearest(word: object, known: Iterable[str]) -> str:
    """The way out for a word nobody knows: the near ones, else all of them."""
    names = sorted(known)
    if not names:
        return ""
    near = get_close_matches(str(word), names, n=2, cutoff=0.6)
    if near:
        return f"did you mean {' or '.join(repr(name) for name in near)}?"
    return f"known are {', '.join(names)}"
