"""A real Chromium for tests: where it is found, how pages are opened, what no page may do."""

import os
import shutil
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.live import LiveSite

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
INSTALL = "apt-get install chromium"
SIZES = {"desktop": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
# Quiet and alone: no sandbox as super-user, no request of the browser's own.
ARGUMENTS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

_skipped: list[str] = []

OpenPage = Callable[..., Page]


def chromium() -> str | None:
    """The path of a Chromium: CHROMIUM of the environment, or the first found on PATH."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "browser_page" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="module")
def chromium_browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """One Chromium per test file. It holds an event loop: keep async tests and ORM calls in other files."""
    path = chromium()
    if path is None:
        _skipped.append(request.node.name)
        explanation = f"no Chromium found; install one: {INSTALL}"
        if os.environ.get("REQUIRE_BROWSER") == "1":
            pytest.fail(explanation)
        pytest.skip(explanation)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=ARGUMENTS, chromium_sandbox=os.geteuid() != 0
        )
        yield browser
        browser.close()


@pytest.fixture
def browser_page(chromium_browser: Browser, live_site: LiveSite) -> Iterator[OpenPage]:
    """``browser_page("phone")`` or ``("desktop")``: a page of a browser that has never been here.

    Afterwards the test fails if a page raised an error, broke its content policy, or asked anything
    of another host; ``strict=False`` is for pages whose failure is the point.
    """
    contexts: list[BrowserContext] = []
    faults: list[str] = []
    own = urlsplit(live_site.url).netloc

    def is_foreign(url: str) -> bool:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https", "ws", "wss"} and parts.netloc != own

    def watch(page: Page) -> None:
        page.on("pageerror", lambda error: faults.append(f"error in {page.url}: {error}"))
        page.on("console", lambda said: said.type == "error" and faults.append(f"{page.url}: {said.text}"))
        page.on("request", lambda asked: is_foreign(asked.url) and faults.append(f"asked for {asked.url}"))

    def open_page(size: str = "desktop", *, strict: bool = True, **options: object) -> Page:
        context = chromium_browser.new_context(
            base_url=live_site.url,
            viewport=SIZES[size],
            has_touch=size == "phone",
            is_mobile=size == "phone",
            locale="en",
            **options,
        )
        contexts.append(context)
        if strict:
            context.on("page", watch)
        return context.new_page()

    yield open_page
    for context in contexts:
        context.close()
    assert not faults, "\n".join(faults)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _skipped:
        terminalreporter.section("browser tests did not run", sep="-")
        terminalreporter.line(f"No Chromium was found. Install one to run them: {INSTALL}")
