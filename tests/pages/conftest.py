"""Studies that ship, on the live site of a test file."""

from collections.abc import Callable

import pytest

from tests.browser import OpenPage
from tests.live import LiveSite
from tests.pages import walking
from tests.pages.walking import Piece, Walker

NewPerson = Callable[..., Walker]


@pytest.fixture(scope="module")
def quick_look(live_site: LiveSite) -> Piece:
    """Every kind of step once, in two minutes."""
    return walking.load(live_site, "quick-look")


@pytest.fixture(scope="module")
def warm_and_plain(live_site: LiveSite) -> Piece:
    """The demo study."""
    return walking.load(live_site, "warm-and-plain")


@pytest.fixture
def somebody(browser_page: OpenPage, live_site: LiveSite, quick_look: Piece) -> NewPerson:
    """``somebody(size, pid=..., strict=...)``: a person who has just come into the quick look."""

    def come(size: str = "desktop", *, pid: str = "", strict: bool = True) -> Walker:
        return Walker(browser_page(size, strict=strict), live_site, quick_look).arrives(pid=pid)

    return come
