"""Answering questions in a real browser, at both sizes, with and without a script."""

import json
import queue
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Route, expect

from surveys.scale_file import load, parse
from tests.surveys.cast import MIXED
from tests.surveys.showing import POLICY, document, fragment

STATIC = Path(__file__).resolve().parent.parent.parent / "static"


class Desk:
    """Serves one page of questions and keeps what the browser sends."""

    def __init__(self, page, inside):
        self.page = page
        self.saves = []
        self.headers = []
        self.handed_in = []
        self.answer = (200, {"refused": []})
        html = {"Content-Security-Policy": POLICY}
        page.route(
            "**/questions",
            lambda route: route.fulfill(
                body=document(inside), content_type="text/html; charset=utf-8", headers=html
            ),
        )
        page.route("**/save", self._save)
        page.route("**/handed-in", self._hand_in)
        page.goto("/questions")

    def _save(self, route: Route) -> None:
        self.saves.append(json.loads(route.request.post_data)["answers"])
        self.headers.append(route.request.headers)
        status, body = self.answer
        route.fulfill(status=status, json=body)

    def _hand_in(self, route: Route) -> None:
        self.handed_in.append(route.request.post_data)
        route.fulfill(body="<!doctype html><title>Next</title><h1>Next</h1>", content_type="text/html")

    def latest(self):
        """The last thing saved of every item."""
        return {answer["item"]: answer for batch in self.saves for answer in batch}


