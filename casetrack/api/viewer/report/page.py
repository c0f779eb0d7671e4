"""Puts a report together: head, contents, sections, and the passages at its end."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.api.viewer.markup import css_string
from casetrack.api.viewer.report import holdings, sections
from casetrack.api.viewer.report.gather import gather
from casetrack.api.viewer.report.glance import glance
from casetrack.api.viewer.report.marked import marked
from casetrack.api.viewer.report.parts import MAX_NAME, capital, day, section
from casetrack.api.viewer.report.passages import Passages, passage_count
from casetrack.api.viewer.report.pictures import Pictures, draw_pages
from casetrack.api.viewer.sheet import sheet, sheet_path, write_sheet
from casetrack.api.viewer.symbols import shortened
from casetrack.api.viewer.templating import rendered
from casetrack.api.viewer.words import MONTHS
from casetrack.graph.opened import graph_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from casetrack.api.viewer.report.gather import Report
    from casetrack.base.records import Chunk
    from casetrack.base.records.graph import Quote
    from casetrack.store.workspace import State, Workspace

    Show = Callable[[Sequence[Quote]], tuple[dict[str, Chunk], Pictures]]

_HERE = Path(__file__).parent
_CONTENTS = (
    ("glance", "At a glance"),
    ("marks", "Your marks"),
    ("timeline", "Timeline"),
    ("people", "People and firms"),
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
) -> str:
    """Return a report of a collection as one page of HTML that loads nothing.

    Parameters
    ----------
    state
        The collection.
    pictures
        Whether pages are pictured.
    made
        What stands in it as the time it was made; now where it is not given. The same state of a
        collection, of its files and of its jobs gives the same page but for this time.
    progress
        Called with what is being done, how much is done, and of how much.

    Raises
    ------
    CollectionDamaged
        What is stored cannot be read.
    """
    if progress is not None:
        progress("reading the collection", 0, 0)
    report = gather(state, made=made)

    def show(quotes: Sequence[Quote]) -> tuple[dict[str, Chunk], Pictures]:
        ids = list(dict.fromkeys(q.chunk_id for q in quotes))
        chunks = graph_of(state).chunks(ids) if ids else []
        drawn = draw_pages(state, quotes, progress=progress) if pictures else Pictures()
        return dict(zip(ids, chunks, strict=True)), drawn

    return report_page(report, show)


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


def report_page(report: Report, show: Show | None = None, /) -> str:
    """Return a report as one page of HTML.

    Parameters
    ----------
    report
        What it says.
    show
        Returns the chunks and the pictures for passages, the most important first; without it the
        quotes stand alone.
    """
    passages = Passages(report.name)
    written = [
        *glance(report, passages),
        *marked(report.name, report.marks, passages),
        *sections.timeline(report, passages),
        *sections.people(report, passages),
        *sections.amounts(report, passages),
        *sections.references(report, passages),
        *sections.topics(report, passages),
        *holdings.documents(report, passages),
    ]
    chunks, pictures = show(passages.by_weight()) if show else ({}, Pictures())
    body = (
        _head(report),
        *written,
        *holdings.health(report, len(pictures.pages), pictures.skipped),
        *_passages(passages, chunks, pictures),
        rendered("foot.html", _HERE),
    )
    style = (_HERE / "style.css").read_text(encoding="utf-8") + _running_foot(report.name)
    script = (_HERE / "script.js").read_text(encoding="utf-8")
    title = f"{shortened(report.name, MAX_NAME)}: briefing"
    return sheet("report", title, body, style=style, script=script)


def _running_foot(name: str) -> str:
    """Return a style that prints the collection's name at the foot of every page."""
    words = css_string(f"{shortened(name, MAX_NAME // 2)}: briefing")
    return f"@media print {{ @page {{ @bottom-left {{ content: {words}; }} }} }}\n"


def _head(report: Report) -> str:
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
        contents=[one for one in _CONTENTS if one[0] != "marks" or report.marks],
        months=MONTHS,
        most=MAX_NAME,
        capital=capital,
        day=lambda moment: day(moment.astimezone(UTC)),
    )


def _passages(passages: Passages, chunks: dict[str, Chunk], pictures: Pictures) -> Iterator[str]:
    def body() -> Iterator[str]:
        if not passages.quotes:
            yield '<p class="none">Nothing is cited here.</p>\n'
            return
        yield f'<details open class="all"><summary>All {passage_count(passages)}</summary>\n'
        yield passages.articles(chunks, pictures)
        yield "</details>\n"

    lead = "What this briefing rests on: every passage with its full citation."
    yield from section(("passages", "Passages"), body(), lead=lead)


__all__ = ["report_html", "report_page", "write_report"]
