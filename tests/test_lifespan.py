"""What runs when the web process starts and stops."""

import pytest

from studyapp import lifespan


@pytest.fixture
def hooks(monkeypatch):
    monkeypatch.setattr(lifespan, "on_startup", [])
    monkeypatch.setattr(lifespan, "on_shutdown", [])
    return lifespan


async def play():
    """One life of the application; what it answered."""
    asked = iter([{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}])
    answered = []

    async def receive():
        return next(asked)

    async def send(message):
        answered.append(message["type"])

    try:
        await lifespan.lifespan({"type": "lifespan"}, receive, send)
    finally:
        play.answered = answered
    return answered


def hook(done, name, error=None):
    async def run():
        done.append(name)
        if error:
            raise error

    return run


async def test_hooks_run_in_order_and_shut_down_in_reverse(hooks):
    done = []
    hooks.on_startup += [hook(done, "first"), hook(done, "second")]
    hooks.on_shutdown += [hook(done, "close first"), hook(done, "close second")]
    assert await play() == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert done == ["first", "second", "close second", "close first"]


async def test_a_failing_shutdown_hook_keeps_no_other_from_running(hooks):
    done = []
    hooks.on_shutdown += [hook(done, "drain"), hook(done, "broken", OSError("gone"))]
    with pytest.raises(OSError, match="gone"):
        await play()
    assert done == ["broken", "drain"]


async def test_a_failing_startup_hook_keeps_the_server_from_serving(hooks):
    hooks.on_startup.append(hook([], "broken", OSError("no valkey")))
    with pytest.raises(OSError, match="no valkey"):
        await play()
    assert play.answered == []
