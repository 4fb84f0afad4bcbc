"""One event loop serves all chats: a middleware that only knows sync would stall every one of them."""

import pytest
from django.conf import settings
from django.utils.module_loading import import_string


@pytest.mark.parametrize("path", settings.MIDDLEWARE)
def test_every_middleware_can_be_awaited(path):
    assert import_string(path).async_capable, f"{path} is sync only"
