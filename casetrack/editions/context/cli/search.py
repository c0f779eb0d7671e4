"""``ctx search`` and ``ctx get``: documents found, and read."""

import re
import textwrap
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import typer

from casetrack.api.operation import OF_EDITIONS, summary_of
from casetrack.editions.context import api
from casetrack.editions.context.cli.sources import source_names
from casetrack.editions.context.cli.state import ContextState
from casetrack.faces.cli.asking import signed, taken
from casetrack.faces.cli.output import facts, line, one_line, write_json

if TYPE_CHECKING:
    from casetrack.editions.context.records import ContextDocument, ContextResults, ContextScores

_MOST_ROWS = 6
_PART = re.compile(r"(?P<id>.+):(?P<first>\d+):(?P<count>\d+)")


def _command(function: Callable[..., Any], tell: Callable[..., None]) -> Any:
    """Return the command of one of the edition's operations, and of what writes its answer."""
    operation = OF_EDITIONS[function]

    def run(ctx: typer.Context, **given: Any) -> None:
        part = _PART.fullmatch(given.get("document", ""))
        if part is not None:
            names = {"document": part["id"], "first": int(part["first"])}
            given |= names | {"count": int(part["count"])}
        found = api.asked(ctx.ensure_object(ContextState).home, function, taken(operation, given))
        if given["as_json"]:
            write_json(found.as_dict())
        else:
            tell(found, given)

    run.__doc__ = summary_of(function)
    return signed(run, operation, sources=source_names)


def _show(found: "ContextResults", given: Mapping[str, Any]) -> None:
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
        if given["explain"]:
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


def _show_document(found: "ContextDocument", _given: Mapping[str, Any]) -> None:
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


search = _command(api.search, _show)
get = _command(api.get, _show_document)
