"""The HTML of a page of questions, and what it shows of answers given before."""

import re
import time
from html.parser import HTMLParser

import pytest
from django.utils import timezone

from surveys.administration import page
from surveys.answers import Answer, AnswerRefused, autosave, submit
from surveys.models import Response, ScaleVersion
from surveys.scale_file import load, parse, shipped
from tests.surveys.cast import HOSTILE, MIXED, ask, complete_form
from tests.surveys.showing import fragment


class Reader(HTMLParser):
    """Tags with their attributes, and the text inside each element that has an id."""

    def __init__(self, html):
        super().__init__()
        self.tags = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def named(self, name):
        return [attrs for _, attrs in self.tags if attrs.get("name") == name]


SHOWN = sorted(key for key, scale in shipped().items() if scale.items and not scale.missing_wording())


@pytest.mark.parametrize("key", SHOWN)
def test_every_field_has_a_name_for_people_and_nothing_is_inline(key):
    html = fragment(load(key))
    assert not re.search(r"\s(style|on[a-z]+)=|<script|<style", html)
    inside_label = re.sub(r"<label[ >].*?</label>", "", html, flags=re.S)
    labels = set(re.findall(r'<label[^>]* for="([^"]+)"', html))
    for tag, attrs in Reader(inside_label).tags:
        if tag in {"input", "textarea"} and attrs.get("type") != "hidden":
            assert attrs.get("aria-labelledby") or attrs.get("id") in labels, attrs
    assert html.count("<fieldset") == html.count("<legend")
    ids = re.findall(r'\sid="([^"]+)"', html)
    assert len(ids) == len(set(ids))


def test_every_item_has_its_field_and_its_times():
    reader = Reader(fragment(parse(MIXED)))
    for item in MIXED["items"]:
        assert reader.named(f"i-{item['key']}"), item
        assert reader.named(f"t-{item['key']}") == [
            {"type": "hidden", "name": f"t-{item['key']}", "value": ",,0,0"}
        ]


def test_answers_given_before_are_shown_again():
    saved = {
        "likert": Response(item="likert", state="answered", number=2.0, revision=40, first_ms=7, changes=1),
        "many": Response(item="many", state="answered", text="1,10"),
        "line": Response(item="line", state="answered", number=0.0),
        "short": Response(item="short", state="prefer_not"),
        "one": Response(item="one", state="prefer_not"),
        "long": Response(item="long", state="answered", text="a <b> & c"),
    }
    html = fragment(parse(MIXED), saved=saved)
    reader = Reader(html)
    ticked = {(attrs["name"], attrs["value"]) for _, attrs in reader.tags if "checked" in attrs}
    assert ticked == {
        ("i-likert", "2"),
        ("i-many", "1"),
        ("i-many", "10"),
        ("s-short", "prefer_not"),
        ("i-one", "prefer_not"),
    }
    assert reader.named("t-likert")[0]["value"] == "7,,1,40"
    assert reader.named("i-line")[0]["value"] == "0"
    assert "a &lt;b&gt; &amp; c</textarea>" in html
    [line] = [attrs for _, attrs in reader.tags if attrs.get("type") == "range"]
    assert "data-untouched" not in line


def test_an_untouched_line_has_no_value_and_says_so():
    [line] = [
        attrs for _, attrs in Reader(fragment(load("loneliness_state"))).tags if attrs.get("type") == "range"
    ]
    assert line["value"] == "" and "data-untouched" in line and line["aria-valuetext"] == "not answered yet"
    assert "name" not in line


def test_missing_answers_are_pointed_at_only_when_asked_for():
    quiet = fragment(load("affect"))
    assert "data-reminder" not in quiet and "item-open" not in quiet
    saved = {"pleasure": Response(item="pleasure", state="answered", number=5.0)}
    asked = fragment(load("affect"), saved=saved, reminded=True)
    assert "One question is still open." in asked and 'href="#q-arousal"' in asked
    assert asked.count("item-open") == 1
    assert "18 questions are still open." in fragment(load("pmq"), reminded=True)


def test_a_refused_value_is_shown_as_typed_with_its_reason():
    refusal = AnswerRefused("count", "Please enter a number from 0 up to 120.")
    refusal.typed = "500"
    html = fragment(parse(MIXED), refused={"count": refusal})
    assert Reader(html).named("i-count")[0]["value"] == "500"
    assert "from 0 up to 120." in html


def test_words_of_a_study_cannot_become_markup():
    claims = [{"key": "c", "text": '<img src=x onerror="alert(1)">'}]
    html = fragment(load("ratings"), items=claims)
    assert "<img" not in html and "&lt;img" in html


@pytest.mark.django_db
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_text_survives_being_shown_and_handed_in_unchanged(text):
    administration = ask()
    autosave(administration=administration, answers=[Answer("long", text, changes=1, revision=1)])
    [item] = [item for item in page(administration).items if item.key == "long"]
    submit(
        administration=administration, data=complete_form() | {"i-long": item.value, "t-long": item.timing}
    )
    assert administration.responses.get(item="long").text == text


@pytest.mark.django_db
def test_the_clock_of_a_page_starts_once():
    administration = ask("pmq")
    assert page(administration).clock_ms < 1000
    shown = administration.shown_at
    administration.shown_at = None
    assert page(administration).administration == administration.pk
    assert administration.shown_at == shown
    administration.shown_at = timezone.now() - timezone.timedelta(seconds=90)
    assert 90_000 <= page(administration).clock_ms < 95_000


@pytest.mark.django_db
def test_the_same_scale_asked_twice_is_frozen_once():
    first, second = ask("pmq", seed=1), ask("pmq", seed=2)
    assert first.scale_id == second.scale_id and ScaleVersion.objects.filter(key="pmq").count() == 1
    assert first.rendered != second.rendered
    assert parse(first.scale.document) == load("pmq")


def test_a_page_of_thirty_five_radios_is_quick():
    scale = load("presence")
    fragment(scale)
    started = time.perf_counter()
    for _ in range(20):
        fragment(scale)
    assert (time.perf_counter() - started) / 20 < 0.05
