from io import StringIO

import pytest
from django.core import signing
from django.core.management import call_command
from django.core.management.base import CommandError

from studyapp.participation import links
from tests import cast

pytestmark = pytest.mark.django_db


def test_the_command_prints_where_to_enter_and_a_preview_per_condition(settings) -> None:
    settings.SITE_URL = "https://study.example.org"
    study = cast.study()
    out = StringIO()
    call_command("links", study.slug, stdout=out)
    printed = out.getvalue()
    assert "https://study.example.org/s/cast/\n" in printed
    assert "https://study.example.org/s/cast/?PROLIFIC_PID={{%PROLIFIC_PID%}}" in printed
    assert printed.count("https://study.example.org/preview/") == 2


def test_a_preview_link_opens_what_it_was_made_for() -> None:
    token = links.preview_link(cast.study(), "warm").rstrip("/").rpartition("/")[2]
    assert links.read_preview(token) == links.Preview(study="cast", condition="warm")


@pytest.mark.parametrize("token", ["", "nonsense", signing.dumps({"study": "cast"}, salt="other")])
def test_a_damaged_or_foreign_preview_link_is_refused(token: str) -> None:
    with pytest.raises(links.LinkRefused, match="damaged"):
        links.read_preview(token)


def test_an_old_preview_link_says_how_to_make_a_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    token = links.preview_link(cast.study(), "warm").rstrip("/").rpartition("/")[2]
    monkeypatch.setattr(links, "PREVIEW_LASTS_S", -1)
    with pytest.raises(links.LinkRefused, match=r"manage\.py links"):
        links.read_preview(token)


def test_links_of_a_study_that_is_not_there_name_those_that_are() -> None:
    cast.study()
    with pytest.raises(CommandError, match="Studies here: cast"):
        call_command("links", "nowhere")
