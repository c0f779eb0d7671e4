"""Assembles a report: head, contents, sections, and the passages at its end."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.api.viewer.graph_figure import TALL, graph_svg, legend, mail_figure
from casetrack.api.viewer.kept import places
from casetrack.api.viewer.markup import css_string
from casetrack.api.viewer.report import wording
from casetrack.api.viewer.report.gather import MAX_LINKS, Report, gather
from casetrack.api.viewer.report.passages import Passages, Pictures, draw_pages
from casetrack.api.viewer.report.proof import names_year
from casetrack.api.viewer.report.wording import MAX_NAME
from casetrack.api.viewer.sheet import sheet, sheet_path, write_sheet
from casetrack.api.viewer.symbols import ENGLISH, Words, shortened
from casetrack.api.viewer.templating import rendered
from casetrack.api.viewer.timeline_figure import AXIS_WIDTHS, event_anchor, timeline_svg, when
from casetrack.base.provenance import DOUBTFUL_BELOW
from casetrack.base.records.health import PROBLEMS, DocumentIndex
from casetrack.graph.opened import graph_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from casetrack.base.records import Chunk
    from casetrack.base.records.graph import Quote
    from casetrack.store.workspace import State, Workspace

    Show = Callable[[Sequence[Quote]], tuple[dict[str, Chunk], Pictures]]

_HERE = Path(__file__).parent
_FEW = 3
_METHODS = {
    "Native": "Own text",
    "Ocr": "OCR",
    "Hybrid": "Own text and OCR",
    "Spreadsheet": "Cells",
}
_CONTENTS = (
    ("glance", "At a glance"),
    ("marks", "Your marks"),
    ("timeline", "Timeline"),
    ("people", "People and firms"),
    ("correspondence", "Correspondence"),
    ("amounts", "Amounts"),
    ("references", "References"),
    ("topics", "Topics"),
    ("documents", "Documents"),
    ("health", "Health"),
    ("passages", "Passages"),
)


def report_html(
    state: State,
    /,
    *,
    pictures: bool = True,
    made: datetime | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    words: Words = ENGLISH,
) -> str:
    """Return a report of a collection as one page of HTML without external resources.

    *pictures* adds pictures of pages. *made* is the time in the report, by default now; apart from
    it, the same state of the collection, its files and its jobs gives the same page. *progress*
    receives the current step, the work done and the total. Raises ``CollectionDamaged`` if stored
    data cannot be read.
    """
    if progress is not None:
        progress("reading the collection", 0, 0)
    report = gather(state, made=made)

    def show(quotes: Sequence[Quote]) -> tuple[dict[str, Chunk], Pictures]:
        ids = list(dict.fromkeys(q.chunk_id for q in quotes))
        chunks = graph_of(state).chunks(ids) if ids else []
        drawn = draw_pages(state, quotes, progress=progress) if pictures else Pictures()
        return dict(zip(ids, chunks, strict=True)), drawn

    return report_page(report, show, words)


def write_report(
    workspace: Workspace,
    path: str | Path | None,
    /,
    *,
    pictures: bool,
    made: datetime | None,
    progress: Callable[[str, int, int], None] | None,
) -> str | Path:
    """Return a report of the newest state, or write it to a file; see ``Collection.report``."""
    target = None if path is None else sheet_path(Path(path), "report")
    html = workspace.ask(
        lambda state: report_html(state, pictures=pictures, made=made, progress=progress)
    )
    return html if target is None else write_sheet(target, "report", html)


def report_page(report: Report, show: Show | None = None, words: Words = ENGLISH, /) -> str:
    """Return a report as one page of HTML.

    *show* returns chunks and pictures of passages, most important first; without it the page has
    quotes only.
    """
    passages = Passages(report.name)
    shared = {
        "report": report,
        "passages": passages,
        "words": words,
        "command": partial(_command, report.name),
        "methods": _METHODS,
        "doubtful": DOUBTFUL_BELOW,
    }
    written = rendered("sections.html", _HERE, **shared, **_sections(report, words))
    chunks, pictures = show(passages.by_weight()) if show else ({}, Pictures())
    health = rendered(
        "health.html",
        _HERE,
        **shared,
        chunks=chunks,
        pictures=pictures,
        problems=PROBLEMS,
        shares=wording.outputs(report, words),
        troubled=_with_problems(report),
    )
    style = (_HERE / "style.css").read_text(encoding="utf-8") + _running_foot(report.name, words)
    script = (_HERE / "script.js").read_text(encoding="utf-8")
    title = f"{shortened(report.name, MAX_NAME)}: {words.phrase('briefing')}"
    parts = (_head(report, words), written, health)
    return sheet("report", title, parts, style=style, script=script, words=words)


def _command(collection: str, words: str) -> str:
    return wording.command(words, collection)


def _sections(report: Report, words: Words) -> dict[str, Any]:
    """Return the values of the templates other than the report."""
    timeline, graph = report.timeline, report.graph
    names = {node.entity_id: node.name for node in graph.nodes} if graph else {}
    folder = wording.common_folder([one.document.path for one in report.documents])
    return {
        "wording": wording,
        "when": lambda event: when(event, words),
        "names_year": names_year,
        "places": places(report.marks),
        "axes": AXIS_WIDTHS,
        "axis": lambda width: timeline_svg(timeline, width=width, link=event_anchor, words=words),
        "years": [
            (year, list(events))
            for year, events in groupby(enumerate(timeline.events), lambda item: item[1].first[:4])
        ],
        "graph_svg": graph_svg,
        "mails": mail_figure(report.correspondence, words=words),
        "legend": legend,
        "tall": TALL,
        "links": [
            (edge, names[edge.source], names[edge.target])
            for edge in (graph.edges if graph else ())
            if edge.quote and edge.source in names and edge.target in names
        ],
        "max_links": MAX_LINKS,
        "folder": folder,
        "below": lambda path: path.removeprefix(folder).lstrip("/\\") if folder else path,
        "quoted": shlex.quote,
    }


def _with_problems(report: Report) -> list[DocumentIndex]:
    """Return the documents with problems; empty if all have the same one."""
    troubled = [d for d in report.index.documents if not d.ok]
    is_of_all = len(troubled) == report.document_count > _FEW
    return [] if is_of_all and len({d.reason for d in troubled}) == 1 else troubled


def _running_foot(name: str, words: Words) -> str:
    """Return a style that prints the collection's name at the foot of every page."""
    foot = css_string(f"{shortened(name, MAX_NAME // 2)}: {words.phrase('briefing')}")
    return f"@media print {{ @page {{ @bottom-left {{ content: {foot}; }} }} }}\n"


def _head(report: Report, words: Words) -> str:
    figures = report.summary.statistics
    kinds = figures.entity_counts
    tiles = (
        (figures.document_count, "Document", "documents"),
        (figures.page_count, "Page", "documents"),
        (kinds.get("person", 0), "Person", "people"),
        (kinds.get("organization", 0), "Firm", "people"),
        (report.timeline.total, "Dated event", "timeline"),
        (sum(group.total for group in report.amounts), "Sum of money", "amounts"),
        (report.reference_count, "Reference", "references"),
    )
    return rendered(
        "head.html",
        _HERE,
        report=report,
        info=report.info,
        made=report.made.astimezone(UTC),
        tiles=tiles,
        many={"Person": "People", "Sum of money": "Sums of money"},
        contents=[
            one
            for one in _CONTENTS
            if one[0] not in {"marks", "correspondence"} or getattr(report, one[0])
        ],
        words=words,
        most=MAX_NAME,
        opened=report.info.created_at.astimezone(UTC),
        changed=report.info.updated_at.astimezone(UTC),
    )


__all__ = ["report_html", "report_page", "write_report"]
