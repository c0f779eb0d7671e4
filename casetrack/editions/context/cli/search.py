"""``ctx search`` and ``ctx get``: documents found, and read."""

import re
import textwrap
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from casetrack.editions.context.cli.sources import source_names
from casetrack.editions.context.cli.state import ContextState
from casetrack.faces.cli.options import JsonOption
from casetrack.faces.cli.output import facts, line, one_line, write_json

if TYPE_CHECKING:
    from casetrack.editions.context.records import ContextDocument, ContextResults, ContextScores

_MOST_ROWS = 6
_PART = re.compile(r"(?P<id>.+):(?P<first>\d+):(?P<count>\d+)")


def search(
    ctx: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A question or some words.")],
    mode: Annotated[
        Literal["keyword", "semantic", "hybrid", "full"] | None,
        typer.Option(
            "--mode",
            help="By words, by meaning, by both; full reads the best word by word. [default: "
            "hybrid, or keyword where there are no vectors]",
        ),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--source",
            metavar="SOURCE",
            help="Only of this source, such as git:platform, or kind, such as git; may be "
            "repeated.",
            autocompletion=source_names,
        ),
    ] = None,
    path: Annotated[
        list[str] | None,
        typer.Option(
            "--path", metavar="GLOB", help="Only what fits, such as 'docs/**'; may be repeated."
        ),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="KIND", help="Only such documents: pdf, code, report, …"),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="DATE", help="Only what was changed on this day or later."),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            "--until", metavar="DATE", help="Only what was changed on this day or before."
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", metavar="N", help="How many documents at most. [default: final_limit]"
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how each score came about.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Find documents, each with the passages that answer best."""
    home = ctx.ensure_object(ContextState).home
    from casetrack.editions.context.api import search as find

    found = find(
        home.collection,
        query,
        mode=mode,
        sources=source,
        since=since,
        until=until,
        paths=path,
        kinds=kind,
        limit=limit,
        explain=explain,
        settings=home.ranking,
        configured=home.config.labels,
    )
    if as_json:
        write_json(found.as_dict())
    else:
        _show(found, explain=explain)


def get(
    ctx: typer.Context,
    document: Annotated[
        str,
        typer.Argument(
            metavar="ID[:FROM:COUNT]",
            help="A document: its ID, or SOURCE/PATH such as git:platform/docs/a.md. With FROM and "
            "COUNT only so many of its passages, counted from 0.",
        ),
    ],
    as_json: JsonOption = False,
) -> None:
    """Read a document, whole or some of its passages."""
    home = ctx.ensure_object(ContextState).home
    from casetrack.editions.context.api import get as read

    part = _PART.fullmatch(document)
    labels = home.config.labels
    found = (
        read(home.collection, document, configured=labels)
        if part is None
        else read(
            home.collection,
            part["id"],
            first=int(part["first"]),
            count=int(part["count"]),
            configured=labels,
        )
    )
    if as_json:
        write_json(found.as_dict())
    else:
        _show_document(found)


def _show(found: "ContextResults", *, explain: bool) -> None:
    for note in found.notes:
        line((f"Note: {note}", "yellow"))
    for rank, hit in enumerate(found.results, start=1):
        place = hit.place
        line(
            (f"{rank}. [{hit.score:.2f}] ", "bold"),
            (hit.source, "cyan"),
            " / ",
            (hit.source_id, "bold cyan"),
        )
        aside = [f"updated {hit.updated_at:%Y-%m-%d}", place.citation]
        if hit.title not in hit.source_id:
            aside.insert(0, one_line(hit.title))
        if hit.stale:
            aside.append("stale: it may be behind its source, see `ctx sources`")
        line(("; ".join(aside), "dim"), indent=3)
        for row in _rows(hit.snippet):
            line(row, indent=3)
        if place.url:
            line((place.url, "cyan"), indent=3)
        if hit.more:
            line((f"also {'; '.join(other.citation for other in hit.more)}", "dim"), indent=3)
        if explain:
            line((_explained(place.scores), "dim"), indent=3)
        line((f"id: {hit.id}", "dim"), indent=3)
        line()
    if not found.results:
        line("Nothing found. Try other or fewer words; `ctx stats` shows what is there.")


def _rows(snippet: str) -> list[str]:
    """Return a snippet in its own lines, without the indent that all of them share."""
    rows = [row.rstrip() for row in textwrap.dedent(snippet).splitlines() if row.strip()]
    return rows if len(rows) <= _MOST_ROWS else [*rows[: _MOST_ROWS - 1], "\u2026"]


def _explained(scores: "ContextScores") -> str:
    if scores.signals:
        said = ", ".join(f"{name} {s.score:.3f}" for name, s in scores.signals.items())
        return f"full: {said}"
    parts = []
    for name, raw, share in (
        ("keyword", scores.keyword_score, scores.keyword_normalised),
        ("vector", scores.vector_score, scores.vector_normalised),
    ):
        what = "not among the candidates" if raw is None else f"{raw:.4f} -> {share or 0:.4f}"
        parts.append(f"{name} {what}")
    alpha = "" if scores.alpha is None else f"; alpha {scores.alpha:g}"
    return f"{'; '.join(parts)}{alpha}; score {scores.blended:.4f}"


def _show_document(found: "ContextDocument") -> None:
    first, last = found.chunks[0], found.chunks[-1]
    facts(
        [
            ("Title", found.title),
            ("Source", f"{found.source} / {found.source_id}"),
            ("Address", found.source_url),
            ("Author", found.author),
            ("Updated", found.updated_at),
            ("Type", found.content_type),
            ("ID", found.id),
            ("Passages", f"{first.index}-{last.index} of {found.chunk_count}"),
        ]
    )
    line()
    line(found.body)
    if found.next is not None:
        line()
        line((f"Go on with: ctx get {found.id}:{found.next}:{len(found.chunks)}", "dim"))