class Counter:
    """A small real server for one page: hands it out, and queues the bodies of what is saved."""

    def __init__(self, html):
        self.saves = queue.Queue()
        saves = self.saves

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                file = STATIC / self.path.removeprefix("/static/")
                kind = {".js": "text/javascript", ".css": "text/css"}.get(file.suffix, "text/html")
                body = file.read_text() if self.path.startswith("/static/") else html
                self._answer(kind, body)

            def do_POST(self):
                saves.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self._answer("application/json", "{}")

            def _answer(self, kind, body):
                self.send_response(200)
                self.send_header("Content-Type", f"{kind}; charset=utf-8")
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *arguments):
                """Quiet: pytest's output is for failures."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error):
        self._server.shutdown()
        self._server.server_close()


def status(page):
    return page.locator("[data-status]")


@pytest.mark.parametrize("size", ["desktop", "phone"])
@pytest.mark.parametrize("name", ["pmq", "session_support", "mixed"])
def test_no_page_breaks_a_rule_of_accessibility_or_is_wider_than_the_screen(browser_page, size, name):
    page = browser_page(size)
    Desk(page, fragment(parse(MIXED) if name == "mixed" else load(name), reminded=True))
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


def test_points_of_a_pair_stand_below_each_other_on_a_phone_and_are_large_enough(browser_page):
    page = browser_page("phone")
    Desk(page, fragment(load("pmq")))
    boxes = [point.bounding_box() for point in page.locator("#q-warm .pair-point").all()]
    assert len(boxes) == 7
    assert all(box["width"] >= 44 and box["height"] >= 44 for box in boxes)
    assert len({box["x"] for box in boxes}) == 1
    for pole in page.locator("#q-warm .pair-pole").all():
        expect(pole).to_be_visible()


def test_what_is_ticked_is_saved_with_its_times_and_the_token_of_the_form(browser_page):
    page = browser_page()
    desk = Desk(page, fragment(parse(MIXED)))
    page.locator("#q-likert").get_by_label("5").check()
    page.locator("#q-likert").get_by_label("2", exact=True).check()
    page.get_by_label("How many?").fill("0")
    page.get_by_label("In your words?").fill("line\nand 👩‍👩‍👧‍👦")
    page.get_by_label("A", exact=True).check()
    page.get_by_label("C", exact=True).check()
    expect(status(page)).to_have_text("Saved")
    saved = desk.latest()
    assert (saved["likert"]["value"], saved["likert"]["changes"]) == (2, 2)
    assert 1500 <= saved["likert"]["first_ms"] <= saved["likert"]["last_ms"] <= saved["likert"]["revision"]
    assert saved["count"]["value"] == 0 and saved["count"]["state"] == "answered"
    assert saved["long"]["value"] == "line\nand 👩‍👩‍👧‍👦"
    assert saved["many"]["value"] == [1, 10]
    assert desk.headers[0]["x-csrftoken"] == "token-of-the-form"


def test_a_line_has_no_thumb_and_no_value_until_it_is_touched(browser_page):
    page = browser_page("phone")
    desk = Desk(page, fragment(load("affect")))
    first, second = page.locator(".slider-line").all()
    expect(page.locator("#q-pleasure .slider-number")).to_be_hidden()
    assert first.evaluate("e => 'untouched' in e.dataset")
    # Exactly the middle: nothing moves, and it is an answer all the same.
    box = first.bounding_box()
    first.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    expect(first).not_to_have_attribute("data-untouched", "")
    assert page.locator("[name=i-pleasure]").input_value() == "50"
    second.focus()
    second.press("ArrowRight")
    assert page.locator("[name=i-arousal]").input_value() == "51"
    expect(status(page)).to_have_text("Saved")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("heading", name="Next")).to_be_visible()
    assert "i-pleasure=50" in desk.handed_in[0] and "i-arousal=51" in desk.handed_in[0]


def test_an_untouched_line_is_handed_in_empty(browser_page):
    page = browser_page()
    desk = Desk(page, fragment(load("loneliness_state")))
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("heading", name="Next")).to_be_visible()
    assert "i-lonely=&" in desk.handed_in[0] + "&" and "t-lonely=%2C%2C0%2C0" in desk.handed_in[0]


def test_the_whole_page_can_be_answered_by_keyboard(browser_page):
    page = browser_page()
    desk = Desk(page, fragment(load("warmth_check")))
    page.locator(".slider-line").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Next")).to_be_visible()
    for field in ("i-warm=50", "i-took_my_side=2", "i-told_what_i_wanted=1"):
        assert field in desk.handed_in[0]


def test_a_save_that_fails_is_tried_again_and_said(browser_page):
    page = browser_page(strict=False)
    desk = Desk(page, fragment(load("session_support")))
    desk.answer = (503, {})
    page.locator("#q-esteem").get_by_label("Agree", exact=True).check()
    expect(status(page)).to_contain_text("Not saved yet, trying again")
    desk.answer = (200, {"refused": []})
    expect(status(page)).to_have_text("Saved")
    assert len(desk.saves) >= 2 and desk.latest()["esteem"]["value"] == 6


def test_a_page_that_is_no_longer_current_stops_saving_and_says_so(browser_page):
    page = browser_page(strict=False)
    desk = Desk(page, fragment(load("session_support")))
    desk.answer = (409, {"error": "stale", "message": "This page is no longer the current one."})
    with page.expect_response("**/save"):
        page.locator("#q-esteem").get_by_label("Agree", exact=True).check()
    expect(status(page)).to_have_text("This page is no longer the current one.")
    page.locator("#q-comfort").get_by_label("Agree", exact=True).check()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("heading", name="Next")).to_be_visible()
    assert len(desk.saves) == 1 and "i-comfort=6" in desk.handed_in[0]


def test_a_browser_that_lost_its_cookies_is_told_to_hand_the_page_in(browser_page):
    page = browser_page(strict=False)
    desk = Desk(page, fragment(load("session_support")))
    # Django's refusal of a form without its cookie is a page, not JSON.
    desk.answer = (403, {})
    with page.expect_response("**/save"):
        page.locator("#q-esteem").get_by_label("Agree", exact=True).check()
    expect(status(page)).to_contain_text("please press Continue")


def test_a_refused_value_is_said_at_its_question(browser_page):
    page = browser_page()
    desk = Desk(page, fragment(parse(MIXED)))
    desk.answer = (200, {"refused": [{"item": "count", "message": "Please enter a number up to 120."}]})
    page.get_by_label("How many?").fill("500")
    expect(page.locator("#q-count .item-note")).to_have_text("Please enter a number up to 120.")
    desk.answer = (200, {"refused": []})
    page.get_by_label("How many?").fill("5")
    expect(page.locator("#q-count .item-note")).to_have_count(0)
    expect(status(page)).to_have_text("Saved")


def test_preferring_not_to_say_and_answering_exclude_each_other(browser_page):
    page = browser_page()
    desk = Desk(page, fragment(parse(MIXED)))
    decline = page.locator("[name=s-line]")
    page.locator(".slider-line").press("Enter")
    decline.check()
    expect(page.locator(".slider-line")).to_have_attribute("data-untouched", "")
    expect(status(page)).to_have_text("Saved")
    assert desk.latest()["line"]["state"] == "prefer_not" and desk.latest()["line"]["value"] is None
    page.locator(".slider-line").press("Enter")
    expect(decline).not_to_be_checked()


def test_pressing_continue_twice_hands_in_once(browser_page):
    page = browser_page()
    desk = Desk(page, fragment(load("about")))
    page.get_by_role("button", name="Continue").dblclick()
    expect(page.get_by_role("heading", name="Next")).to_be_visible()
    assert len(desk.handed_in) == 1


def test_leaving_the_page_saves_what_was_not_saved_yet(browser_page):
    # A server of its own: what a page sends while it goes away is not seen by the browser's interception.
    with Counter(document(fragment(load("session_support")))) as counter:
        page = browser_page(strict=False)
        page.goto(f"{counter.url}/questions")
        page.locator("#q-esteem").get_by_label("Agree", exact=True).check()
        page.goto(f"{counter.url}/elsewhere")
        [answer] = counter.saves.get(timeout=10)["answers"]
    assert (answer["item"], answer["value"]) == ("esteem", 6)


def test_without_a_script_every_answer_can_be_given(browser_page):
    page = browser_page("phone", java_script_enabled=False)
    desk = Desk(page, fragment(load("affect")))
    expect(page.locator(".slider-line").first).to_be_hidden()
    page.locator("[name=i-pleasure]").fill("70")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("heading", name="Next")).to_be_visible()
    assert "i-pleasure=70" in desk.handed_in[0]


def test_scripts_and_styles_ask_for_nothing_outside():
    for path in (STATIC / "css/scales.css", STATIC / "js/scales.js"):
        assert "http" not in path.read_text() and "@import" not in path.read_text()
