"""Factor models as text, in the notation that lavaan made common.

::

    visual  =~ x1 + x2 + a*x3        # a factor and its items; a is a label
    textual =~ x4 + 0.8*x5 + x6      # a loading fixed at 0.8
    visual  ~~ 0*textual             # a covariance fixed at 0
    x1 ~ age                         # a regression
    x4 ~ 1                           # an intercept
    a == b                           # two labels made equal

``NA*x`` frees what would be fixed, ``start(0.5)*x`` sets a starting value, ``c(0, NA)*x`` and
``c(a, b)*x`` give one modifier a group. Names with unusual signs stand between backticks.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import NoReturn

from analysis.cfa.errors import ModelTextError

OPERATORS = ("=~", "~*~", "~~", "==", ":=", "<~", "~", "|")
_TOKEN = re.compile(
    r"(?P<space>[ \t]+)|(?P<comment>[#!].*)|(?P<end>[\n;])"
    r"|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))"
    r"|(?P<name>[^\W\d][\w.]*|\.[^\W\d][\w.]*|`[^`\n]+`)|(?P<string>\"[^\"\n]*\"|'[^'\n]*')"
    r"|(?P<op>=~|~\*~|~~|==|:=|<~|~|\|)|(?P<sign>[+*(),-])"
)


@dataclass(frozen=True)
class Place:
    """Where something stands in the text, counted from 1."""

    line: int
    column: int


@dataclass(frozen=True)
class Term:
    """One parameter as written.

    Attributes
    ----------
    lhs, op, rhs : as lavaan's table has them; an intercept is ``(x, "~1", "")``
    fixed : values it is fixed at, one for all groups or one a group; nan where it is freed on purpose
        (``NA``); empty where nothing is said
    labels : one for all groups or one a group; "" for none
    starts : starting values, as ``fixed``
    place : of the right-hand name
    """

    lhs: str
    op: str
    rhs: str
    fixed: tuple[float, ...] = ()
    labels: tuple[str, ...] = ()
    starts: tuple[float, ...] = ()
    place: Place = Place(1, 1)


@dataclass(frozen=True)
class Model:
    """A model as written.

    Attributes
    ----------
    text : the text itself
    terms : its parameters in order
    equalities : pairs of labels that ``==`` makes equal
    """

    text: str
    terms: tuple[Term, ...]
    equalities: tuple[tuple[str, str, Place], ...] = field(default=())

    @property
    def latents(self) -> tuple[str, ...]:
        """Factors, in the order they are first measured."""
        return tuple(dict.fromkeys(term.lhs for term in self.terms if term.op == "=~"))

    @property
    def observed(self) -> tuple[str, ...]:
        """Columns the model needs: items first, then variables of regressions, then the others."""
        found: dict[str, None] = {}
        for ops in (("=~",), ("~",), ("~~", "~1", "|", "~*~")):
            for term in self.terms:
                if term.op in ops:
                    sides = (term.rhs,) if term.op == "=~" else (term.lhs,)
                    found.update(dict.fromkeys(sides))
            for term in self.terms:
                if term.op in ops and term.op in ("~", "~~"):
                    found[term.rhs] = None
        latents = set(self.latents)
        return tuple(name for name in found if name and name not in latents)

    def items_of(self, latent: str) -> tuple[str, ...]:
        """Observed items of a factor; those of its factors too, if it is of second order."""
        found: dict[str, None] = {}
        for term in self.terms:
            if term.op == "=~" and term.lhs == latent:
                found.update(dict.fromkeys(self.items_of(term.rhs) or (term.rhs,)))
        return tuple(found)

    def complain(self, place: Place, message: str) -> NoReturn:
        """Raise a complaint that points into this text."""
        _complain(self.text, place, message)


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    place: Place


def parse(text: str) -> Model:
    """Read a model.

    Raises
    ------
    ModelTextError : with line and column, the line itself, and what was expected

    Examples
    --------
    >>> model = parse("visual =~ x1 + a*x2 + x3")
    >>> model.latents, model.observed, model.terms[1].labels
    (('visual',), ('x1', 'x2', 'x3'), ('a',))
    >>> parse("visual = x1")
    Traceback (most recent call last):
    ...
    analysis.cfa.errors.ModelTextError: model, line 1, column 8: '=' means nothing here; write =~ (is measured by), ~ (depends on), ~~ (varies with) or == (equals)
      visual = x1
             ^
    """  # noqa: E501
    reader = _Reader(text, _tokens(text))
    terms: list[Term] = []
    equalities: list[tuple[str, str, Place]] = []
    while not reader.done:
        reader.statement(terms, equalities)
    if not terms:
        _complain(text, Place(1, 1), "the model is empty; write for instance 'f =~ item1 + item2 + item3'")
    _refuse_repeats(text, terms)
    _refuse_circles(text, terms)
    return Model(text, tuple(terms), tuple(equalities))


def _tokens(text: str) -> list[_Token]:
    made: list[_Token] = []
    line, start, position = 1, 0, 0
    text = text.replace("\r\n", "\n")
    while position < len(text):
        match = _TOKEN.match(text, position)
        place = Place(line, position - start + 1)
        if match is None:
            sign = text[position]
            if sign == "=":
                _complain(
                    text,
                    place,
                    "'=' means nothing here; write =~ (is measured by), ~ (depends on), ~~ (varies with) or "
                    "== (equals)",
                )
            _complain(text, place, f"{sign!r} cannot be read; unusual names stand between backticks")
        kind = str(match.lastgroup)
        if kind not in ("space", "comment"):
            made.append(_Token(kind, match.group(), place))
        position = match.end()
        if match.group() == "\n":
            line, start = line + 1, position
    return _joined(made)


def _joined(tokens: list[_Token]) -> list[_Token]:
    """Statements that go on over a line's end: after an operator or sign, before a plus, in brackets."""
    kept: list[_Token] = []
    depth = 0
    for number, token in enumerate(tokens):
        depth += (token.text == "(") - (token.text == ")")
        if token.kind == "end":
            after = next((t for t in tokens[number + 1 :] if t.text != "\n"), None)
            goes_on = bool(kept) and (kept[-1].kind == "op" or kept[-1].text in ("+", "*", ","))
            goes_on = goes_on or (after is not None and (after.text == "+" or after.kind == "op"))
            if token.text == "\n" and (depth > 0 or goes_on):
                continue
        kept.append(token)
    return kept


