"""What a report says of the documents themselves, and of how well they could be read."""

from __future__ import annotations

import shlex
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING

from casetrack.api.viewer.graph_figure import counted
from casetrack.api.viewer.markup import address, esc, span
from casetrack.api.viewer.report.parts import (
    MAX_NAME,
    and_more,
    bars,
    capital,
    command,
    day,
    joined,
    nothing,
    section,
    table,
)
from casetrack.api.viewer.symbols import shortened
from casetrack.base.provenance import DOUBTFUL_BELOW
from casetrack.base.records.index_status import PROBLEMS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.api.viewer.report.gather import Listed, Report
    from casetrack.api.viewer.report.passages import Passages
    from casetrack.base.records import Document, UntakenFile

_DOCUMENTS = (
    ("Document", "wide"),
    ("Type", "short"),
    ("Pages", "number"),
    ("File dated", "date"),
    ("Read from", "short"),
    ("Begins", "first"),
)
_METHODS = {
    "Native": "Own text",
    "Ocr": "OCR",
    "Hybrid": "Own text and OCR",
    "Spreadsheet": "Cells",
}
_OUTPUTS = {
    "dense": "Vectors",
    "tokens": "Token matrices",
    "sparse": "Learned words",
    "names": "Names looked for",
}
_MOST = 20
_FEW = 3
_MOST_UNTAKEN = 100
_SENTENCE = 400
_REMEDY = 200
_SAID = 3


def documents(report: Report, passages: Passages, /) -> Iterator[str]:
    """Yield a table of the documents."""
    passages.start_section()
    folder = common_folder([one.document.path for one in report.documents])
    lead = ""
    if folder:
        shown = f"<code>{span(shortened(folder, 2 * MAX_NAME))}</code>"
        lead = f"The files lie in {shown}; paths below start there."
    yield from section(("documents", "Documents"), _documents(report, passages, folder), lead=lead)


def common_folder(paths: Sequence[str], /) -> str:
    """Return the folder that holds all files, where there is one worth to be named once."""
    if not paths:
        return ""
    kind = PureWindowsPath if "\\" in paths[0] and "/" not in paths[0] else PurePosixPath
    folders = [kind(path).parent for path in paths]
    shared = folders[0]
    while shared != shared.parent and not all(f.is_relative_to(shared) for f in folders):
        shared = shared.parent
    return "" if shared == shared.parent else str(shared)


def _documents(report: Report, passages: Passages, folder: str) -> Iterator[str]:
    if not report.documents:
        yield nothing("This collection holds no documents yet.")
        return
    rows = [_row(one, passages, folder, report.name) for one in report.documents]
    yield table(_DOCUMENTS, rows, "Documents")
    yield and_more(
        len(report.documents), report.document_count, "document", command("documents", report.name)
    )


def _row(one: Listed, passages: Passages, folder: str, collection: str) -> tuple[str, ...]:
    d = one.document
    title = d.title if d.title and d.title != d.name else ""
    under = f'<span class="under">{span(shortened(title, MAX_NAME))}</span>' if title else ""
    kind = esc(capital(d.document_type or "other"))
    path = d.path.removeprefix(folder).lstrip("/\\") if folder else d.path
    # A file that lies right in the folder is named already.
    path = path if path != d.name else ""
    path = f'<span class="path-line">{span(shortened(path, 2 * MAX_NAME))}</span>' if path else ""
    if d.source:
        path += f'<span class="under">{span(d.source)} {address(d.source_url)}</span>'
    remarks = _warnings(d, collection)
    return (
        f'<b class="name">{span(shortened(d.name, MAX_NAME))}</b>{under}{path}{remarks}',
        f'{kind}<span class="under">{esc(shortened(d.format.upper(), 12))}</span>',
        f"{d.page_count:,}",
        day(d.own_date),
        f"{esc(_METHODS.get(d.extraction_method, d.extraction_method))}{_sureness(d)}",
        passages.link(one.opening, "First page") if one.opening else "No text",
    )


