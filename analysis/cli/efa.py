"""``python -m analysis efa``: an exploratory factor analysis with everything a reader asks of one."""

from __future__ import annotations

import enum
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from analysis.errors import AnalysisError

if TYPE_CHECKING:
    from analysis.correlation import Correlation
    from analysis.factor_page import Findings
    from analysis.items import ItemData
    from analysis.r_code import Asked


class Method(enum.StrEnum):
    """How loadings are extracted."""

    minres = "minres"
    ml = "ml"
    pa = "pa"


class Rotation(enum.StrEnum):
    """How they are rotated."""

    oblimin = "oblimin"
    quartimin = "quartimin"
    promax = "promax"
    promax_plain = "Promax"
    varimax = "varimax"
    geomin = "geomin"
    target = "target"
    target_orthogonal = "target-orthogonal"
    none = "none"


class Cor(enum.StrEnum):
    """The kind of correlations."""

    pearson = "pearson"
    spearman = "spearman"
    polychoric = "polychoric"


class Na(enum.StrEnum):
    """What is done with missing answers."""

    listwise = "listwise"
    pairwise = "pairwise"


def efa(
    data: Annotated[
        Path, typer.Argument(help="Exported data set, or a CSV, SPSS or Parquet file.", show_default=False)
    ],
    factors: Annotated[int, typer.Option("--factors", "-k", help="Number of factors.", show_default=False)],
    items: Annotated[
        str | None, typer.Option(help="Columns, by name or pattern: 'pmq_*' or a,b,c. Default: all.")
    ] = None,
    method: Annotated[Method, typer.Option(help="Extraction.")] = Method.minres,
    rotation: Annotated[
        Rotation, typer.Option(help="Rotation; promax as psych's (rows normalised), Promax without.")
    ] = Rotation.oblimin,
    target: Annotated[
        Path | None, typer.Option(help="CSV for target rotation: items by factors, empty where free.")
    ] = None,
    against: Annotated[
        Path | None, typer.Option(help="CSV of other loadings, items by factors, to measure congruence with.")
    ] = None,
    condition: Annotated[
        str | None, typer.Option(help="Column of the groups that correlations are made within.")
    ] = None,
    pooled: Annotated[bool, typer.Option("--pooled", help="Set the groups aside.")] = False,
    cor: Annotated[Cor, typer.Option(help="Kind of correlations.")] = Cor.pearson,
    missing: Annotated[list[str] | None, typer.Option(help="Code of a missing answer; repeatable.")] = None,
    na: Annotated[Na, typer.Option(help="Rows without a gap, or all each pair of items has.")] = Na.listwise,
    scale: Annotated[Path | None, typer.Option(help="Description of the scale (YAML).")] = None,
    reverse: Annotated[str | None, typer.Option(help="Items keyed the other way.")] = None,
    sep: Annotated[str | None, typer.Option(help="Separator of a text file; found by content.")] = None,
    encoding: Annotated[str | None, typer.Option(help="Encoding of the file; found by content.")] = None,
    mixed: Annotated[bool, typer.Option("--mixed", help="Live and rehearsal sessions together.")] = False,
    bootstrap: Annotated[int, typer.Option(help="Bootstrap draws for intervals; 0 for none.", min=0)] = 0,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap and of parallel analysis.", min=0)] = 1,
    warmth: Annotated[
        bool, typer.Option("--warmth", help="Ask too whether warmth is a factor of its own (PMQ-18).")
    ] = False,
    warm_items: Annotated[
        str | None, typer.Option(help="The four warm items, if their names do not tell: a,b,c,d.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for page, tables, figures and R code.")] = None,
    as_r: Annotated[bool, typer.Option("--r", help="Print the same analysis as R code (psych).")] = False,
) -> None:
    """Exploratory factor analysis, as psych's fa, within conditions where there are any.

    Example: python -m analysis efa answers.csv --items 'pmq_*' --factors 3 --missing 99 --out results
    """
    if as_json and as_r:
        raise typer.BadParameter("--json and --r both print; choose one")
    if warm_items is not None:
        warmth = True
    errors = Console(stderr=True)
    try:
        # Imported here, so that --help answers at once.
        from analysis.correlation import correlate
        from analysis.loading import load_items
        from analysis.r_code import r_code

        reading: dict[str, Any] = {
            "items": items, "condition": condition, "pooled": pooled, "sep": sep, "encoding": encoding,
            "missing": tuple(missing or ()), "na": na.value, "mixed": mixed,
        }  # fmt: skip
        answers = load_items(data, scale=scale, reverse=reverse or (), **reading)
        correlation = correlate(answers, cor.value)
        goal = None if target is None else _target(target, answers.names, factors)
        asked = _asked(data, answers, reading, factors, method, rotation, cor, goal, bootstrap)
        found = None
        if out is not None or not as_r:
            found = _find(answers, correlation, asked, against, seed, warmth, warm_items, errors)
        if out is not None and found is not None:
            _write(found, answers, asked, out, errors)
        if as_r:
            told = f"# {shlex.join(['python', '-m', 'analysis', *sys.argv[1:]])}\n"
            made = out / "items.csv" if out is not None else _table_of(data)
            code = r_code(asked if out is None else _plain(asked), made, sep=sep, encoding=encoding)
            typer.echo(told + code, nl=False)
        elif as_json and found is not None:
            typer.echo(json.dumps(_json(found), ensure_ascii=False, allow_nan=False))
        elif found is not None:
            _print(found)
    except AnalysisError as problem:
        errors.print(f"[bold]Refused:[/bold] {escape(str(problem))}", soft_wrap=True, highlight=False)
        raise typer.Exit(1) from None


