"""From a provider's name in the server's settings to something that replies."""

from collections.abc import Callable, Mapping
from typing import Any

from studyapp.agents.demo import DemoAgent
from studyapp.agents.openai_compatible import OpenAICompatible
from studyapp.agents.protocol import Provider

Environ = Mapping[str, str]
Config = Mapping[str, Any]


def _build_demo(name: str, config: Config, environ: Environ) -> Provider:
    return DemoAgent()


def _build_openai(name: str, config: Config, environ: Environ) -> Provider:
    key_env = config.get("key_env")
    return OpenAICompatible(
        name=name,
        base_url=config["base_url"],
        key=environ[key_env] if key_env else "",
        connect_s=float(config.get("connect_s", 10.0)),
    )


def _openai_problem(name: str, config: Config, environ: Environ) -> str | None:
    base_url = config.get("base_url")
    if not isinstance(base_url, str) or not base_url.startswith(("http://", "https://")):
        return (
            f"provider '{name}' needs a base_url that starts with http:// or https://, such as "
            f"http://127.0.0.1:9000/v1; set it in PROVIDERS"
        )
    key_env = config.get("key_env")
    if key_env and not environ.get(key_env):
        return f"provider '{name}' needs the key in {key_env}, which is not set; set it, or choose another"
    return None


_BUILDERS: dict[str, Callable[[str, Config, Environ], Provider]] = {
    "demo": _build_demo,
    "openai": _build_openai,
}
_CHECKS: dict[str, Callable[[str, Config, Environ], str | None]] = {"openai": _openai_problem}

KINDS = tuple(_BUILDERS)


def problem(name: str, config: Config, environ: Environ) -> str | None:
    """What keeps this provider from replying, with the way out; None when nothing does. No network."""
    kind = config.get("kind")
    if kind not in _BUILDERS:
        return f"provider '{name}' is of kind {kind!r}; kinds are {', '.join(KINDS)}"
    check = _CHECKS.get(kind)
    return check(name, config, environ) if check else None


def build(name: str, config: Config, environ: Environ) -> Provider:
    """The provider, ready to reply. Raises ValueError with the words of ``problem``."""
    complaint = problem(name, config, environ)
    if complaint:
        raise ValueError(complaint)
    return _BUILDERS[config["kind"]](name, config, environ)
