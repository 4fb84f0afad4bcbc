"""Asking the web process how each part is."""

import http.client
import json
import sys

Health = dict[str, bool]


def parts(host: str, port: int) -> Health | None:
    """The parts of /healthz; None while nothing answers. Goes past any proxy of the environment."""
    connection = http.client.HTTPConnection(host, port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        found: Health = json.loads(answer.read())["parts"]
    except (OSError, http.client.HTTPException, ValueError, KeyError):
        return None
    finally:
        connection.close()
    return found


def address(host: str) -> str:
    """Where a server that listens on ``host`` is reached from this machine."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)


def main() -> int:
    """``python -m launcher.asking HOST PORT``: exit 0 when every part is well.

    The health check of the compose file.
    """
    found = parts(sys.argv[1], int(sys.argv[2]))
    print(json.dumps(found))
    return 0 if found and all(found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
