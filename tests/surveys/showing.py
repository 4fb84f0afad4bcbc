"""A page of questions as a browser gets it, without study, session or database."""

from collections.abc import Mapping

from django.template.loader import render_to_string
from django.utils import timezone

from surveys.administration import assemble
from surveys.answers import AnswerRefused
from surveys.models import Administration, Response
from surveys.rendering import render
from surveys.scale_file import Scale

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'"
)


def fragment(
    scale: Scale,
    *,
    seed: int = 1,
    saved: Mapping[str, Response] | None = None,
    reminded: bool = False,
    refused: Mapping[str, AnswerRefused] | None = None,
    **more: object,
) -> str:
    """``surveys/scale.html`` for a scale."""
    rendered = render(scale, seed=seed, words={"agent": "Juno"}, **more)
    administration = Administration(
        rendered=rendered, seed=seed, reminded_at=timezone.now() if reminded else None
    )
    page = assemble(administration, saved=saved or {}, refused=refused or {}, clock_ms=1500)
    return render_to_string("surveys/scale.html", {"page": page})


def document(inside: str, *, script: bool = True) -> str:
    """The fragment in the frame that participants' pages give it."""
    load = '<script type="module" src="/static/js/scales.js"></script>' if script else ""
    return f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Questions</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/static/css/plainheart.css"><link rel="stylesheet" href="/static/css/scales.css">
</head><body><main id="main"><div class="frame"><h1>A few questions</h1>
<form method="post" action="/handed-in" data-save-url="/save" novalidate>
<input type="hidden" name="csrfmiddlewaretoken" value="token-of-the-form">{inside}
<div class="buttons"><button class="button" type="submit">Continue</button></div>
</form></div></main>{load}</body></html>"""