class _Reader:
    """Reads tokens from left to right, one statement after the other."""

    def __init__(self, text: str, tokens: list[_Token]) -> None:
        self.text, self.tokens, self.at = text, tokens, 0
        self._skip_ends()

    @property
    def done(self) -> bool:
        return self.at >= len(self.tokens)

    def statement(self, terms: list[Term], equalities: list[tuple[str, str, Place]]) -> None:
        left = [self._name("a factor or an item")]
        while self._take("+"):
            left.append(self._name("a name after '+'"))
        operator = self._next("an operator (=~, ~, ~~, ==)")
        if operator.kind != "op":
            _complain(
                self.text, operator.place, f"an operator (=~, ~, ~~, ==) is due before {operator.text!r}"
            )
        if operator.text in (":=", "<~"):
            what = "defined parameters" if operator.text == ":=" else "formative factors"
            _complain(self.text, operator.place, f"{what} ({operator.text}) are not fitted here")
        if operator.text == "==":
            right = self._name("a label after '=='")
            equalities.append((_bare(left[0].text), _bare(right.text), left[0].place))
        else:
            self._right_side(left, operator, terms)
        if not self.done:
            token = self.tokens[self.at]
            if token.kind != "end":
                _complain(
                    self.text, token.place, f"{token.text!r} stands where '+' or the end of the line is due"
                )
            self._skip_ends()

    def _right_side(self, left: list[_Token], operator: _Token, terms: list[Term]) -> None:
        while True:
            fixed: tuple[float, ...] = ()
            labels: tuple[str, ...] = ()
            starts: tuple[float, ...] = ()
            token = self._next(f"a name after {operator.text!r}")
            while self._peek("*") or (token.kind == "name" and self._peek("(")) or token.text == "-":
                kind, values, words = self._modifier(token)
                if kind == "fixed":
                    fixed = values
                elif kind == "start":
                    starts = values
                else:
                    labels = words
                if not self._take("*"):
                    _complain(
                        self.text, token.place, f"'*' and a name are due after the modifier {token.text!r}"
                    )
                token = self._next("a name after '*'")
            op, rhs = self._target(operator, token)
            for name in left:
                lhs = _bare(name.text)
                if (
                    op == "~~"
                    and lhs != rhs
                    and any(t.op == "~~" and (t.lhs, t.rhs) == (rhs, lhs) for t in terms)
                ):
                    _complain(self.text, token.place, f"{rhs} ~~ {lhs} is already in the model")
                terms.append(Term(lhs, op, rhs, fixed, labels, starts, token.place))
            if not self._take("+"):
                return

    def _target(self, operator: _Token, token: _Token) -> tuple[str, str]:
        if token.kind == "number" and operator.text == "~" and float(token.text) == 1:
            return "~1", ""
        if token.kind != "name":
            _complain(self.text, token.place, f"a name is due instead of {token.text!r}")
        return operator.text, _bare(token.text)

    def _modifier(self, token: _Token) -> tuple[str, tuple[float, ...], tuple[str, ...]]:
        if token.text in ("start", "c", "equal", "label") and self._take("("):
            entries = [self._entry()]
            while self._take(","):
                entries.append(self._entry())
            if not self._take(")"):
                _complain(self.text, token.place, f"the bracket after {token.text!r} is not closed")
            numbers = [number for number, _ in entries if number is not None]
            if token.text == "start" or (token.text == "c" and len(numbers) == len(entries)):
                if len(numbers) < len(entries):
                    _complain(self.text, token.place, "start() takes numbers")
                return ("start" if token.text == "start" else "fixed"), tuple(numbers), ()
            if numbers and not all(math.isnan(number) for number in numbers):
                _complain(self.text, token.place, "labels and fixed values cannot stand in one c(...)")
            return "label", (), tuple(word for _, word in entries)
        self.at -= 1
        number, word = self._entry()
        return ("fixed", (number,), ()) if number is not None else ("label", (), (word,))

    def _entry(self) -> tuple[float | None, str]:
        token = self._next("a value or a label")
        negative = token.text == "-"
        if negative:
            token = self._next("a number after '-'")
        if token.kind == "number":
            return (-1 if negative else 1) * float(token.text), ""
        if token.text == "NA" and not negative:
            return math.nan, ""
        if token.kind in ("name", "string") and not negative:
            return None, token.text.strip("\"'`")
        _complain(self.text, token.place, f"a number, NA or a label is due instead of {token.text!r}")

    def _name(self, expected: str) -> _Token:
        token = self._next(expected)
        if token.kind != "name":
            _complain(self.text, token.place, f"{expected} is due instead of {token.text!r}")
        return token

    def _next(self, expected: str) -> _Token:
        if self.done or self.tokens[self.at].kind == "end":
            last = self.tokens[min(self.at, len(self.tokens)) - 1]
            place = Place(last.place.line, last.place.column + len(last.text))
            _complain(self.text, place, f"{expected} is missing")
        self.at += 1
        return self.tokens[self.at - 1]

    def _peek(self, sign: str) -> bool:
        return not self.done and self.tokens[self.at].text == sign

    def _take(self, sign: str) -> bool:
        found = self._peek(sign)
        self.at += found
        return found

    def _skip_ends(self) -> None:
        while not self.done and self.tokens[self.at].kind == "end":
            self.at += 1


