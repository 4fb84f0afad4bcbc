"""What a reply costs: known, nothing, or not known - three different answers."""

from decimal import Decimal

import pytest

from studyapp.agents.prices import price_usd


def test_the_demo_agent_costs_nothing() -> None:
    assert price_usd("demo", "demo-1", 10, 20) == Decimal(0)


def test_a_listed_model_costs_by_its_tokens() -> None:
    one = price_usd("openai", "gpt-4o-mini", 1000, 100)
    two = price_usd("openai", "gpt-4o-mini", 2000, 200)
    assert one is not None and two is not None
    assert 0 < one < Decimal("0.01")
    assert two == 2 * one
    assert price_usd("openai", "gpt-4o-mini", 0, 0) == 0


@pytest.mark.parametrize(
    ("kind", "model", "tokens"),
    [
        ("openai", "smollm2", (10, 10)),
        ("openai", "", (10, 10)),
        ("openai", "gpt-4o-mini", (None, 10)),
        ("openai", "gpt-4o-mini", (10, None)),
        ("oracle", "gpt-4o-mini", (10, 10)),
    ],
)
def test_what_is_not_known_is_none_and_not_zero(
    kind: str, model: str, tokens: tuple[int | None, int | None]
) -> None:
    assert price_usd(kind, model, *tokens) is None
