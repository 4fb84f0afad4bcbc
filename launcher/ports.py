"""Which ports are free, and which ones a data folder uses."""

import errno
import json
import random
import socket
import time
from pathlib import Path

from launcher.refusal import Refusal

LOOPBACK = "127.0.0.1"
# Below the range from which Linux draws the ports of outgoing connections, so that a remembered
# port is not in passing use by one of them at the next start.
FIRST, LAST = 20000, 32000


def is_free(port: int, host: str = LOOPBACK) -> bool:
    """Whether a server could listen on ``host:port`` now. Raises OSError for a host that is not ours."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, protocol) as probe:
        # Servers set this too; without it a connection that has just closed would count as "taken".
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
            probe.listen(1)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return False
            raise
    return True


def require_free(host: str, port: int) -> None:
    """Refuse a web port that is taken, may not be used, or belongs to no address of this machine."""
    try:
        free = is_free(port, host)
    except OSError as error:
        raise Refusal(
            f"Cannot listen on HOST={host} PORT={port}: {error.strerror or error}. "
            "Choose an address of this machine and a port above 1023, for example: make run PORT=8123"
        ) from error
    if not free:
        raise Refusal(
            f"Port {port} on {host} is taken by another program. "
            f"Stop it, or choose another port: make run PORT={port + 1}"
        )


def choose() -> int:
    """A free loopback port, drawn at random so that two folders seldom meet."""
    for port in random.sample(range(FIRST, LAST), 200):
        if is_free(port):
            return port
    raise Refusal(f"None of 200 ports tried between {FIRST} and {LAST} on {LOOPBACK} is free.")


def remembered(file: Path, name: str, *, wait_s: float = 0.0) -> int:
    """The port that ``file`` remembers for ``name``; a new one where there is none or it is taken.

    ``wait_s`` gives a service left by a launcher that was killed the time to let go of its port.
    """
    known: dict[str, int] = json.loads(file.read_text()) if file.exists() else {}
    port = known.get(name)
    deadline = time.monotonic() + wait_s
    while port is not None and not is_free(port):
        if time.monotonic() >= deadline:
            port = None
        else:
            time.sleep(0.1)
    if port is None:
        known[name] = port = choose()
        file.write_text(json.dumps(known, indent=2) + "\n")
    return port
