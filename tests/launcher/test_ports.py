"""Ports are chosen once and remembered, unless another program has taken them."""

import socket

import pytest

from launcher import ports
from launcher.refusal import Refusal


def test_a_port_is_remembered(tmp_path):
    file = tmp_path / "ports.json"
    first = ports.remembered(file, "valkey")
    assert ports.remembered(file, "valkey") == first
    assert ports.remembered(file, "postgresql") != first


def test_a_remembered_port_that_is_taken_is_replaced(tmp_path):
    file = tmp_path / "ports.json"
    first = ports.remembered(file, "valkey")
    with socket.create_server((ports.LOOPBACK, first)):
        second = ports.remembered(file, "valkey")
    assert second != first
    assert ports.remembered(file, "valkey") == second


def test_a_listening_port_is_not_free():
    with socket.create_server((ports.LOOPBACK, 0)) as server:
        port = server.getsockname()[1]
        assert not ports.is_free(port)
        with pytest.raises(Refusal, match=f"make run PORT={port + 1}"):
            ports.require_free(ports.LOOPBACK, port)
    assert ports.is_free(port)
