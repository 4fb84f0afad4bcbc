"""Stopping, declining, reporting, asking for help, and the doors that do not open."""

import re

import pytest
import redis
from playwright.sync_api import expect

from tests.browser import OpenPage
from tests.live import LiveSite
from tests.pages.conftest import NewPerson
from tests.pages.walking import Piece, Walker


def heading(walker: Walker) -> str:
    return walker.page.get_by_role("heading", level=1).inner_text()


def stops(walker: Walker, choice: str) -> None:
    """Press the way out on the page at hand and say what shall become of the data."""
    walker.page.get_by_role("link", name="Stop taking part").click()
    walker.page.get_by_label(choice).check()
    walker.page.get_by_role("button", name="Stop taking part").click()
    walker.page.wait_for_url(re.compile(r"/\d+/$"))


def found_anywhere(site: LiveSite, needle: str) -> list[str]:
    """Every table with a row, every Valkey key and every file of the site's folder that holds ``needle``."""
    # The logs of all its processes, and whatever Valkey may have written down.
    files = [
        path.name
        for path in site.folder.rglob("*")
        if path.is_file() and needle.encode() in path.read_bytes()
    ]
    with redis.Redis.from_url(site.environment["REDIS_URL"]) as store:
        keys = [
            repr(key)
            for key in store.scan_iter(match="*")
            if needle.encode() in key + (store.dump(key) or b"")
        ]
    tables = site.query(
        "SELECT table_name FROM information_schema.tables "
        "WHERE table_schema = 'public' AND table_type = 'BASE TABLE'"
    )
    return [
        *files,
        *keys,
        *(
            table
            for (table,) in tables
            if site.query(f'SELECT 1 FROM "{table}" row WHERE position(%s in row::text) > 0 LIMIT 1', needle)
        ),
    ]


@pytest.mark.parametrize("step", ["beliefs_before", "conversation", "right", "debrief"])
def test_who_stops_and_lets_the_answers_be_kept_reads_the_debrief_and_gets_a_code(
    somebody: NewPerson, step: str
) -> None:
    walker = somebody("phone").walks(to=step)
    stops(walker, "Keep it")
    assert (walker.step, heading(walker)) == ("debrief", "What this study was about")
    assert walker.page.get_by_role("link", name="Stop taking part").count() == 0
    walker.answer()
    walker.goes_on()
    assert (walker.code, heading(walker)) == ("QUICK-LOOK-STOPPED", "You have stopped taking part")
    assert walker.row("status, completion_code") == ("withdrawn", "QUICK-LOOK-STOPPED")
    walker.page.reload()
    assert walker.code == "QUICK-LOOK-STOPPED"
    assert walker.page.get_by_role("button", name="erase everything").count() == 0


@pytest.mark.parametrize("step", ["beliefs_before", "support", "cards"])
def test_who_stops_and_wants_all_erased_gets_the_code_first_and_then_nothing_is_left(
    somebody: NewPerson, live_site: LiveSite, step: str
) -> None:
    walker = somebody(pid=f"wants-out-at-{step}")
    walker.words = (f"Words of mine at {step}.", f"More words of mine at {step}.")
    walker.walks(to=step)
    session, participant = walker.row("id, participant_id")
    [(code,)] = live_site.query("SELECT code FROM participation_participant WHERE id = %s", participant)
    conversations = [
        str(conversation)
        for (conversation,) in live_site.query(
            "SELECT conversation_id FROM participation_visit"
            " WHERE session_id = %s AND conversation_id IS NOT NULL",
            session,
        )
    ]
    for conversation in conversations:
        # A request that is refused is what a server likes to log.
        assert live_site.get(f"/c/{conversation}/messages")[0] == 403
    assert found_anywhere(live_site, str(session)) != []
    stops(walker, "Erase it")
    assert walker.step == "debrief"
    assert walker.page.get_by_text("may your answers be kept?").count() == 0, "asked a second time"
    walker.answer()
    walker.goes_on()
    assert walker.code == "QUICK-LOOK-STOPPED"
    walker.page.get_by_role("button", name="I have my code, erase everything").click()
    expect(walker.page.get_by_role("heading", level=1)).to_have_text("Your data were erased")
    for needle in (str(session), str(participant), code, f"of mine at {step}", *conversations):
        assert found_anywhere(live_site, needle) == []
    live_site.manage("check_invariants")
    walker.page.goto(f"{walker.path}?PROLIFIC_PID=wants-out-at-{step}")
    assert heading(walker) == "Your data were erased"


