"""Doing the same thing many times at once, each in a thread and a database connection of its own."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from django.db import connection

Made = TypeVar("Made")


def at_once(what: Callable[[int], Made], *, times: int, threads: int) -> list[Made]:
    """Call ``what(0..times-1)``; the first ``threads`` calls begin at the same instant. In call order."""
    together = Barrier(threads)

    def call(number: int) -> Made:
        try:
            if number < threads:
                together.wait(timeout=30)
            return what(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(call, range(times)))
