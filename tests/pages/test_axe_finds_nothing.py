"""axe-core on every page a participant can come to, at both sizes: WCAG A and AA and the best practices."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser import SIZES, OpenPage
from tests.live import LiveSite
from tests.pages.walking import Piece, Walker

AXE = Axe()
# The rules of WCAG A and AA and the best practices are on from the start; large enough targets are not.
OPTIONS = {"rules": {"target-size": {"enabled": True}}}


class Inspector:
    """Collects what axe finds, so that one walk tells of all pages."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.found: list[str] = []
        self.looked_at: list[str] = []

    def look(self, name: str) -> None:
        """Look at the page as it stands, at the size of a phone and at that of a desktop."""
        self.looked_at.append(name)
        for size in ("phone", "desktop"):
            self.page.set_viewport_size(SIZES[size])
            for violation in AXE.run(self.page, options=OPTIONS).response["violations"]:
                places = "; ".join(str(node["target"]) for node in violation["nodes"][:3])
                self.found.append(f"{name}, {size}: {violation['id']} ({violation['help']}) at {places}")

    def must_be_empty(self, *expected: str) -> None:
        missing = set(expected) - set(self.looked_at)
        assert not missing, f"never looked at: {missing}"
        assert not self.found, "\n".join(self.found)


def test_on_every_step_of_the_demo_study(
    browser_page: OpenPage, live_site: LiveSite, warm_and_plain: Piece
) -> None:
    page = browser_page(bypass_csp=True)
    axe = Inspector(page)
    walker = Walker(page, live_site, warm_and_plain).arrives(dealt=True)

    def see(walker: Walker) -> None:
        axe.look(walker.step)
        match walker.kind:
            case "consent":
                walker.go_on_button.click()
                expect(page.get_by_role("alert")).to_be_focused()
                axe.look("consent, statements missing")
            case "conversation":
                page.locator("[data-chat-words]").fill("I want to die, and nobody knows.")
                page.get_by_role("button", name="Send").click()
                expect(page.locator(".chat-typing")).to_be_visible()
                axe.look("conversation, a reply on its way and help shown")
                walker.hears(2)
                page.locator("[data-chat-words]").fill("a" * 2001)
                axe.look("conversation, a message too long")
                page.locator("[data-chat-words]").fill("")
                walker.answer()
                axe.look("conversation, enough said")
                for _ in range(4):
                    walker.say("One thing more.")
                expect(page.get_by_text("This conversation has come to its end")).to_be_visible()
                axe.look("conversation, at its end")
            case "cards":
                walker.answer()
                axe.look("cards, all asked")
            case "scale" | "ratings" | "right" if walker.step not in {"about"}:
                walker.go_on_button.click()
                expect(page.locator("[data-reminder]")).to_be_focused()
                axe.look(f"{walker.step}, questions open")
                walker.answer()
                axe.look(f"{walker.step}, answered")

    walker.walks(to="code", seeing=see)
    every_step = [step["key"] for step in warm_and_plain.steps if step["kind"] != "allocation"]
    axe.must_be_empty(*every_step, "conversation, at its end", "cards, all asked", "partner, questions open")


def test_on_the_pages_beside_the_steps(
    browser_page: OpenPage, live_site: LiveSite, quick_look: Piece
) -> None:
    page = browser_page(bypass_csp=True, strict=False)
    axe = Inspector(page)
    page.goto("/s/quick-look/")
    axe.look("welcome")
    page.goto("/s/quick-look/support/")
    axe.look("support, to a stranger")
    for name, address in {
        "placeholder": "/s/quick-look/?PROLIFIC_PID={{%PROLIFIC_PID%}}",
        "no such study": "/s/nothing-of-the-kind/",
        "no such page": "/nowhere",
        "a step, to a stranger": "/s/quick-look/3/",
        "a damaged preview link": "/preview/damaged/",
    }.items():
        page.goto(address)
        axe.look(name)

    walker = Walker(page, live_site, quick_look).arrives()
    for name in ("support", "problem", "stop"):
        page.goto(f"{walker.path}{name}/")
        axe.look(name)
        if name == "support":
            for group in page.locator("details").all():
                group.evaluate("details => { details.open = true; }")
            axe.look("support, all unfolded")
        else:
            page.locator("main button[type=submit]").click()
            expect(page.get_by_role("alert")).to_be_focused()
            axe.look(f"{name}, refused")
    page.goto(f"{walker.path}problem/")
    page.get_by_label("What happened?").fill("The page was grey.")
    page.get_by_role("button", name="Send the report").click()
    expect(page.get_by_role("status")).to_be_visible()
    axe.look("problem, sent")

    page.goto(walker.path)
    walker.walks(to="beliefs_before")
    page.goto(f"{walker.path}stop/")
    page.get_by_label("Erase it").check()
    page.get_by_role("button", name="Stop taking part").click()
    axe.look("debrief of who stopped")
    page.get_by_role("button", name="Continue to my code").click()
    axe.look("code, with erasure")
    page.get_by_role("button", name="I have my code, erase everything").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your data were erased")
    axe.look("erased")
    axe.must_be_empty("welcome", "erased")
