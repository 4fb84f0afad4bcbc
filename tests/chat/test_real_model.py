"""A conversation with a real small language model, streamed by a real web process."""

import json

import pytest

from tests.chat.briefs import key, started
from tests.chat.conftest import StartSite
from tests.chat.listening import Page, told

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_chat_with_a_real_model_is_streamed_and_its_usage_recorded(
    start_site: StartSite, small_model: str
) -> None:
    site = start_site(PROVIDERS=json.dumps({"small": {"kind": "openai", "base_url": small_model}}))
    conversation = started(
        provider="small",
        model="smollm2",
        parameters={"temperature": 0, "max_tokens": 40},
        opening="Hello.",
        first_token_s=60,
        whole_s=120,
    )
    page = Page(site.url, conversation)
    for text in ("What is a good name for a cat?", "And for a dog?"):
        status, answer = page.post(client_key=key(), text=text)
        assert status == 201
        events = list(page.listen(answer["stream"], timeout=120))
        assert events[-1].name == "done", events[-1]
        assert told(events) == events[-1].data["text"]
        assert len([event for event in events if event.name == "token"]) > 2, "the reply came in one piece"
    for reply in conversation.messages.filter(role="agent", position__gt=0):
        attempt = reply.attempts.get()
        assert attempt.input_tokens > 10 and 0 < attempt.output_tokens <= 40
        assert attempt.model_answered and attempt.finish_reason in {"stop", "length"}
