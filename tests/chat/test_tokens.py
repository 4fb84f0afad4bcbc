"""Who may speak and listen."""

import uuid

import pytest

from studyapp.chat import tokens

CONVERSATION = uuid.uuid4()


def test_tokens_open_their_own_conversation_only() -> None:
    page = tokens.page_token(CONVERSATION)
    stream = tokens.stream_token(CONVERSATION, 7)
    assert tokens.check_page_token(page, CONVERSATION)
    assert tokens.check_stream_token(stream, CONVERSATION) == 7
    assert not tokens.check_page_token(page, uuid.uuid4())
    assert tokens.check_stream_token(stream, uuid.uuid4()) is None


@pytest.mark.parametrize("token", ["", "nonsense", "a:b:c", "é", "\x00"])
def test_what_is_no_token_opens_nothing(token: str) -> None:
    assert not tokens.check_page_token(token, CONVERSATION)
    assert tokens.check_stream_token(token, CONVERSATION) is None


def test_a_token_of_one_use_is_none_of_the_other() -> None:
    assert not tokens.check_page_token(tokens.stream_token(CONVERSATION, 7), CONVERSATION)
    assert tokens.check_stream_token(tokens.page_token(CONVERSATION), CONVERSATION) is None


def test_tokens_grow_old(monkeypatch: pytest.MonkeyPatch) -> None:
    page, stream = tokens.page_token(CONVERSATION), tokens.stream_token(CONVERSATION, 7)
    monkeypatch.setattr(tokens, "PAGE_S", -1)
    monkeypatch.setattr(tokens, "STREAM_S", -1)
    assert not tokens.check_page_token(page, CONVERSATION)
    assert tokens.check_stream_token(stream, CONVERSATION) is None
