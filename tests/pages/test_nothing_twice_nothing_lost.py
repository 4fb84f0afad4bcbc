"""Reload, back, double click, two tabs, another browser, cookies gone: on each kind of step."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import OpenPage
from tests.live import LiveSite
from tests.pages.conftest import NewPerson
from tests.pages.walking import Piece, Walker

# The fields of a form, and the questions in their order with what is ticked or filled in.
FILLED_IN = """() => [...document.querySelectorAll("[data-item]")].map((item) => [
  item.dataset.item,
  [...item.querySelectorAll("[name^='i-']")].map((field) =>
    ["radio", "checkbox"].includes(field.type) ? field.checked : field.value),
])"""


def filled_in(page: Page) -> list[object]:
    return list(page.evaluate(FILLED_IN))


def said(page: Page) -> list[str]:
    return page.locator(".chat-message p").all_inner_texts()


def is_saved(walker: Walker) -> None:
    """Wait until what was answered on this page has been saved by itself."""
    if walker.page.locator("[data-scale]").count():
        expect(walker.page.locator("[data-status]")).to_have_text("Saved")


def as_it_stands(walker: Walker) -> tuple[object, ...]:
    """What of a page must be there again: place, part, answers in their order, words said, the code."""
    page = walker.page
    if walker.kind in {"conversation", "cards"}:
        expect(page.locator(".chat-progress")).not_to_be_empty()
        expect(page.locator(".chat-typing")).to_have_count(0)
    codes = page.locator(".code").all_inner_texts()
    return walker.step, walker.part, filled_in(page), said(page), codes


def rows(walker: Walker, sql: str) -> list[tuple[object, ...]]:
    """A query about the newest session of the study, whose id is its parameter."""
    return walker.site.query(sql, walker.row("id")[0])


def nothing_is_there_twice(walker: Walker) -> None:
    """One session a person, one visit a step, each step done once, one row an answer."""
    for table, columns in {
        "participation_session": "participant_id",
        "participation_visit": "session_id, position",
        "surveys_response": "administration_id, item",
        "(SELECT * FROM participation_event WHERE kind = 'step_done') done": "session_id, detail",
    }.items():
        twice = walker.site.query(f"SELECT {columns} FROM {table} GROUP BY {columns} HAVING count(*) > 1")
        assert twice == [], f"{table}: {twice}"


def messages(walker: Walker) -> list[tuple[object, ...]]:
    """Role and text of what was said in the conversation, in order."""
    return rows(
        walker,
        "SELECT m.role, m.text FROM chat_message m JOIN participation_visit v "
        "ON v.conversation_id = m.conversation_id WHERE v.session_id = %s "
        "AND v.step_kind = 'conversation' ORDER BY m.position",
    )


def test_a_reload_on_every_step_keeps_what_was_answered_and_said(somebody: NewPerson) -> None:
    walker = somebody()
    while True:
        if walker.kind not in {"consent", "debrief", "code"}:
            walker.answer()
            is_saved(walker)
        before = as_it_stands(walker)
        walker.page.reload()
        assert as_it_stands(walker) == before
        if walker.kind == "code":
            break
        walker.answer()
        walker.goes_on()
    nothing_is_there_twice(walker)


def test_the_link_in_another_browser_leads_to_the_same_place_with_all_answers(
    somebody: NewPerson, browser_page: OpenPage, live_site: LiveSite, quick_look: Piece
) -> None:
    walker = somebody(pid="two-browsers")
    while True:
        if walker.kind not in {"consent", "debrief", "code"}:
            walker.answer()
            is_saved(walker)
        there = Walker(browser_page("phone"), live_site, quick_look).arrives(pid=" Two-Browsers")
        assert as_it_stands(there) == as_it_stands(walker)
        there.page.context.close()
        if walker.kind == "code":
            break
        walker.answer()
        walker.goes_on()
    assert live_site.query(
        "SELECT count(*) FROM participation_participant WHERE recruitment_hash IS NOT NULL"
    ) == [(1,)]
    nothing_is_there_twice(walker)


def test_the_back_button_leads_to_where_one_is(somebody: NewPerson) -> None:
    walker = somebody()
    while walker.kind != "code":
        walker.answer()
        walker.goes_on()
        stands = walker.position
        walker.page.go_back()
        walker.page.wait_for_url(re.compile(rf"/{stands}/$"))
        expect(walker.page.locator("h1")).to_have_count(1)
    nothing_is_there_twice(walker)
    assert walker.row("status") == ("complete",)


def test_a_double_click_on_every_button_goes_one_step(somebody: NewPerson) -> None:
    walker = somebody()
    keys = []
    while walker.kind != "code":
        keys.append(walker.step)
        walker.answer()
        left = walker.page.url
        walker.go_on_button.dblclick()
        walker.page.wait_for_url(lambda url, left=left: url != left)
    done = rows(
        walker,
        "SELECT detail->>'step' FROM participation_event "
        "WHERE session_id = %s AND kind = 'step_done' ORDER BY id",
    )
    assert [key for (key,) in done if key != "allocation"] == keys
    nothing_is_there_twice(walker)


def test_a_double_click_on_an_unanswered_page_asks_once_and_stays(somebody: NewPerson) -> None:
    walker = somebody().walks(to="beliefs_before")
    walker.go_on_button.dblclick()
    expect(walker.page.locator("[data-reminder]")).to_be_focused()
    assert walker.step == "beliefs_before"
    walker.goes_on()
    assert walker.step == "conversation"
    states = rows(
        walker,
        "SELECT DISTINCT r.state FROM surveys_response r JOIN participation_visit v "
        "ON v.administration_id = r.administration_id WHERE v.session_id = %s",
    )
    assert states == [("missing",)]


def test_a_double_click_on_send_sends_once(somebody: NewPerson) -> None:
    walker = somebody().walks(to="conversation")
    walker.page.locator("[data-chat-words]").fill("Only once, please.")
    walker.page.get_by_role("button", name="Send").dblclick()
    walker.hears(2)
    assert [text for role, text in messages(walker) if role == "participant"] == ["Only once, please."]


def test_a_second_tab_that_is_behind_neither_moves_nor_overwrites(somebody: NewPerson) -> None:
    walker = somebody(strict=False).walks(to="support")
    behind = walker.page.context.new_page()
    behind.goto(walker.page.url)
    walker.answer()
    walker.goes_on()
    assert walker.step == "cards"
    answers = (
        "SELECT r.item, r.state, r.number FROM surveys_response r JOIN participation_visit v "
        "ON v.administration_id = r.administration_id WHERE v.session_id = %s AND v.step_key = 'support' "
        "ORDER BY r.item"
    )
    before = rows(walker, answers)
    assert len(before) == 6
    with behind.expect_response("**/save") as saved:
        behind.locator("[data-item] input[type=radio]").last.check()
    assert saved.value.status == 409
    behind.get_by_role("button", name="Continue").click()
    behind.wait_for_url(walker.page.url)
    assert rows(walker, answers) == before
    nothing_is_there_twice(walker)


def test_two_tabs_on_one_page_keep_the_newer_answer(somebody: NewPerson) -> None:
    walker = somebody().walks(to="support")
    other = walker.page.context.new_page()
    other.goto(walker.page.url)
    item = walker.page.locator("[data-item]").first.get_attribute("data-item")
    walker.page.locator(f"[name=i-{item}]").nth(1).check()
    is_saved(walker)
    other.locator(f"[name=i-{item}]").nth(5).check()
    expect(other.locator("[data-status]")).to_have_text("Saved")
    # The first tab, which has not heard of it, hands in the whole page.
    walker.page.locator("[data-item]").nth(1).locator("input[type=radio]").first.check()
    walker.go_on_button.click()
    expect(walker.page.locator("[data-reminder]")).to_be_focused()
    assert walker.page.locator(f"[name=i-{item}]").nth(5).is_checked()


def test_two_tabs_of_one_conversation_show_the_same_and_send_once(somebody: NewPerson) -> None:
    walker = somebody().walks(to="conversation")
    other = Walker(walker.page.context.new_page(), walker.site, walker.study)
    other.page.goto(walker.page.url)
    expect(other.page.locator(".chat-agent")).to_have_count(1)
    walker.say("From the first tab.")
    other.page.locator("[data-chat-words]").fill("From the second.")
    other.page.get_by_role("button", name="Send").click()
    other.hears(3)
    walker.page.reload()
    walker.hears(3)
    assert said(other.page) == said(walker.page)
    assert [text for role, text in messages(walker) if role == "participant"] == [
        "From the first tab.",
        "From the second.",
    ]


def test_answers_survive_closing_the_tab_without_handing_in(somebody: NewPerson) -> None:
    walker = somebody().walks(to="beliefs_before")
    walker.answer()
    is_saved(walker)
    before = as_it_stands(walker)
    context = walker.page.context
    walker.page.close()
    walker.page = context.new_page()
    walker.page.goto(walker.path)
    assert as_it_stands(walker) == before


def test_answers_given_just_before_going_elsewhere_are_saved(somebody: NewPerson) -> None:
    walker = somebody().walks(to="support")
    walker.answer()
    before = as_it_stands(walker)
    walker.page.goto(f"{walker.path}support/")
    walker.page.get_by_role("link", name="Back to the study").click()
    assert as_it_stands(walker) == before


@pytest.mark.parametrize("step", ["consent", "support", "debrief"])
def test_with_the_cookies_gone_the_link_leads_back_to_the_same_place(somebody: NewPerson, step: str) -> None:
    pid = f"no-cookies-{step}"
    walker = somebody(pid=pid, strict=False).walks(to=step)
    if step == "support":
        walker.answer()
        is_saved(walker)
    before = as_it_stands(walker)
    walker.page.context.clear_cookies()
    walker.go_on_button.click()
    expect(walker.page.get_by_role("heading", level=1)).to_have_text("This page could not be sent")
    walker.arrives(pid=pid)
    assert as_it_stands(walker) == before
    nothing_is_there_twice(walker)


def test_the_cookie_is_renewed_with_every_page(somebody: NewPerson) -> None:
    walker = somebody()

    def expires() -> float:
        return next(
            cookie["expires"] for cookie in walker.page.context.cookies() if cookie["name"] == "ph_quick-look"
        )

    first = expires()
    walker.page.reload()
    assert expires() > first


def test_a_draft_in_the_composer_is_there_again(somebody: NewPerson) -> None:
    walker = somebody("phone").walks(to="conversation")
    words = walker.page.locator("[data-chat-words]")
    words.fill("I was going to say\nthat 👩‍👩‍👧 it is late")
    walker.page.goto(f"{walker.path}support/")
    walker.page.get_by_role("link", name="Back to the study").click()
    expect(words).to_have_value("I was going to say\nthat 👩‍👩‍👧 it is late")
    walker.page.reload()
    expect(words).to_have_value("I was going to say\nthat 👩‍👩‍👧 it is late")
    walker.hears(1)
    assert messages(walker) == [("agent", said(walker.page)[0])]