def _find(
    answers: ItemData,
    correlation: Correlation,
    asked: Asked,
    against: Path | None,
    seed: int,
    warmth: bool,
    warm_items: str | None,
    errors: Console,
) -> Findings:
    from analysis import loading_table
    from analysis.bootstrap_factors import bootstrap_factors
    from analysis.congruence import compare
    from analysis.efa import efa_of
    from analysis.factor_page import Findings
    from analysis.retention import retention
    from analysis.warmth import warmth as ask_warmth

    how: dict[str, Any] = {"method": asked.method, "rotation": asked.rotation}
    solution = efa_of(correlation, asked.factors, target=asked.target, **how)
    kept = retention(answers, asked.cor, seed=seed)
    drawn = None
    if asked.draws:
        with Progress(
            TextColumn("bootstrap"), BarColumn(), TimeElapsedColumn(), console=errors, transient=True
        ) as bar:
            task = bar.add_task("bootstrap", total=asked.draws)
            drawn = bootstrap_factors(
                answers, asked.factors, seed=seed, draws=asked.draws, target=asked.target, cor=asked.cor,
                progress=lambda done: bar.update(task, advance=done), **how,
            )  # fmt: skip
    beside = None if against is None else compare(solution, loading_table.read(against))
    warm = None
    if warmth:
        # A target is one of three factors or of four, never of both.
        free = asked.rotation if asked.target is None else "oblimin"
        named = None if warm_items is None else [warm_items]
        warm = ask_warmth(answers, warm=named, method=asked.method, rotation=free, cor=asked.cor, seed=seed)
    told = dict.fromkeys([*solution.warnings, *kept.warnings, *(drawn.warnings if drawn else ())])
    return Findings(answers.source, answers.note, solution, kept, drawn, beside, warm, tuple(told))


def _asked(
    data: Path,
    answers: ItemData,
    reading: dict[str, Any],
    factors: int,
    method: Method,
    rotation: Rotation,
    cor: Cor,
    target: Any,
    draws: int,
) -> Asked:
    from analysis.r_code import Asked, condition_of, turned

    return Asked(
        items=answers.names,
        factors=factors,
        method=method.value,
        rotation=rotation.value,
        cor=cor.value,
        condition=None if answers.groups is None else condition_of(data, reading),
        na=answers.na,
        codes=reading["missing"],
        turned=turned(data, answers, reading),
        target=target,
        draws=draws,
    )


