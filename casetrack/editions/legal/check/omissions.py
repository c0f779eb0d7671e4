"""What may be left out of a quotation without an ellipsis: citations, note marks, page heads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.editions.legal.extract.cited_text import beside_citations
from casetrack.extract.papers.text import TextPage, WholeText

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.editions.legal.check.source import SourceText
    from casetrack.editions.legal.check.words import Unit

CITATION, NOTE, PAGE, LINE = ("citation omitted", "note mark", "end of a page", "line number")
_NOTE_MARK = re.compile(r"[\[(]?\s*(?:\d{1,3}|[*†‡§]{1,3})\s*[\])]?")
_STAR = re.compile(r"\*{1,2}\d+")
_LEFT = re.compile(
    r"\b(?:see|also|e\.g|but|cf|accord|compare|with|contra|generally|and|citing|quoting|quoted|in"
    r"|at|id|ibid|supra|infra|n|note|hereinafter|omitted|citations?|internal|quotation|marks"
    r"|emphasis|added|alterations?|original|footnotes?|cleaned|up|aff'd|rev'd|cert|denied|ante|post"
    r"|pp?|per|curiam|plurality|opinion|concurring|dissenting|J|JJ|the|same)\b",
    re.IGNORECASE,
)
_MAY_CITE = re.compile(r"\d\s+[A-Z]|\b[Ii]d\.|§|\bsupra\b")
_REMARK = re.compile(r"(?:\s*\([^()]*(?:\([^()]*\)[^()]*)*\))*[.;]?")
_PAREN = re.compile(r"\([^()]*\)")
_FOOTNOTE = re.compile(r"(?:_{3,}|[-—]{5,})?\s*(?:\[?\d{1,3}\]?[.\s]|[*†‡§])")


def why_left_out(source: SourceText, start: int, end: int, /) -> str:
    """Say why ``text[start:end]`` may be left out; empty where it may not."""
    text = source.text
    run = text[start:end]
    if _NOTE_MARK.fullmatch(_STAR.sub("", run).strip()) and _is_raised(text, start, end):
        return NOTE
    if run.strip().isdigit() and len(run.strip()) <= 2 and text[:start].endswith("\n"):
        return LINE
    if _is_page_end(source, start, end):
        return PAGE
    if _cites(run):
        return CITATION
    return ""


def cited(text: str, units: Sequence[Unit], /) -> list[int]:
    """Return which units of a stretch of a source are those of citations and of their remarks."""
    start, end = units[0].start, units[-1].end
    if not _MAY_CITE.search(text, start, end):
        return []
    from casetrack.editions.legal.extract.citations import read_citations

    spans = []
    for citation in read_citations(WholeText((TextPage(1, text[start:end]),))):
        remark = _REMARK.match(text, start + citation.end, end)
        spans.append((start + citation.start, remark.end() if remark else start + citation.end))
    return [n for n, u in enumerate(units) if any(s <= u.start and u.end <= e for s, e in spans)]


def _is_raised(text: str, start: int, end: int) -> bool:
    """Whether a number is one of a note: it stands right behind a word, or in brackets."""
    if "[" in text[max(0, start - 1) : end + 1]:
        return True
    return start > 0 and not text[start - 1].isspace() and not text[start - 1].isdigit()


def _is_page_end(source: SourceText, start: int, end: int) -> bool:
    """Whether the lines of a run are those between two pages: foot, notes, number, head."""
    breaks = [b - 1 for b in source.whole.starts[1:]]
    if not any(start - 1 <= b <= end for b in breaks):
        return False
    text = source.text
    begin = text.rfind("\n", 0, start) + 1
    if text[begin:start].strip() or "\n" not in text[end : end + 2] + text[start:end]:
        return False
    run = text[start:end].strip()
    return len(run.split()) <= 12 or _FOOTNOTE.match(run) is not None


def _cites(run: str) -> bool:
    """Whether a run is citations and nothing else."""
    refers = re.search(r"\b(?:[Ii]d\.|supra|omitted)", run)
    if not refers and not any(c.isdigit() for c in run):
        return False
    from casetrack.editions.legal.extract.citations import read_citations

    text = run.strip(" ,;.")
    found = read_citations(WholeText((TextPage(1, text),)))
    left = _PAREN.sub(" ", beside_citations(text, found))
    return bool(refers or found) and not re.search(r"[^\W\d_]", _LEFT.sub(" ", left))