def test_who_learns_at_the_debrief_what_it_was_about_can_still_take_it_all_back(
    somebody: NewPerson, live_site: LiveSite
) -> None:
    walker = somebody().walks(to="debrief")
    session, _ = walker.row("id, status")
    walker.page.get_by_label("No, erase everything").check()
    walker.goes_on()
    assert (walker.code, walker.row("status")) == ("QUICK-LOOK-THANKS", ("complete",))
    walker.page.get_by_role("button", name="I have my code, erase everything").click()
    expect(walker.page.get_by_role("heading", level=1)).to_have_text("Your data were erased")
    assert found_anywhere(live_site, str(session)) == []


def test_who_stops_before_consenting_gets_a_code_and_no_debrief(somebody: NewPerson) -> None:
    walker = somebody()
    stops(walker, "Keep it")
    assert (walker.step, walker.code) == ("code", "QUICK-LOOK-STOPPED")


def test_going_back_from_the_way_out_changes_nothing(somebody: NewPerson) -> None:
    walker = somebody().walks(to="support")
    walker.page.get_by_role("link", name="Stop taking part").click()
    walker.page.get_by_role("button", name="Stop taking part").click()
    expect(walker.page.get_by_role("alert")).to_be_focused()
    walker.page.get_by_role("link", name="Go back and carry on").click()
    assert (walker.step, walker.row("status")) == ("support", ("active",))


def test_who_declines_gets_a_page_that_says_so(somebody: NewPerson) -> None:
    walker = somebody("phone")
    walker.page.get_by_role("button", name="I do not take part").click()
    walker.page.wait_for_url(lambda url: not url.endswith("/0/"))
    assert (walker.code, heading(walker)) == ("QUICK-LOOK-DECLINED", "You did not take part")
    assert walker.row("status") == ("declined",)


def test_statements_left_open_are_asked_for_and_what_was_chosen_stays(somebody: NewPerson) -> None:
    walker = somebody()
    walker.page.get_by_label("Yes", exact=True).check()
    walker.go_on_button.click()
    alert = walker.page.get_by_role("alert")
    expect(alert).to_be_focused()
    expect(alert).to_contain_text("confirm every statement")
    expect(walker.page.get_by_label("Yes", exact=True)).to_be_checked()
    walker.page.get_by_role("checkbox").check()
    walker.goes_on()
    assert walker.row("share_words") == (True,)


def test_a_problem_is_reported_with_the_step_it_came_up_at(somebody: NewPerson) -> None:
    walker = somebody().walks(to="support")
    walker.page.get_by_role("link", name="Report a problem").click()
    walker.page.get_by_role("button", name="Send the report").click()
    expect(walker.page.get_by_role("alert")).to_contain_text("Please write a few words")
    walker.page.get_by_label("What happened?").fill('=1+1 <b>grey</b> "page"')
    walker.page.get_by_role("button", name="Send the report").click()
    expect(walker.page.get_by_role("status")).to_contain_text("Your report was saved")
    walker.page.get_by_role("link", name="Back to the study").click()
    assert walker.step == "support"
    assert walker.site.query(
        "SELECT step_key, text FROM participation_problemreport WHERE session_id = %s", walker.row("id")[0]
    ) == [("support", '=1+1 <b>grey</b> "page"')]


def test_help_is_there_within_a_session_and_for_strangers(
    somebody: NewPerson, browser_page: OpenPage, quick_look: Piece
) -> None:
    walker = somebody("phone")
    walker.page.get_by_role("link", name="Need support?").click()
    expect(walker.page.get_by_role("heading", name="Anywhere in the world")).to_be_visible()
    expect(walker.page.get_by_text("Samaritans", exact=True)).to_be_hidden()
    walker.page.get_by_role("heading", name="United Kingdom").click()
    expect(walker.page.get_by_role("link", name="116 123").first).to_be_visible()
    walker.page.get_by_role("link", name="Back to the study").click()
    assert walker.step == "consent"
    stranger = browser_page()
    stranger.goto(f"{walker.path}support/")
    expect(stranger.get_by_role("heading", name="Find a Helpline")).to_be_visible()
    stranger.get_by_role("link", name="Back to the study").click()
    expect(stranger.get_by_role("button", name="Begin")).to_be_visible()