def _target(path: Path, names: tuple[str, ...], factors: int) -> Any:
    from analysis import loading_table

    return loading_table.target(path, names, factors)


def _table_of(data: Path) -> Path:
    """The text file that holds the items: of a folder, its wide table."""
    return next(iter(sorted((data / "data").glob("*_description-wide_data.csv"))), data)


def _plain(asked: Asked) -> Asked:
    """The same analysis of the file this program wrote, where codes and keys are settled."""
    from dataclasses import replace

    condition = None if asked.condition is None else "condition"
    return replace(asked, codes=(), turned=(), condition=condition)


def _write(found: Findings, answers: ItemData, asked: Asked, out: Path, errors: Console) -> None:
    from analysis.factor_page import page, warmth_page
    from analysis.r_code import NoRCode, r_code
    from analysis.report.writing import whole, write

    written = write(page(found), out)
    frame = answers.to_frame()
    if answers.groups is not None:
        frame.insert(0, "condition", list(answers.groups))
    whole(out / "items.csv", frame.to_csv(index=False, lineterminator="\n", float_format="%.15g"))
    whole(out / "efa.json", json.dumps(_json(found), ensure_ascii=False, allow_nan=False, indent=1) + "\n")
    named = [str(written.page)]
    try:
        whole(out / "efa.R", r_code(_plain(asked), out / "items.csv"))
    except NoRCode as reason:
        errors.print(f"No efa.R: {escape(str(reason))}", soft_wrap=True, highlight=False)
    if found.warmth is not None:
        named.append(str(write(warmth_page(found.warmth, found.source, found.note), out / "warmth").page))
    errors.print("Written: " + escape(", ".join(named)), soft_wrap=True, highlight=False)


def _json(found: Findings) -> dict[str, Any]:
    made = found.solution.to_dict()
    made["warnings"] = list(found.warnings)
    if found.bootstrap is not None:
        made["bootstrap"] = found.bootstrap.to_dict()
    return made


def _print(found: Findings) -> None:
    console = Console()
    solution = found.solution
    console.print(_loadings(found))
    variance = Table("factor", title="Variance", title_justify="left")
    for header in ("sum of squares", "share of total", "share of explained"):
        variance.add_column(header, justify="right")
    for row in solution.variance().itertuples():
        variance.add_row(
            row.factor, f"{row.sum_of_squares:.3f}", f"{row.share_of_total_variance:.1%}",
            f"{row.share_of_explained_variance:.1%}",
        )  # fmt: skip
    console.print(variance)
    if len(solution.factors) > 1:
        phi = Table("", *solution.factors, title="Correlations of the factors", title_justify="left")
        for name, row in zip(solution.factors, solution.phi, strict=True):
            phi.add_row(name, *(_cell(value) for value in row))
        console.print(phi)
    for sentence in found.sentences():
        console.print(f"\n{escape(sentence)}", soft_wrap=True, highlight=False)
    for warning in found.warnings:
        console.print(f"\n[bold]Note:[/bold] {escape(warning)}", soft_wrap=True, highlight=False)


def _loadings(found: Findings) -> Table:
    from analysis.efa import SALIENT

    solution = found.solution
    made = Table("item", title="Loadings", title_justify="left")
    for name in solution.factors:
        made.add_column(name, justify="right")
    for name in ("communality", "uniqueness"):
        made.add_column(name, justify="right")
    for i, item in enumerate(solution.items):
        cells = []
        for j, value in enumerate(solution.loadings[i]):
            text = _cell(value)
            if found.bootstrap is not None:
                low, high = found.bootstrap.loadings_low[i, j], found.bootstrap.loadings_high[i, j]
                text += f" [{_cell(low)}, {_cell(high)}]"
            text = escape(text)
            cells.append(f"[bold]{text}[/bold]" if abs(value) >= SALIENT else f"[dim]{text}[/dim]")
        made.add_row(escape(item), *cells, _cell(solution.communalities[i]), _cell(solution.uniquenesses[i]))
    return made


def _cell(value: float) -> str:
    from analysis.factor_text import bare

    return bare(float(value))