def _bare(name: str) -> str:
    return name.strip("`")


def _refuse_repeats(text: str, terms: list[Term]) -> None:
    seen: dict[tuple[str, str, str], Place] = {}
    for term in terms:
        key = (term.lhs, term.op, term.rhs)
        if key in seen:
            shown = f"{term.lhs} {term.op} {term.rhs}".strip()
            _complain(text, term.place, f"{shown} is already in line {seen[key].line}; say it once")
        seen[key] = term.place


def _refuse_circles(text: str, terms: list[Term]) -> None:
    """A factor that measures itself, directly or by way of others."""
    below: dict[str, set[str]] = {}
    for term in terms:
        if term.op == "=~":
            reached, todo = {term.rhs}, [term.rhs]
            while todo:
                for name in below.get(todo.pop(), set()) - reached:
                    reached.add(name)
                    todo.append(name)
            if term.lhs in reached:
                _complain(text, term.place, f"{term.lhs} would be measured by itself")
            below.setdefault(term.lhs, set()).add(term.rhs)
        elif term.op == "~" and term.lhs == term.rhs:
            _complain(text, term.place, f"{term.lhs} cannot depend on itself")


def _complain(text: str, place: Place, message: str) -> NoReturn:
    lines = text.replace("\r\n", "\n").split("\n")
    line = lines[place.line - 1].replace("\t", " ") if place.line <= len(lines) else ""
    pointer = " " * (place.column - 1) + "^"
    raise ModelTextError(f"model, line {place.line}, column {place.column}: {message}\n  {line}\n  {pointer}")