def _warnings(document: Document, collection: str) -> str:
    """Return what of the file could not be read, and what its reader said."""
    said = [*document.missing, *document.warnings]
    shown = [
        f'<span class="warn">{esc(shortened(text, _SENTENCE))}</span>' for text in said[:_SAID]
    ]
    if len(said) > _SAID:
        how = command(f"document {shlex.quote(document.document_id)}", collection)
        more = counted(len(said) - _SAID, "more remark")
        shown.append(f'<span class="under">and {more}: <code>{esc(how)}</code></span>')
    return "".join(shown)


def _sureness(document: Document) -> str:
    if document.ocr_confidence is None:
        return ""
    css = "warn" if document.ocr_confidence < DOUBTFUL_BELOW else "under"
    return f'<span class="{css}">confidence {document.ocr_confidence:.2f}</span>'


# --- health --------------------------------------------------------------------------------


def health(report: Report, pictured: int, skipped: int, /) -> Iterator[str]:
    """Yield how the documents were read, and what to know before relying on the rest.

    Parameters
    ----------
    pictured, skipped
        Pages that are pictured in this file, and those left out to keep it small.
    """
    yield from section(("health", "Health"), _health(report, pictured, skipped))


def _health(report: Report, pictured: int, skipped: int) -> Iterator[str]:
    figures = report.summary.statistics
    yield '<ul class="checks">\n'
    for is_good, text in _checks(report):
        css, word = ("good", "Good") if is_good else ("look", "To look at")
        yield f'<li class="{css}"><span class="mark">{word}</span> <span>{text}</span></li>\n'
    yield "</ul>\n"
    if report.document_count:
        methods = figures.extraction_methods
        yield '<div class="columns">\n'
        for title, counts, names in (
            ("Formats", figures.file_formats, {n: n.upper() for n in figures.file_formats}),
            ("Read from", methods, _METHODS),
            ("Types", figures.document_types, {n: capital(n) for n in figures.document_types}),
        ):
            yield f'<div class="card"><h3>{title}</h3>{bars(counts, title, names=names)}</div>\n'
        yield "</div>\n"
    yield from _troubled(report)
    yield from _untaken(report.refused)
    notes = [
        *figures.notes,
        *_about_copies(report),
        *report.left_out,
        *_about_pictures(pictured, skipped),
    ]
    if notes:
        items = "".join(f"<li>{esc(note)}</li>" for note in notes)
        yield f'<h3 class="year">What to know of this report</h3>\n<ul class="notes">{items}</ul>\n'


def _checks(report: Report) -> Iterator[tuple[bool, str]]:
    """Yield whether something is good, and what it is, as HTML."""
    figures = report.summary.statistics
    total = report.document_count
    yield from _taken(report)
    if not total:
        if not report.refused:
            yield True, "There is nothing to check yet: the collection is empty."
        return
    partial = figures.partial_documents
    whole = f"{total - partial:,} of {counted(total, 'document')} were read completely"
    yield not partial, f"{whole}; {partial:,} in part." if partial else f"{whole}."
    if figures.pages_without_text:
        pages = counted(figures.pages_without_text, "page")
        yield False, f"{pages} of {figures.page_count:,} hold no text that could be read."
    yield from _recognised(report)
    coverage = {n: s for n, s in figures.embedder_coverage.items() if n in _OUTPUTS}
    shares = ", ".join(f"{_OUTPUTS[n].lower()} {s:.0%}" for n, s in coverage.items() if s)
    dense = coverage.get("dense", 0.0)
    passages = counted(figures.chunk_count, "passage")
    if shares:
        yield dense >= 1, f"What the models made of {passages}: {esc(shares)}."
    else:
        yield False, f"No model has seen the {passages}: words are found, meanings are not."
    problems = report.index.problems
    if not problems:
        yield True, "Files and index are in step: nothing is stale, changed or gone."
    for problem, count in problems.items():
        if problem != "partial":
            yield False, f"{counted(count, 'document')}: {esc(PROBLEMS[problem])}."