def test_words_of_distress_bring_up_help_beside_the_reply(somebody: NewPerson) -> None:
    walker = somebody("phone").walks(to="conversation")
    walker.say("I want to die.")
    card = walker.page.locator("[data-support-card]")
    expect(card).to_be_in_viewport()
    expect(card).to_contain_text("cannot help in an emergency")
    walker.page.reload()
    expect(card).to_be_visible()


def test_every_condition_has_a_preview_that_says_so_and_counts_nowhere(
    browser_page: OpenPage, live_site: LiveSite, quick_look: Piece
) -> None:
    printed = live_site.manage("links", quick_look.slug).stdout
    links = dict(re.findall(r"Preview (\S+)\s+(http\S+)", printed))
    assert set(links) == {"default", "warm"}
    for condition, link in links.items():
        page = browser_page()
        page.goto(link)
        walker = Walker(page, live_site, quick_look)
        expect(page.get_by_text("Preview: you see this study")).to_be_visible()
        walker.walks(to="conversation")
        kind, own = walker.row("kind, (SELECT slug FROM studies_frozencondition c WHERE c.id = condition_id)")
        assert (kind, own) == ("preview", condition)
    assert live_site.query(
        "SELECT count(*) FROM participation_allocation a JOIN participation_session s ON s.id = a.session_id "
        "WHERE a.kind <> s.kind"
    ) == [(0,)]


@pytest.mark.parametrize(
    ("address", "status", "title"),
    [
        ("/s/quick-look/?PROLIFIC_PID={{%PROLIFIC_PID%}}", 200, "The link is missing its participant number"),
        ("/s/quick-look/?PROLIFIC_PID=", 200, "The link is missing its participant number"),
        ("/s/no-such-study/", 404, "This link does not work"),
        ("/s/no-such-study/3/", 404, "This link does not work"),
        ("/s/quick-look/3/", 404, "Please open your study link again"),
        ("/preview/damaged/", 200, "This link does not work"),
        ("/somewhere", 404, "This link does not work"),
    ],
)
def test_a_door_that_does_not_open_says_why(
    browser_page: OpenPage, live_site: LiveSite, quick_look: Piece, address: str, status: int, title: str
) -> None:
    page = browser_page("phone", strict=status == 200)
    [before] = live_site.query("SELECT count(*) FROM participation_participant")
    answer = page.goto(address)
    assert answer is not None and answer.status == status
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    assert live_site.query("SELECT count(*) FROM participation_participant") == [before]


def test_a_form_whose_token_is_gone_gets_a_page_with_a_way_on(somebody: NewPerson) -> None:
    walker = somebody(strict=False).walks(to="beliefs_before")
    walker.page.context.clear_cookies(name="csrftoken")
    walker.go_on_button.click()
    assert heading(walker) == "This page could not be sent"
    expect(walker.page.get_by_role("link", name="Need support?")).to_be_visible()
    walker.page.get_by_role("link", name="Carry on").click()
    assert walker.step == "beliefs_before"


@pytest.mark.parametrize(
    ("status", "title"), [("closed", "This study is not open"), ("paused", "This study is paused")]
)
def test_a_study_that_takes_nobody_lets_those_inside_go_on(
    somebody: NewPerson, browser_page: OpenPage, live_site: LiveSite, status: str, title: str
) -> None:
    inside = somebody()
    # No command closes a study yet; the admin does, through the same column.
    live_site.query("UPDATE studies_study SET status = %s WHERE slug = 'quick-look'", status)
    try:
        page = browser_page()
        page.goto(inside.path)
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        page.goto(f"{inside.path}?PROLIFIC_PID=too-late-{status}")
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        inside.page.goto(inside.path)
        inside.walks(to="beliefs_before")
    finally:
        live_site.query("UPDATE studies_study SET status = 'piloting' WHERE slug = 'quick-look'")
