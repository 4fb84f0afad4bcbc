"""The demo study, the whole way, at both sizes: what every page must have, and what is in the database."""

import time

import pytest
from playwright.sync_api import expect

from launcher.child import Child
from tests.browser import OpenPage
from tests.live import LiveSite
from tests.pages.walking import Piece, Walker
from tests.waiting import until

FIRST_PAGE_BYTES = 100_000
WAYS_OUT = ("Need support?", "Report a problem", "Stop taking part")


class Rules:
    """What holds on every page of a walk."""

    def __init__(self) -> None:
        self.parts: list[tuple[int, int]] = []

    def __call__(self, walker: Walker) -> None:
        page, step = walker.page, walker.step
        assert page.locator("h1").count() == 1, f"{step} has {page.locator('h1').count()} headings of level 1"
        self.parts.append(walker.part)
        ways = page.get_by_role("navigation", name="Help and ways out").get_by_role("link").all_inner_texts()
        assert ways == list(WAYS_OUT if walker.kind != "code" else WAYS_OUT[:2]), f"{step}: {ways}"
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= page.evaluate("document.documentElement.clientWidth"), f"{step} is {wide} pixels wide"


def bytes_of(walker: Walker) -> int:
    """What the page shown took over the wire, with all it loads."""
    return int(
        walker.page.evaluate(
            """[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
            .reduce((sum, entry) => sum + entry.transferSize, 0)"""
        )
    )


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_the_demo_study_leads_from_the_link_to_a_code(
    browser_page: OpenPage,
    live_site: LiveSite,
    live_worker: Child,
    warm_and_plain: Piece,
    size: str,
) -> None:
    began = time.monotonic()
    walker = Walker(browser_page(size), live_site, warm_and_plain).arrives(dealt=True)
    rules = Rules()
    walker.walks(to="code", seeing=rules)
    took = time.monotonic() - began
    print(f"\n{size}: the walk took {took:.0f} s")

    numbers, totals = [number for number, _ in rules.parts], {total for _, total in rules.parts}
    assert numbers == list(range(1, len(numbers) + 1)), "a part was left out or told twice"
    assert totals == {len(numbers)}, "the number of parts changed on the way"

    code, status, session = walker.row("completion_code, status, id")
    assert (walker.code, status) == (code, "complete")
    [(asked,)] = live_site.query(
        "SELECT sum(jsonb_array_length((a.rendered->'items')::jsonb)) FROM surveys_administration a "
        "JOIN participation_visit v ON v.administration_id = a.id WHERE v.session_id = %s",
        session,
    )
    [(answers, answered)] = live_site.query(
        "SELECT count(*), count(*) FILTER (WHERE r.state = 'answered') FROM surveys_response r "
        "JOIN participation_visit v ON v.administration_id = r.administration_id WHERE v.session_id = %s",
        session,
    )
    assert answers == answered == asked > 60
    # Meanwhile copies of the conversation are asked, and what they answer is judged.
    judged = (
        "SELECT count(*) >= 12 FROM verdicts_code c JOIN chat_message m ON m.id = c.message_id "
        "JOIN probes_fork f ON f.exchange_id = m.conversation_id "
        "JOIN participation_visit v ON v.conversation_id = f.origin_id WHERE v.session_id = %s"
    )
    until(lambda: live_site.query(judged, session) == [(True,)], 90, lambda: live_site.log("worker"))


def test_the_first_page_is_light(browser_page: OpenPage, live_site: LiveSite, warm_and_plain: Piece) -> None:
    # By a recruitment link consent is the first page; nothing of it is in the browser yet.
    walker = Walker(browser_page("phone"), live_site, warm_and_plain).arrives(pid="first-page")
    assert walker.step == "consent"
    first = bytes_of(walker)
    print(f"\nthe first page takes {first:,} bytes")
    assert 10_000 < first < FIRST_PAGE_BYTES


def test_the_code_stays_after_a_reload_and_for_who_comes_again(
    browser_page: OpenPage, live_site: LiveSite, quick_look: Piece
) -> None:
    walker = Walker(browser_page(), live_site, quick_look).arrives(pid="comes-again")
    walker.walks(to="code")
    code = walker.code
    walker.page.reload()
    expect(walker.page.locator(".code")).to_have_text(code)
    elsewhere = Walker(browser_page("phone"), live_site, quick_look).arrives(pid="comes-again")
    assert (elsewhere.step, elsewhere.code) == ("code", code)
