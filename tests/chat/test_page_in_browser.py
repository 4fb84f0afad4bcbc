"""The conversation's page in a real browser, at both sizes."""

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser import OpenPage
from tests.chat.conftest import StartSite
from tests.fakes.model_server import REPLY, ModelServer
from tests.live import LiveSite

# Two cores may be shared by much else.
expect.set_options(timeout=15_000)


@pytest.fixture(scope="module")
def live_site(start_site: StartSite) -> LiveSite:
    return start_site(DJANGO_SETTINGS_MODULE="tests.chat.page_settings")


def send(page: Page, text: str) -> None:
    page.get_by_label("Your message to Robin").fill(text)
    page.get_by_role("button", name="Send").click()


def said(page: Page) -> list[str]:
    return page.locator(".chat-message p").all_inner_texts()


def rows(site: LiveSite, page: Page) -> list[tuple[object, ...]]:
    """Role, state and text of every message of the conversation on the page."""
    conversation = re.search(r"/try/([0-9a-f-]+)/", page.url)[1]
    return site.query(
        "SELECT role, state, text FROM chat_message WHERE conversation_id = %s ORDER BY position",
        conversation,
    )


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_a_conversation_from_the_opening_to_the_last_message(
    browser_page: OpenPage, live_site: LiveSite, size: str
) -> None:
    page = browser_page(size)
    page.goto("/try/?min_turns=1&max_turns=2")
    go_on = page.get_by_role("button", name="Continue")
    expect(page.get_by_text("0 of 1 messages")).to_be_visible()
    expect(go_on).to_be_disabled()
    page.evaluate("window.told = 0; document.addEventListener('chat:ready', () => { window.told += 1; })")
    send(page, "I lost my keys.")
    expect(page.locator(".chat-typing")).to_be_visible()
    expect(go_on).to_be_enabled()
    assert said(page) == ["Hello, I am Robin.", "I lost my keys.", REPLY]
    assert page.evaluate("window.told") == 1
    send(page, "Two\nlines 👩‍👩‍👧")
    expect(page.get_by_text("This conversation has come to its end")).to_be_visible()
    expect(page.get_by_label("Your message to Robin")).to_be_hidden()
    assert [text for _, _, text in rows(live_site, page)] == said(page)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_a_reply_is_announced_once_and_whole(browser_page: OpenPage) -> None:
    page = browser_page()
    page.goto("/try/")
    page.evaluate(
        """window.heard = [];
        const region = document.querySelector('[data-chat-announcer]');
        const hear = () => window.heard.push(region.textContent);
        new MutationObserver(hear).observe(region, {childList: true});"""
    )
    send(page, "I lost my keys.")
    expect(page.locator("[data-chat-announcer]")).to_have_text(f"Robin: {REPLY}")
    assert page.evaluate("window.heard") == [f"Robin: {REPLY}"]
    assert page.get_by_role("log").get_attribute("aria-live") == "off"


def test_a_reload_in_mid_reply_goes_on_where_the_reply_is(
    browser_page: OpenPage, live_site: LiveSite
) -> None:
    page = browser_page()
    page.goto("/try/")
    send(page, "I lost my keys.")
    expect(page.locator(".chat-agent p").last).to_contain_text("Thank you")
    page.get_by_label("Your message to Robin").fill("a draft")
    page.reload()
    expect(page.locator(".chat-agent p").last).to_have_text(REPLY)
    expect(page.get_by_label("Your message to Robin")).to_have_value("a draft")
    assert [role for role, _, _ in rows(live_site, page)] == ["agent", "participant", "agent"]


def test_a_reply_is_shown_at_the_pace_of_its_schedule_and_a_reload_jumps_to_the_clock(
    browser_page: OpenPage, fake_models: ModelServer
) -> None:
    page = browser_page()
    fake_models.script("say")
    page.goto("/try/?start_ms=600&ms_per_char=60")
    send(page, "I lost my keys.")
    last = page.locator(".chat-agent p").last
    expect(last).to_contain_text("Thank")
    shown = last.inner_text()
    assert REPLY.startswith(shown) and shown != REPLY
    page.reload()
    expect(last).to_contain_text("Thank you")
    assert last.inner_text() != REPLY, "the reload showed all at once"
    expect(last).to_have_text(REPLY)


