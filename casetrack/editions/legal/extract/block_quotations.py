"""Quotations that are set off as a block, with the citation at their end, behind or before them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.editions.legal.extract.cited_text import (
    AFTER_CITATION,
    BESIDE,
    LIKELY,
    LOOSE,
    NEAR,
    PARAGRAPH,
    SURE,
    CitedText,
    only_cites,
)
from casetrack.extract.papers.spans import Quotation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.editions.legal.extract.quotation_marks import Marked
    from casetrack.extract.papers.text import WholeText

_BLOCK_WORDS = 35
_SIGNAL_BEFORE = re.compile(r"(?:\b(?:See|also|e\.g\.,|Accord|Cf\.|But)\s*)+$")
_INDENT = re.compile(r"(?m)^([ \t]*)(?=\S)")


def block_quotations(
    whole: WholeText, at: CitedText, inline: Sequence[Marked], /
) -> list[Quotation]:
    """Return the blocks of a text that are ascribed to somebody, in order.

    Parameters
    ----------
    whole, at
        The text, and its citations.
    inline
        What stands between marks: a paragraph in marks is told by them.
    """
    known = _joined(whole)
    paragraphs = _paragraphs(at.text)
    found = [block for start, end in known if (block := _block(at, start, end, SURE))]
    for n, (start, end) in enumerate(paragraphs):
        if any(s < end and start < e for s, e in known):
            continue
        shaped = _is_shaped(at, paragraphs, n)
        if shaped and not any(
            i.outer_start <= start + 1 and end - 2 <= i.outer_end for i in inline
        ):
            block = _block(at, start, end, LOOSE)
            if block is not None:
                found.append(block)
    return sorted(found, key=lambda block: block.start)


def _joined(whole: WholeText) -> list[tuple[int, int]]:
    """Return the blocks that readers know, those that go on on the next page in one piece."""
    joined: list[tuple[int, int]] = []
    for page, begin in zip(whole.pages, whole.starts, strict=True):
        for start, end in page.blocks:
            first, last = begin + start, begin + end
            if joined and not _ends(whole.text[joined[-1][0] : joined[-1][1]]):
                between = whole.text[joined[-1][1] : first]
                if not between.strip():
                    joined[-1] = (joined[-1][0], last)
                    continue
            joined.append((first, last))
    return joined


def _ends(text: str) -> bool:
    return re.search(r"[.!?:;][\"”’'»)\]\d]*\s*$", text) is not None


def _block(at: CitedText, start: int, end: int, sure: float) -> Quotation | None:
    """Read a block: the citation at its end, behind it, or before it."""
    text = at.text
    start, end = _trimmed(text, start, end)
    confidence = sure
    own = _cited_at_end(at, start, end)
    citation: int | None
    if own is not None:
        citation, end = own
    else:
        citation = _cited_behind(at, end)
    if citation is None:
        citation, confidence = _announced_by(at, start), min(confidence, LIKELY)
    if citation is None:
        return None
    start, end = _trimmed(text, start, end)
    return Quotation(start, end, text[start:end], True, citation, confidence)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    inner = text[start:end]
    start += len(inner) - len(inner.lstrip())
    return start, start + len(inner.strip())


def _cited_at_end(at: CitedText, start: int, end: int) -> tuple[int, int] | None:
    """Return the citation sentence at the end of a block, which is no part of it; its start."""
    last, first = at.before(end), at.after(start)
    if last is None or first is None or first > last:
        return None
    n = last
    while n > first and not _sentence_begins(at, n):
        n -= 1
    tail = AFTER_CITATION.match(at.text, at.citations[last].end)
    closed = tail is not None and not at.text[tail.end() : end].strip(" .;)]")
    begin = at.citations[n].start
    if not closed or begin <= start + 20 or not _sentence_begins(at, n):
        return None
    signal = _SIGNAL_BEFORE.search(at.text, start, begin)
    return n, signal.start() if signal else begin


def _cited_behind(at: CitedText, end: int) -> int | None:
    after = at.after(end)
    beside = BESIDE.match(at.text, end)
    if after is None or beside is None or beside.end() < at.citations[after].start:
        return None
    return after if only_cites(at, after) else None


def _announced_by(at: CitedText, start: int) -> int | None:
    before = at.before(start)
    if before is None or start - at.citations[before].end > NEAR:
        return None
    lead = at.text[at.citations[before].end : start]
    near = len(PARAGRAPH.findall(lead)) <= 1 and lead.rstrip().endswith((":", ",", "—"))
    return before if near else None


def _sentence_begins(at: CitedText, citation: int) -> bool:
    begin = at.citations[citation].start
    head = at.text[max(0, begin - 24) : begin]
    return re.search(
        r"(?:^|[.!?;:—)][\"”’'»)\]]*\s*|\n\s*)(?:(?:See|also|e\.g\.,|Accord|Cf\.|But|see"
        r"|cf\.)\s*)*[(\[]?\s*$",
        head,
    ) is not None  # fmt: skip


def _paragraphs(text: str) -> list[tuple[int, int]]:
    """Return the paragraphs of a text, one that runs on over a page among them as two."""
    found, start = [], 0
    for cut in [*(m.span() for m in PARAGRAPH.finditer(text)), (len(text), len(text))]:
        if text[start : cut[0]].strip():
            found.append((start, cut[0]))
        start = cut[1]
    return found


def _is_shaped(at: CitedText, paragraphs: list[tuple[int, int]], n: int) -> bool:
    """Whether a paragraph looks like a block: announced before, cited after, or indented."""
    start, end = paragraphs[n]
    text = at.text[start:end]
    if len(text.split()) < _BLOCK_WORDS and not _is_indented(at.text, paragraphs, n):
        return False
    if n == 0 or text.lstrip()[:1] in '"“„«':
        return False
    lead = at.text[paragraphs[n - 1][0] : paragraphs[n - 1][1]].rstrip()
    announced = lead.endswith((":", ": ", "—"))
    after = at.after(end)
    cited = False
    if n + 1 < len(paragraphs) and after is not None:
        head = paragraphs[n + 1][0]
        beside = BESIDE.match(at.text, head)
        cited = bool(beside and beside.end() >= at.citations[after].start >= head)
        cited = cited and only_cites(at, after)
    return (announced and cited) or ((announced or cited) and _is_indented(at.text, paragraphs, n))


def _is_indented(text: str, paragraphs: list[tuple[int, int]], n: int) -> bool:
    """Whether every line of a paragraph stands further in than those of the one before."""

    def least(start: int, end: int) -> int:
        widths = [len(m[1].expandtabs()) for m in _INDENT.finditer(text, start, end)]
        return min(widths, default=0)

    return n > 0 and least(*paragraphs[n]) >= least(*paragraphs[n - 1]) + 3
