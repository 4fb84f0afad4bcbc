"""Plain data as YAML text, the same bytes every time."""

from typing import Any

import yaml


class _Readable(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
    style = "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Readable.add_representer(str, _text)


def yaml_text(value: Any) -> str:
    return yaml.dump(
        value, Dumper=_Readable, allow_unicode=True, sort_keys=False, width=100, default_flow_style=False
    )
