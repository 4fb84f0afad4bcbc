"""The client against a real server with a real small model."""

import pytest

from studyapp.agents.openai_compatible import OpenAICompatible
from studyapp.agents.protocol import ReplyRequest
from tests.agents.collecting import collect, said


@pytest.mark.parametrize("temperature", [0, 0.8])
async def test_a_real_model_replies_in_a_stream_and_its_usage_is_known(
    small_model: str, temperature: float
) -> None:
    provider = OpenAICompatible(name="small", base_url=small_model)
    request = ReplyRequest(
        system="You are a friendly conversation partner. Answer in one sentence.",
        turns=said("Hello! What is a good name for a cat?"),
        model="smollm2",
        parameters={"temperature": temperature, "max_tokens": 24, "seed": 0},
        seed=7,
    )
    try:
        reply = await collect(provider, request)
    finally:
        await provider.aclose()
    assert len([delta for delta in reply.deltas if delta]) > 3, "the reply did not come in pieces"
    assert reply.text.strip()
    assert reply.finished.input_tokens is not None and reply.finished.input_tokens > 10
    assert reply.finished.output_tokens is not None and 1 < reply.finished.output_tokens <= 24
    assert reply.finished.reason in ("stop", "length")
    assert reply.finished.model and reply.finished.request_id


async def test_a_real_model_cut_at_its_limit_says_length(small_model: str) -> None:
    provider = OpenAICompatible(name="small", base_url=small_model)
    request = ReplyRequest(
        system="", turns=said("Tell me a long story."), model="smollm2", parameters={"max_tokens": 5}
    )
    try:
        reply = await collect(provider, request)
    finally:
        await provider.aclose()
    assert reply.finished.reason == "length"
    assert reply.finished.output_tokens == 5
