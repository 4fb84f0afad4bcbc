"""The client against a server that misbehaves on command: every misbehaviour has its kind of failure."""

import asyncio
import traceback

import pytest

from studyapp.agents.openai_compatible import OpenAICompatible, body
from studyapp.agents.protocol import Delta, ProviderFailure, ReplyRequest
from tests.agents.collecting import collect, said
from tests.fakes.model_server import LONG_REPLY, REPLY, RETRY_AFTER_S, ModelServer

KEY = "sk-very-secret"


def asking(model: str, **changes: object) -> ReplyRequest:
    return ReplyRequest(**{"system": "Be kind.", "turns": said("Hello"), "model": model, **changes})  # type: ignore[arg-type]


@pytest.fixture
async def provider(misbehaving_model: ModelServer):
    provider = OpenAICompatible(name="fake", base_url=misbehaving_model.base_url, key=KEY, connect_s=5)
    yield provider
    await provider.aclose()


async def test_a_reply_comes_in_pieces_with_its_usage_model_and_request_id(
    provider: OpenAICompatible,
) -> None:
    reply = await collect(provider, asking("say"))
    assert reply.text == REPLY
    assert len(reply.deltas) == len(REPLY.split())
    assert reply.finished.reason == "stop"
    assert reply.finished.model == "say-2026", "the model that answered, not the one asked for"
    assert (reply.finished.input_tokens, reply.finished.output_tokens) == (11, len(REPLY.split()))
    assert reply.finished.request_id == "req-fake"


@pytest.mark.parametrize(
    "text",
    [REPLY, "Grüße 👩‍👩‍👧 שלום", "line one\n\nline two\u2028three\r\n", 'data: "quoted" \\'],
    ids=ascii,
)
async def test_a_stream_cut_anywhere_reads_the_same(
    provider: OpenAICompatible, misbehaving_model: ModelServer, text: str
) -> None:
    misbehaving_model.reply = text
    assert (await collect(provider, asking("crumbs"))).text == text


async def test_parameters_go_as_given_with_zero_and_the_context_never_goes(
    provider: OpenAICompatible, misbehaving_model: ModelServer
) -> None:
    request = asking(
        "say",
        turns=said("Hello", "Welcome.", "Thanks"),
        parameters={"temperature": 0, "top_p": 0.5, "model": "other"},
        context={"truth": "SECRET TRUTH"},
        seed=5,
    )
    await collect(provider, request)
    [sent] = misbehaving_model.requests
    assert sent == {
        "temperature": 0,
        "top_p": 0.5,
        "model": "say",
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Welcome."},
            {"role": "user", "content": "Thanks"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_the_seed_goes_only_where_the_parameters_ask_for_one() -> None:
    assert "seed" not in body(asking("m", seed=5))
    assert body(asking("m", seed=5, parameters={"seed": None}))["seed"] == 5
    assert 0 <= body(asking("m", seed=2**63 - 1, parameters={"seed": 0}))["seed"] < 2**31


def test_no_system_prompt_means_no_system_message() -> None:
    assert [message["role"] for message in body(asking("m", system=""))["messages"]] == ["user"]


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        ("400", "broken"),
        ("401", "unauthorised"),
        ("403", "unauthorised"),
        ("429", "rate_limited"),
        ("500", "broken"),
        ("503", "broken"),
        ("filtered", "refused"),
        ("refusal", "refused"),
        ("redirect", "broken"),
        ("empty", "empty"),
        ("half", "broken"),
        ("drop", "broken"),
        ("malformed", "broken"),
        ("not-an-object", "broken"),
        ("error-event", "broken"),
        ("html", "broken"),
    ],
)
async def test_every_misbehaviour_has_its_kind_and_no_message_holds_the_key(
    provider: OpenAICompatible, behaviour: str, kind: str
) -> None:
    with pytest.raises(ProviderFailure) as caught:
        await collect(provider, asking(behaviour))
    assert caught.value.kind == kind
    assert "'fake'" in caught.value.message
    shown = "".join(traceback.format_exception(caught.value)) + repr(provider)
    assert KEY not in shown and "Bearer" not in shown


