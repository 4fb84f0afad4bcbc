"""A participant at the browser: looks at the page, answers what it asks, goes on."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from playwright.sync_api import Locator, Page, expect

from tests.live import LiveSite

STUDIES = Path(__file__).resolve().parent.parent.parent / "studies"
# Two cores may be shared by much else.
expect.set_options(timeout=20_000)

WORDS = (
    "My neighbour practises the trumpet every evening.",
    "I have not told them that it bothers me.",
    "Perhaps I could write a short note.",
    "Thank you, that is a place to begin.",
)


@dataclass(frozen=True)
class Piece:
    """A study on a live site: its steps as its file lists them."""

    slug: str
    steps: tuple[dict[str, Any], ...]

    def position(self, key: str) -> int:
        return [step["key"] for step in self.steps].index(key)


def load(site: LiveSite, slug: str) -> Piece:
    """Put a study that ships on the site, open for pilots."""
    file = STUDIES / f"{slug}.yaml"
    site.manage("load_study", str(file), "--pilot")
    return Piece(slug, tuple(yaml.safe_load(file.read_text(encoding="utf-8"))["steps"]))


class Walker:
    """One person on one page of a browser."""

    def __init__(self, page: Page, site: LiveSite, study: Piece) -> None:
        self.page = page
        self.site = site
        self.study = study
        self.path = f"/s/{study.slug}/"
        self.words = WORDS

    # Coming in

    def arrives(self, *, pid: str = "", dealt: bool | None = None) -> "Walker":
        """Open the participant link, with a recruitment id or by the button of the plain link.

        ``dealt``: come as somebody new until the draw at entry gave cards (or gave none).
        """
        while True:
            self.page.goto(self.path + (f"?PROLIFIC_PID={pid}" if pid else ""))
            begin = self.page.get_by_role("button", name="Begin")
            if begin.is_visible():
                begin.click()
            self.page.wait_for_url(re.compile(r"/s/[\w-]+/\d+/$"))
            if dealt is None or self.was_dealt_cards() is dealt:
                return self
            assert not pid, "a recruited person is drawn for once"
            self.page.context.clear_cookies()

    def was_dealt_cards(self) -> bool:
        [(session,)] = self.site.query(
            "SELECT id FROM participation_session ORDER BY arrived_at DESC LIMIT 1"
        )
        return bool(
            self.site.query(
                "SELECT 1 FROM participation_draw WHERE session_id = %s AND name = 'cards'", session
            )
        )

    # Where one is

    @property
    def position(self) -> int:
        found = re.search(r"/s/[\w-]+/(\d+)/(#|$)", self.page.url)
        assert found, f"not at a step: {self.page.url}"
        return int(found[1])

    @property
    def step(self) -> str:
        """The key of the step shown."""
        return str(self.study.steps[self.position]["key"])

    @property
    def kind(self) -> str:
        return str(self.study.steps[self.position]["kind"])

    @property
    def part(self) -> tuple[int, int]:
        """Part n of m, as the page says it."""
        found = re.search(r"Part (\d+) of (\d+)", self.page.locator(".where").inner_text())
        assert found, f"no part on {self.page.url}"
        return int(found[1]), int(found[2])

    @property
    def code(self) -> str:
        return self.page.locator(".code").inner_text()

    @property
    def go_on_button(self) -> Locator:
        name = {"consent": "I take part", "debrief": "Continue to my code"}.get(self.kind, "Continue")
        return self.page.get_by_role("button", name=name, exact=True)

    # What one does

    def answer(self) -> None:
        """Answer whatever the page asks, without handing it in."""
        if self.kind == "consent":
            for box in self.page.get_by_role("checkbox").all():
                box.check()
            self.page.get_by_label("No", exact=True).check()
        elif self.kind == "conversation":
            self.talk()
        elif self.kind == "cards":
            self.ask_cards()
        elif self.kind == "debrief":
            for box in self.page.get_by_role("checkbox").all():
                box.check()
        else:
            for item in self.page.locator("[data-item]").all():
                answer(item)

    def say(self, text: str) -> None:
        """Send one message and wait until its reply is shown whole."""
        before = self.page.locator(".chat-agent").count()
        self.page.locator("[data-chat-words]").fill(text)
        self.page.get_by_role("button", name="Send").click()
        self.hears(before + 1)

    def hears(self, messages: int) -> None:
        """Wait until the agent has said ``messages`` things in all, the last one to its end."""
        expect(self.page.locator(".chat-agent")).to_have_count(messages)
        expect(self.page.locator(".chat-typing")).to_have_count(0)

    def talk(self) -> None:
        """Say as much as is asked for, counted from what has been said already."""
        expect(self.page.locator(".chat-agent").first).to_be_visible()
        needed = int(self.page.locator("[data-chat]").get_attribute("data-min") or 0)
        for number in range(self.page.locator(".chat-participant").count(), needed):
            self.say(self.words[number % len(self.words)])
        expect(self.go_on_button).to_be_enabled()

    def ask_cards(self) -> None:
        card = self.page.locator(".chat-task:visible")
        expect(self.page.locator(".chat-progress")).not_to_be_empty()
        while card.count():
            before = self.page.locator(".chat-agent").count()
            card.click()
            self.hears(before + 1)
        expect(self.go_on_button).to_be_enabled()

    def goes_on(self) -> None:
        """Hand the page in and wait for the next."""
        left = self.page.url
        self.go_on_button.click()
        self.page.wait_for_url(lambda url: url != left)

    def walks(self, *, to: str, seeing: Callable[["Walker"], None] | None = None) -> "Walker":
        """Answer and go on until the step of key ``to`` is shown; ``seeing`` is called at every page."""
        while self.step != to:
            assert self.kind != "code", f"the study ended before {to}"
            if seeing:
                seeing(self)
            self.answer()
            self.goes_on()
        if seeing:
            seeing(self)
        return self

    # What the database says

    def row(self, columns: str) -> tuple[Any, ...]:
        """Columns of the newest session of this study."""
        [found] = self.site.query(
            f"SELECT {columns} FROM participation_session "
            "WHERE study_id = (SELECT id FROM studies_study WHERE slug = %s) "
            "ORDER BY arrived_at DESC LIMIT 1",
            self.study.slug,
        )
        return found


def answer(item: Locator) -> None:
    """Answer one question: tick, touch the line, or write a few words."""
    kind = item.get_attribute("data-kind")
    if kind == "picked":
        inputs = item.locator("input[type=radio]")
        inputs.nth(min(2, inputs.count() - 1)).check()
    elif kind == "ticked":
        item.locator("input[type=checkbox]").first.check()
    elif kind == "slider":
        line = item.locator(".slider-line")
        box = line.bounding_box()
        assert box, "a line without a size"
        line.click(position={"x": box["width"] * 0.7, "y": box["height"] / 2})
    else:
        item.locator(".field").first.fill("a few words")
