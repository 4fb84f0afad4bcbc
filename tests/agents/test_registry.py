"""A provider is named in the server's settings, and what keeps it from replying is said in one line."""

from typing import Any

import pytest

from studyapp.agents import registry
from studyapp.agents.demo import DemoAgent
from studyapp.agents.openai_compatible import OpenAICompatible

HOSTED = {"kind": "openai", "base_url": "https://models.example/v1", "key_env": "SOME_KEY"}


def test_the_demo_agent_needs_nothing() -> None:
    assert registry.problem("demo", {"kind": "demo"}, {}) is None
    assert isinstance(registry.build("demo", {"kind": "demo"}, {}), DemoAgent)


def test_a_hosted_provider_is_built_with_its_key_and_does_not_show_it() -> None:
    environ = {"SOME_KEY": "sk-secret"}
    assert registry.problem("hosted", HOSTED, environ) is None
    provider = registry.build("hosted", HOSTED, environ)
    assert isinstance(provider, OpenAICompatible)
    assert "sk-secret" not in repr(provider)


def test_a_local_server_needs_no_key() -> None:
    assert registry.problem("local", {"kind": "openai", "base_url": "http://127.0.0.1:9000/v1"}, {}) is None


@pytest.mark.parametrize(
    ("config", "environ", "words"),
    [
        (HOSTED, {}, ["'x'", "SOME_KEY", "not set"]),
        (HOSTED, {"SOME_KEY": ""}, ["'x'", "SOME_KEY", "not set"]),
        ({"kind": "openai"}, {}, ["'x'", "base_url", "PROVIDERS"]),
        ({"kind": "openai", "base_url": "file:///etc"}, {}, ["'x'", "base_url"]),
        ({"kind": "oracle"}, {}, ["'x'", "'oracle'", "demo, openai"]),
        ({}, {}, ["'x'", "demo, openai"]),
    ],
)
def test_a_problem_names_the_provider_and_the_way_out(
    config: dict[str, Any], environ: dict[str, str], words: list[str]
) -> None:
    complaint = registry.problem("x", config, environ)
    assert complaint is not None
    assert all(word in complaint for word in words), complaint
    with pytest.raises(ValueError, match="provider 'x'"):
        registry.build("x", config, environ)
