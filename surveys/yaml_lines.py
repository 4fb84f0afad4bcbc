"""Where in a YAML text a value stands, so that a complaint can name its line."""

from collections.abc import Sequence

import yaml


class YamlLines:
    """The lines of a YAML document.

    Errors: ``yaml.YAMLError`` when the text is not YAML.
    """

    def __init__(self, text: str) -> None:
        self._root = yaml.compose(text, Loader=yaml.SafeLoader)

    def line(self, place: Sequence[str | int]) -> int:
        """The line (from 1) of the value at ``place``, or of the deepest part of it that exists."""
        node = self._root
        if node is None:
            return 1
        line = node.start_mark.line + 1
        for step in place:
            found = self._child(node, step)
            if found is None:
                break
            line, node = found
        return line

    def duplicates(self) -> list[tuple[int, str]]:
        """Keys given twice in one mapping, as (line, key): YAML would silently take the last one."""
        found: list[tuple[int, str]] = []
        waiting = [self._root] if self._root is not None else []
        while waiting:
            node = waiting.pop()
            if isinstance(node, yaml.MappingNode):
                seen: set[str] = set()
                for key, value in node.value:
                    if key.value in seen:
                        found.append((key.start_mark.line + 1, str(key.value)))
                    seen.add(key.value)
                    waiting.append(value)
            elif isinstance(node, yaml.SequenceNode):
                waiting.extend(node.value)
        return sorted(found)

    @staticmethod
    def _child(node: yaml.Node, step: str | int) -> tuple[int, yaml.Node] | None:
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.value == str(step):
                    return key.start_mark.line + 1, value
        if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            value = node.value[step]
            return value.start_mark.line + 1, value
        return None