async def test_the_key_travels_in_the_header(
    provider: OpenAICompatible, misbehaving_model: ModelServer
) -> None:
    await collect(provider, asking("say"))
    assert misbehaving_model.headers[0]["Authorization"] == f"Bearer {KEY}"


async def test_without_a_key_there_is_no_such_header(misbehaving_model: ModelServer) -> None:
    provider = OpenAICompatible(name="fake", base_url=misbehaving_model.base_url)
    await collect(provider, asking("say"))
    await provider.aclose()
    assert "Authorization" not in misbehaving_model.headers[0]


async def test_a_busy_server_says_how_long_to_wait(provider: OpenAICompatible) -> None:
    with pytest.raises(ProviderFailure) as caught:
        await collect(provider, asking("429"))
    assert caught.value.retry_after_s == RETRY_AFTER_S
    with pytest.raises(ProviderFailure) as caught:
        await collect(provider, asking("500"))
    assert caught.value.retry_after_s is None


async def test_the_code_of_an_error_is_named(provider: OpenAICompatible) -> None:
    with pytest.raises(ProviderFailure, match=r"answered 400 \(model_not_found\)"):
        await collect(provider, asking("400"))


async def test_a_reply_cut_at_length_is_kept_and_says_so(provider: OpenAICompatible) -> None:
    reply = await collect(provider, asking("length"))
    assert (reply.text, reply.finished.reason) == ("Thank you for", "length")


async def test_a_server_without_usage_gives_none_not_zero(provider: OpenAICompatible) -> None:
    reply = await collect(provider, asking("no-usage"))
    assert reply.text == REPLY
    assert reply.finished.input_tokens is None and reply.finished.output_tokens is None


async def test_a_hundred_kilobytes_arrive_whole(provider: OpenAICompatible) -> None:
    assert (await collect(provider, asking("long"))).text == LONG_REPLY.strip()


async def test_a_hanging_server_is_left_when_the_caller_has_waited_enough(
    provider: OpenAICompatible, misbehaving_model: ModelServer
) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await collect(provider, asking("hang"))
    assert (await collect(provider, asking("say"))).text == REPLY, "the provider is usable after it"
    async with asyncio.timeout(5):
        while not misbehaving_model.abandoned:
            await asyncio.sleep(0.01)


async def test_a_reader_who_leaves_in_mid_reply_frees_the_server(
    provider: OpenAICompatible, misbehaving_model: ModelServer
) -> None:
    stream = provider.reply(asking("hold"))
    await anext(stream)
    await stream.aclose()
    async with asyncio.timeout(5):
        while not misbehaving_model.abandoned:
            await asyncio.sleep(0.01)


async def test_deltas_arrive_before_the_reply_is_whole(
    provider: OpenAICompatible, misbehaving_model: ModelServer
) -> None:
    stream = provider.reply(asking("hold"))
    half = len(REPLY.split()) // 2
    first = [await anext(stream) for _ in range(half)]
    assert "".join(piece.text for piece in first if isinstance(piece, Delta)) == " ".join(
        REPLY.split()[:half]
    )
    misbehaving_model.release()
    rest = [piece async for piece in stream]
    assert len(rest) == len(REPLY.split()) - half + 1


async def test_replies_run_side_by_side(provider: OpenAICompatible) -> None:
    replies = await asyncio.gather(*(collect(provider, asking("slow")) for _ in range(120)))
    assert {reply.text for reply in replies} == {REPLY}


async def test_an_unreachable_server_is_broken_not_a_traceback() -> None:
    provider = OpenAICompatible(name="gone", base_url="http://127.0.0.1:9/v1", key=KEY, connect_s=2)
    with pytest.raises(ProviderFailure, match="'gone': the connection failed") as caught:
        await collect(provider, asking("say"))
    assert caught.value.kind == "broken"
    await provider.aclose()


def test_each_event_loop_has_a_session_of_its_own(misbehaving_model: ModelServer) -> None:
    provider = OpenAICompatible(name="fake", base_url=misbehaving_model.base_url)

    async def once() -> str:
        reply = await collect(provider, asking("say"))
        await provider.aclose()
        return reply.text

    assert [asyncio.run(once()) for _ in range(2)] == [REPLY, REPLY]