def test_a_message_survives_a_lost_connection_and_is_stored_once(
    browser_page: OpenPage, live_site: LiveSite
) -> None:
    page = browser_page(strict=False)
    page.goto("/try/")
    lost = []

    def lose_two_answers(route: object) -> None:
        if route.request.method == "POST" and len(lost) < 2:
            lost.append(json.loads(route.request.post_data)["client_key"])
            if len(lost) == 2:
                # The server takes it, but its answer never arrives.
                route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route("**/messages", lose_two_answers)
    send(page, "I lost my keys.")
    expect(page.locator(".chat-agent p").last).to_have_text(REPLY)
    assert len(set(lost)) == 1
    assert [role for role, _, _ in rows(live_site, page)] == ["agent", "participant", "agent"]
    assert said(page) == ["Hello, I am Robin.", "I lost my keys.", REPLY]


def test_without_a_stream_the_reply_is_fetched(browser_page: OpenPage) -> None:
    page = browser_page(strict=False)
    page.goto("/try/")
    page.route("**/stream?*", lambda route: route.abort())
    send(page, "I lost my keys.")
    expect(page.locator(".chat-agent p").last).to_have_text(REPLY)


def test_a_failed_reply_is_apologised_for_and_can_be_tried_again(
    browser_page: OpenPage, live_site: LiveSite, fake_models: ModelServer
) -> None:
    page = browser_page()
    fake_models.script("500", "say")
    page.goto("/try/?min_turns=3")
    send(page, "I lost my keys.")
    expect(page.locator(".chat-failure")).to_be_visible()
    expect(page.get_by_role("button", name="Continue")).to_be_enabled()
    page.reload()
    expect(page.locator(".chat-failure")).to_be_visible()
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".chat-agent p").last).to_have_text(REPLY)
    assert said(page) == ["Hello, I am Robin.", "I lost my keys.", REPLY]
    page.reload()
    expect(page.locator(".chat-agent p").last).to_have_text(REPLY)
    assert said(page) == ["Hello, I am Robin.", "I lost my keys.", REPLY]


def test_a_message_that_is_too_long_is_not_lost(browser_page: OpenPage) -> None:
    page = browser_page()
    page.goto("/try/?max_characters=20")
    field = page.get_by_label("Your message to Robin")
    field.fill("x" * 25)
    expect(page.get_by_text("25 of 20 characters")).to_be_visible()
    expect(page.get_by_role("button", name="Send")).to_be_disabled()
    expect(field).to_have_value("x" * 25)


def test_words_of_distress_bring_up_the_way_to_help_and_a_reload_keeps_it(browser_page: OpenPage) -> None:
    page = browser_page()
    page.goto("/try/")
    card = page.locator("[data-support-card]")
    expect(card).to_be_hidden()
    send(page, "I want to kill myself")
    expect(card).to_be_visible()
    page.reload()
    expect(card).to_be_visible()


def test_a_card_is_asked_with_one_tap_and_its_fixed_words(browser_page: OpenPage) -> None:
    page = browser_page("phone")
    page.goto("/try/?cards=1&opening=")
    expect(page.get_by_text("0 of 1 question")).to_be_visible()
    page.get_by_role("button", name="I think honey never spoils").click()
    expect(page.get_by_text("That was the last question")).to_be_visible()
    assert said(page) == ["I think honey never spoils. Is that right?", REPLY]
    expect(page.get_by_role("button", name="Continue")).to_be_enabled()


def test_the_page_is_used_by_keyboard_alone(browser_page: OpenPage) -> None:
    page = browser_page()
    page.goto("/try/")
    page.get_by_label("Your message to Robin").focus()
    page.keyboard.type("one")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("two")
    page.keyboard.press("Enter")
    expect(page.locator(".chat-agent p").last).to_have_text(REPLY)
    assert said(page)[1] == "one\ntwo"
    expect(page.get_by_label("Your message to Robin")).to_be_focused()


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_axe_finds_nothing_in_any_state(browser_page: OpenPage, fake_models: ModelServer, size: str) -> None:
    page = browser_page(size)
    fake_models.script("slow", "500")
    page.goto("/try/?attempts=1")
    send(page, "I want to kill myself")
    expect(page.locator(".chat-typing")).to_be_visible()
    assert_accessible(page)
    expect(page.locator(".chat-agent p").last).to_have_text(REPLY)
    send(page, "Are you there?")
    expect(page.locator(".chat-failure")).to_be_visible()
    assert_accessible(page)
    page.goto("/try/?cards=1")
    expect(page.get_by_role("button", name="I think honey")).to_be_visible()
    assert_accessible(page)


def assert_accessible(page: Page) -> None:
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