def _taken(report: Report) -> Iterator[tuple[bool, str]]:
    """Yield whether every file was taken in."""
    failed = sum(f.failed for f in report.refused)
    left = len(report.refused) - failed
    counts = [f"{counted(failed, 'file')} could not be taken in"] if failed else []
    counts += [f"{counted(left, 'file')} {'was' if left == 1 else 'were'} left out"] if left else []
    if counts:
        yield False, f"{capital(joined(counts))}; see below."
    elif report.document_count:
        yield True, "No file was refused."


def _recognised(report: Report) -> Iterator[tuple[bool, str]]:
    figures = report.summary.statistics
    if not figures.ocr_pages:
        return
    read = [d.document for d in report.documents if d.document.ocr_confidence is not None]
    sure = [d.ocr_confidence for d in read if d.ocr_confidence is not None]
    pages = counted(figures.ocr_pages, "page")
    text = f"{pages} read by OCR"
    if sure:
        text += f", confidence {min(sure):.2f} to {max(sure):.2f}" if len(sure) > 1 else ""
        text += f", confidence {sure[0]:.2f}" if len(sure) == 1 else ""
    doubtful = sum(s < DOUBTFUL_BELOW for s in sure)
    low = f"; {counted(doubtful, 'document')} below {DOUBTFUL_BELOW}" if doubtful else ""
    yield not doubtful, f"{text}{low}."


def _troubled(report: Report) -> Iterator[str]:
    """Yield the documents that something is to be said of."""
    troubled = [d for d in report.index.documents if not d.ok]
    reasons = {d.reason for d in troubled}
    is_told = len(troubled) == report.document_count > _FEW and len(reasons) == 1
    if not troubled or is_told:  # what is said of all documents alike stands above
        return
    yield '<h3 class="year">Documents to look at</h3>\n'
    heads = (("Document", "wide"), ("What is the matter", "wide"))
    rows = [
        (
            f'<b class="name">{span(shortened(d.name, MAX_NAME))}</b>',
            esc(capital(shortened(d.reason, _SENTENCE))),
        )
        for d in troubled[:_MOST]
    ]
    yield table(heads, rows, "Documents to look at")
    yield and_more(len(rows), len(troubled), "document", command("index-status", report.name))


def _untaken(refused: Sequence[UntakenFile]) -> Iterator[str]:
    """Yield the files that are not in the collection, and why."""
    if not refused:
        return
    yield '<h3 class="year">Files that are not in the collection</h3>\n'
    heads = (("File", "wide"), ("Why", "wide"), ("What to do", "wide"))
    rows = [_refused(one) for one in refused[:_MOST_UNTAKEN]]
    yield table(heads, rows, "Files that are not in the collection")
    yield and_more(len(rows), len(refused), "file", "casetrack index-status")


def _refused(one: UntakenFile) -> tuple[str, str, str]:
    folder, mark, name = one.path.rpartition("/") if "/" in one.path else one.path.rpartition("\\")
    under = f'<span class="path-line">{span(shortened(folder + mark, 2 * MAX_NAME))}</span>'
    reason = one.message.replace(one.path, name)
    css = "warn" if one.failed else ""
    return (
        f'<b class="name">{span(shortened(name, MAX_NAME))}</b>{under if folder else ""}',
        f'<span class="{css}">{esc(shortened(reason, _SENTENCE))}</span>',
        esc(shortened(one.hint.replace(one.path, name), _REMEDY)),
    )


def _about_copies(report: Report) -> Iterator[str]:
    count = len(report.untaken) - len(report.refused)
    if count:
        verb = "was" if count == 1 else "were"
        yield f"{counted(count, 'file')} {verb} left out as copies of documents that are here."


def _about_pictures(pictured: int, skipped: int) -> Iterator[str]:
    if pictured:
        yield f"{counted(pictured, 'page')} with cited words are pictured in this file."
    if skipped:
        pages = counted(skipped, "cited page")
        yield (
            f"{pages} are not pictured, to keep this file small. Their words are quoted, and "
            "casetrack show shows each page."
        )
