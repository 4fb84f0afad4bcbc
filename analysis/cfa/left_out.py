"""The rows of a model's table that its text leaves out, and what is usually fixed."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.cfa.model_text import Model, Place, Term

Key = tuple[str, str, str]


class Drafts:
    """The rows of one group: those written and those added, and what each variable is."""

    def __init__(self, model: Model, means: bool, std_lv: bool, orthogonal: bool, fixed_x: bool) -> None:
        self.observed, self.latents = model.observed, model.latents
        if not self.observed:
            model.complain(Place(1, 1), "the model names no observed variable")
        terms = [term for term in model.terms if term.op in ("=~", "~", "~~", "~1")]
        odd = next((term for term in model.terms if term.op in ("|", "~*~")), None)
        if odd is not None:
            model.complain(odd.place, f"{odd.op} (thresholds, scales) belongs to ordinal items")
        measured = {term.rhs for term in terms if term.op == "=~"}
        depends = {term.lhs for term in terms if term.op == "~"}
        predicts = {term.rhs for term in terms if term.op == "~"}
        outside = predicts - depends - measured - set(self.latents)
        random = {name for t in terms if t.op in ("~~", "~1") for name in (t.lhs, t.rhs) if name in outside}
        self.predictors = tuple(name for name in self.observed if name in outside)
        self.exogenous = self.predictors if fixed_x and not random else ()
        self.written = {(t.lhs, t.op, t.rhs) for t in terms}
        self.written |= {(t.rhs, t.op, t.lhs) for t in terms if t.op == "~~"}
        self.added: set[Key] = set()
        self.first = {
            latent: next(t for t in terms if t.op == "=~" and t.lhs == latent) for latent in self.latents
        }
        self.single = {
            t.rhs for latent, t in self.first.items()
            if t.rhs not in self.latents and sum(o.op == "=~" and o.lhs == latent for o in terms) == 1
        }  # fmt: skip
        self.located = {
            latent for latent in self.latents
            if any(t.op == "=~" and t.lhs == latent and t.rhs not in self.latents for t in terms)
        }  # fmt: skip
        order = {"=~": 0, "~": 1, "~~": 2, "~1": 3}
        made = sorted(terms, key=lambda term: order[term.op])
        automatic = [(name, "~~", name) for name in (*self.observed, *self.latents)]
        free_latents = [n for n in self.latents if n not in measured and n not in depends]
        outcomes = [
            n for n in (*self.latents, *self.observed)
            if n in depends and n not in predicts and n not in measured
        ]  # fmt: skip
        if not orthogonal:
            automatic += _pairs(free_latents) + _pairs(outcomes)
        automatic += _pairs(self.predictors)
        for lhs, op, rhs in automatic:
            if (lhs, op, rhs) not in self.written:
                made.append(Term(lhs, op, rhs))
                self.added.add((lhs, op, rhs))
        if means:
            for name in (*self.observed, *self.latents):
                if (name, "~1", "") not in self.written:
                    made.append(Term(name, "~1", ""))
                    self.added.add((name, "~1", ""))
        rank = {name: i for i, name in enumerate((*self.observed, *self.latents))}
        loadings = [t for t in made if t.op == "=~"]
        others = [t for t in made if t.op == "~"]
        covariances = [t for t in made if t.op == "~~"]
        intercepts = sorted((t for t in made if t.op == "~1"), key=lambda t: rank[t.lhs])
        self.terms = (*loadings, *others, *covariances, *intercepts)


def _pairs(names: Sequence[str]) -> list[Key]:
    return [(names[i], "~~", names[j]) for i in range(len(names)) for j in range(i + 1, len(names))]


def usual(drafts: Drafts, term: Term, user: bool, std_lv: bool) -> float | None:
    """What is fixed without being written: the scale of a factor, its mean, a single item's residual."""
    if term.op == "=~" and not std_lv and drafts.first[term.lhs] == term:
        return 1.0
    if user:
        return None
    if term.op == "~~" and term.lhs == term.rhs:
        if std_lv and term.lhs in drafts.latents:
            return 1.0
        if term.lhs in drafts.single:
            return 0.0
    if term.op == "~1" and term.lhs in drafts.latents:
        return 0.0
    return None


def freed(drafts: Drafts, term: Term, user: bool, group: int, equal: tuple[str, ...], std_lv: bool) -> bool:
    """What equal loadings or intercepts identify in every group but the first."""
    if user or group == 0 or term.lhs not in drafts.latents:
        return False
    if term.op == "~1":
        return "intercepts" in equal and "means" not in equal and term.lhs in drafts.located
    return (
        term.op == "~~" and term.lhs == term.rhs and std_lv
        and "loadings" in equal and "lv.variances" not in equal
    )  # fmt: skip


def kind_of(drafts: Drafts, term: Term) -> str:
    """Which kind of parameter it is, of those that may be made equal over groups."""
    latent = term.lhs in drafts.latents
    if term.op == "=~":
        return "loadings"
    if term.op == "~":
        return "regressions"
    if term.op == "~1":
        return "means" if latent else "intercepts"
    if term.lhs == term.rhs:
        return "lv.variances" if latent else "residuals"
    return "lv.covariances" if latent or term.rhs in drafts.latents else "residual.covariances"
