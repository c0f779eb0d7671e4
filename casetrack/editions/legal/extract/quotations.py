"""Quotations of a text, each with its citation.

A quotation is in English, German or French quotation marks, or is a block. Nested marks belong to
the outer quotation; names in marks ("the Agreement") get a low confidence. Its citation is the one
before it with the quotation in the remark, the one directly after it, one in the same sentence, one
in the next sentence, or one in a note.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.editions.legal.extract.cited_text import (
    AFTER_CITATION,
    BETWEEN,
    GUESSED,
    LIKELY,
    LOOSE,
    NAMED,
    NEAR,
    PARAGRAPH,
    SURE,
    CitedText,
    QuotedSpan,
    only_cites,
    quoted_spans,
)
from casetrack.extract.papers.text import LegalCitation, Quotation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.extract.papers.text import WholeText

# Block quotations, with a citation at their end, after or before them.

_BLOCK_WORDS = 35
_SIGNAL_BEFORE = re.compile(r"(?:\b(?:See|also|e\.g\.,|Accord|Cf\.|But)\s*)+$")
_INDENT = re.compile(r"(?m)^([ \t]*)(?=\S)")


def block_quotations(
    whole: WholeText, at: CitedText, inline: Sequence[QuotedSpan], /
) -> list[Quotation]:
    """Return the block quotations with a citation, in order.

    *inline* are the quotations in marks: a paragraph in marks is not a block.
    """
    known = _joined(whole)
    paragraphs = _paragraphs(at.text)
    blocks = [block for start, end in known if (block := _block(at, start, end, SURE))]
    for n, (start, end) in enumerate(paragraphs):
        if any(s < end and start < e for s, e in known):
            continue
        shaped = _looks_like_block(at, paragraphs, n)
        if shaped and not any(
            i.outer_start <= start + 1 and end - 2 <= i.outer_end for i in inline
        ):
            block = _block(at, start, end, LOOSE)
            if block is not None:
                blocks.append(block)
    return sorted(blocks, key=lambda block: block.start)


def _joined(whole: WholeText) -> list[tuple[int, int]]:
    """Return the blocks of the pages; one that continues on the next page is joined."""
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
    """Return a block with the citation at its end, after it, or before it."""
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
    """Return the citation at the end of a block, and the start of its sentence."""
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
    gap = BETWEEN.match(at.text, end)
    if after is None or gap is None or gap.end() < at.citations[after].start:
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
    """Return the paragraphs of a text; one that crosses a page counts as two."""
    spans, start = [], 0
    for cut in [*(m.span() for m in PARAGRAPH.finditer(text)), (len(text), len(text))]:
        if text[start : cut[0]].strip():
            spans.append((start, cut[0]))
        start = cut[1]
    return spans


def _looks_like_block(at: CitedText, paragraphs: list[tuple[int, int]], n: int) -> bool:
    """Return whether a paragraph looks like a block: announced before, cited after, or indented."""
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
        gap = BETWEEN.match(at.text, head)
        cited = bool(gap and gap.end() >= at.citations[after].start >= head)
        cited = cited and only_cites(at, after)
    return (announced and cited) or ((announced or cited) and _is_indented(at.text, paragraphs, n))


def _is_indented(text: str, paragraphs: list[tuple[int, int]], n: int) -> bool:
    """Return whether all lines of a paragraph are indented more than those of the previous one."""

    def least(start: int, end: int) -> int:
        widths = [len(m[1].expandtabs()) for m in _INDENT.finditer(text, start, end)]
        return min(widths, default=0)

    return n > 0 and least(*paragraphs[n]) >= least(*paragraphs[n - 1]) + 3


_DEFINED_BEFORE = re.compile(
    r"(?:\((?:the|this|that|an?|each|together|collectively|hereinafter|hereafter|or|i\.e\.,?|such"
    r"|our|its|as|in|and|,|defined|referred|to|individually|jointly|\s)*|\b(?:hereinafter|hereafter"
    r"|so-called|known as|referred to as|defined as|the term|the terms|the words?|the phrases?"
    r"|called|entitled|titled|captioned|labell?ed|dubbed|nicknamed|styled)\s?,?\s?)$",
    re.IGNORECASE,
)
_DEFINED_AFTER = re.compile(r"\s*(?:(?:,|or|and)\s*[“\"][^”\"]{1,60}[”\"]\s*)*[,.]?\s*\)")
_SMALL = frozenset("of the and or for in on a an to & de von van der".split())
_NOTE_START = re.compile(r"(?m)^[ \t]*\[?(\d{1,3})[\].]?[ \t]+(?=\S)")
_NOTE_AFTER = re.compile(r"[.,;:]?\s?\[?(\d{1,3})\]?(?=[\s.,;)]|$)")


def read_quotations(
    whole: WholeText, citations: Sequence[LegalCitation], /
) -> tuple[Quotation, ...]:
    """Return the quotations of a text, in order and without overlaps.

    ``citation`` of a quotation is an index into *citations*, which are those of
    :func:`read_citations`. Blocks of the pages count if they have a citation.

    Examples
    --------
    >>> from casetrack.extract.papers.text import TextPage, WholeText
    >>> read_quotations(WholeText((TextPage(1, 'He said “no”.'),)), ())[0].text
    'no'
    """
    text = whole.text
    inline = quoted_spans(text)
    apart = tuple(_after_marks(citations, inline))
    at = CitedText(text, apart, tuple(c.start for c in apart), _notes(text))
    blocks = block_quotations(whole, at, inline)
    starts = [block.start for block in blocks]
    quotations = list(blocks)
    for each in inline:
        place = bisect_right(starts, each.start) - 1
        if place >= 0 and each.end <= blocks[place].end:
            continue
        quotation = _inline(at, each)
        if quotation is not None:
            quotations.append(quotation)
    return tuple(sorted(quotations, key=lambda q: q.start))


def _after_marks(
    citations: Sequence[LegalCitation], inline: Sequence[QuotedSpan]
) -> Iterator[LegalCitation]:
    """Yield the citations; one whose name includes quoted words starts after them."""
    starts = [each.outer_start for each in inline]
    for citation in citations:
        n = bisect_right(starts, citation.start) - 1
        if n >= 0 and citation.start < inline[n].end < inline[n].outer_end < citation.end:
            yield replace(citation, start=inline[n].outer_end)
        else:
            yield citation


_OPENED = re.compile(r"\((?:[Ss]ee\s)?$")


def _inline(at: CitedText, each: QuotedSpan) -> Quotation | None:
    inside = bisect_right(at.starts, each.start) - 1
    if inside >= 0 and at.citations[inside].end >= each.end:
        remark = at.citations[inside].parenthetical
        words = at.text[each.start : each.end]
        if words.strip() not in remark:
            return None  # The title of an article, within its citation.
        return Quotation(each.start, each.end, words, citation=inside, confidence=SURE)
    citation, confidence = _ascribed(at, each)
    if _is_name(at, each, citation, confidence):
        citation, confidence = None, NAMED
    words = at.text[each.start : each.end]
    if citation is not None and len(words.split()) <= 2:
        confidence = min(confidence, LOOSE)
    return Quotation(each.start, each.end, words, citation=citation, confidence=confidence)


def _ascribed(at: CitedText, each: QuotedSpan) -> tuple[int | None, float]:
    """Return the index of the citation of a quotation, and its confidence."""
    before, after = at.before(each.outer_start), at.after(each.outer_end)
    if before is not None and _in_remark(at, before, each.outer_start):
        return before, SURE
    gap_end = at.citations[after].start if after is not None else 0
    gap = BETWEEN.match(at.text, each.outer_end)
    if after is not None and gap is not None and gap.end() >= gap_end:
        between = PARAGRAPH.search(at.text, each.outer_end, gap_end)
        broken = at.ends_sentence(max(each.end - 1, 0), gap_end)
        if between is None and (not broken or only_cites(at, after)):
            return after, SURE
    noted = _citation_of_note(at, each)
    if noted is not None:
        return noted, LIKELY
    breaks: list[int] = []
    if after is not None and gap_end - each.outer_end <= NEAR:
        breaks = at.ends_sentence(max(each.end - 1, 0), gap_end)
        between = PARAGRAPH.search(at.text, each.outer_end, gap_end)
        if len(breaks) == 1 and between is None and only_cites(at, after):
            gap = BETWEEN.match(at.text, breaks[0])
            if gap is not None and gap.end() >= gap_end:
                return after, LIKELY
    same = (
        before is not None
        and not at.ends_sentence(at.citations[before].end, each.outer_start)
        and each.outer_start - at.citations[before].end <= NEAR
    )
    follows = after is not None and not breaks and gap_end - each.outer_end <= NEAR
    # "... (A at 1), and he said “...” to B (C at 2)": each citation closes its words.
    closes = follows and _OPENED.search(at.text, max(0, gap_end - 8), gap_end)
    if same and not (closes and at.text.startswith(")", at.citations[before or 0].end)):
        return before, LIKELY
    if follows:
        return after, LIKELY
    if before is not None:
        begin = at.citations[before].end
        near = each.outer_start - begin <= NEAR
        if near and PARAGRAPH.search(at.text, begin, each.outer_start) is None:
            return before, GUESSED
    return None, GUESSED


def _in_remark(at: CitedText, citation: int, place: int) -> bool:
    """Return whether *place* is in parentheses directly after a citation."""
    begin = at.citations[citation].end
    if place - begin > 2000:
        return False
    gap = at.text[begin:place]
    depth, opened = 0, -1
    for n, sign in enumerate(gap):
        if sign == "(":
            opened = n if depth == 0 else opened
            depth += 1
        elif sign == ")":
            depth = max(0, depth - 1)
    if depth == 0 or opened < 0:
        return False
    head = gap[:opened]
    after = AFTER_CITATION.match(head)
    return after is not None and after.end() == len(head)


def _notes(text: str) -> dict[str, list[int]]:
    """Return the starts of notes by number."""
    notes: dict[str, list[int]] = {}
    for match in _NOTE_START.finditer(text):
        notes.setdefault(match[1], []).append(match.end())
    return notes


def _citation_of_note(at: CitedText, each: QuotedSpan) -> int | None:
    """Return the citation at the start of the note whose number follows the words."""
    number = _NOTE_AFTER.match(at.text, each.outer_end)
    if number is None:
        return None
    later = [place for place in at.notes.get(number[1], ()) if place > each.outer_end]
    if not later or later[0] - each.outer_end > 12_000:
        return None
    gap = BETWEEN.match(at.text, later[0])
    begin = gap.end() if gap else later[0]
    citation = at.after(later[0])
    if citation is None or at.citations[citation].start > begin:
        return None
    return citation


def _is_name(at: CitedText, each: QuotedSpan, citation: int | None, confidence: float) -> bool:
    """Return whether the words are a name: a defined term, a title, a party."""
    words = at.text[each.start : each.end].strip(" ,.;:")
    count = len(words.split())
    if not words or count > 8:
        return False
    defined = _DEFINED_BEFORE.search(at.text, max(0, each.outer_start - 60), each.outer_start)
    capital = all(w[:1].isupper() or w.lower() in _SMALL or w[:1].isdigit() for w in words.split())
    if defined and defined[0].startswith("("):
        if not _DEFINED_AFTER.match(at.text, each.outer_end):
            return False
        article = defined[0].strip("( ").lower()
        return capital or (bool(article) and confidence < SURE)
    if defined:
        return confidence < SURE
    return citation is None and (capital or count <= 3)
