"""The whole way without a pointer: every control is reached by Tab, seen when reached, and worked by keys."""

from playwright.sync_api import Locator, expect

from tests.pages.conftest import NewPerson
from tests.pages.walking import Walker

MOST_STOPS = 80
IS_FOCUSED = "element => element === document.activeElement"
SHOWS_FOCUS = """() => {
  const seen = getComputedStyle(document.activeElement);
  return seen.outlineStyle !== "none" && parseFloat(seen.outlineWidth) >= 2;
}"""


class Keys:
    """A person at the keyboard."""

    def __init__(self, walker: Walker) -> None:
        self.page = walker.page
        self.press = walker.page.keyboard.press

    def go_to(self, target: Locator) -> None:
        """Tab until ``target`` has the focus; it, and everything on the way, must show it."""
        expect(target).to_be_visible()
        for _ in range(MOST_STOPS):
            if target.evaluate(IS_FOCUSED):
                return
            self.press("Tab")
            on = self.page.evaluate("document.activeElement.outerHTML.slice(0, 120)")
            assert self.page.evaluate(SHOWS_FOCUS), f"the focus cannot be seen on {on}"
        raise AssertionError(f"{target} is not reached by Tab")

    def goes_on(self, walker: Walker) -> None:
        left = self.page.url
        expect(walker.go_on_button).to_be_enabled()
        self.go_to(walker.go_on_button)
        self.press("Enter")
        self.page.wait_for_url(lambda url: url != left)


def test_the_whole_study_by_keyboard_alone(somebody: NewPerson) -> None:
    walker = somebody()
    page = walker.page
    keys = Keys(walker)

    # The first stop leads past the head of the page.
    keys.press("Tab")
    expect(page.get_by_role("link", name="Skip to the page")).to_be_focused()
    expect(page.get_by_role("link", name="Skip to the page")).to_be_in_viewport()
    keys.press("Enter")
    expect(page.locator("main")).to_be_focused()

    keys.go_to(page.get_by_role("checkbox"))
    keys.press("Space")
    expect(page.get_by_role("checkbox")).to_be_checked()
    keys.go_to(page.get_by_label("Yes", exact=True))
    keys.press("ArrowDown")
    expect(page.get_by_label("No", exact=True)).to_be_checked()
    keys.goes_on(walker)

    assert walker.step == "beliefs_before"
    for line in page.locator(".slider-line").all():
        keys.go_to(line)
        keys.press("End")
        keys.press("ArrowLeft")
    assert [field.input_value() for field in page.locator("input[name^='i-']").all()] == ["99", "99"]
    keys.goes_on(walker)

    assert walker.step == "conversation"
    for number, words in enumerate(("A long day.", "But it is done."), start=1):
        keys.go_to(page.locator("[data-chat-words]"))
        page.keyboard.type(words)
        keys.press("Enter")
        walker.hears(number + 1)
    keys.goes_on(walker)

    assert walker.step == "support"
    for item in page.locator("[data-item]").all():
        keys.go_to(item.locator("input[type=radio]").first)
        keys.press("Space")
        keys.press("ArrowRight")
        expect(item.locator("input[type=radio]").nth(1)).to_be_checked()
    keys.goes_on(walker)

    assert walker.step == "cards"
    card = page.locator(".chat-task:visible")
    expect(page.locator(".chat-progress")).not_to_be_empty()
    asked = 0
    while card.count():
        keys.go_to(card)
        keys.press("Enter")
        asked += 1
        walker.hears(asked)
    keys.goes_on(walker)

    for step in ("beliefs_after", "right"):
        assert walker.step == step
        for line in page.locator(".slider-line").all():
            keys.go_to(line)
            keys.press("Enter")
        keys.goes_on(walker)

    assert walker.step == "debrief"
    keys.goes_on(walker)
    assert walker.code == "QUICK-LOOK-THANKS"
    assert walker.row("status, completion_code") == ("complete", walker.code)


def test_the_ways_out_are_reached_by_keyboard(somebody: NewPerson) -> None:
    walker = somebody("phone").walks(to="support")
    keys = Keys(walker)
    keys.go_to(walker.page.get_by_role("link", name="Stop taking part"))
    keys.press("Enter")
    walker.page.wait_for_url("**/stop/")
    keys.go_to(walker.page.get_by_label("Keep it"))
    keys.press("Space")
    keys.go_to(walker.page.get_by_role("button", name="Stop taking part"))
    keys.press("Enter")
    walker.page.wait_for_url(lambda url: "stop" not in url)
    assert walker.step == "debrief"


def test_a_page_handed_in_with_gaps_puts_the_keyboard_at_the_list_of_them(somebody: NewPerson) -> None:
    walker = somebody().walks(to="beliefs_before")
    keys = Keys(walker)
    keys.go_to(walker.go_on_button)
    keys.press("Enter")
    expect(walker.page.locator("[data-reminder]")).to_be_focused()
    keys.press("Tab")
    keys.press("Enter")
    keys.press("Tab")
    expect(walker.page.locator(".slider-line").first).to_be_focused()
