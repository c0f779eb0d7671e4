"""Citations of articles, books, reports, papers of Congress and web pages in a legal text.

A citation ends with its date, its address or the number of a report. It begins after a signal, a
semicolon, the number of a footnote or the end of a sentence.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.base.words import WordLists
from casetrack.extract.references.citations import MONTHS
from casetrack.extract.references.cited import WORK, is_other_work
from casetrack.extract.references.matches import ReferenceMatch, one_line, slug

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.extract.references.citations import Citation
    from casetrack.extract.references.cited import Place

    Item = tuple[ReferenceMatch, Citation | None]

_LISTS = WordLists(__file__)
_CONGRESS = re.compile(_LISTS.text("congress"), re.VERBOSE)
"""Reports, bills and the record of Congress: identified by their numbers."""
_HARD = re.compile(_LISTS.text("hard"), re.VERBOSE)
"""Breaks before a citation: signals, semicolons, numbers of footnotes, paragraphs."""
_SOFT = re.compile(_LISTS.text("soft"), re.VERBOSE)
"""Ends of sentences; a title may contain them."""
_VERB = re.compile(_LISTS.text("verb"), re.VERBOSE)
_AUTHOR = re.compile(_LISTS.text("author"), re.VERBOSE)
_SHORT_WORD = re.compile(_LISTS.text("short_word"), re.VERBOSE)
"""The end of an abbreviation, whose period is not the end of a sentence."""
_URL = r"https?://\S+[^\s.,;:)\]”\"]"
_ADDRESS = re.compile(_URL)
_DATED = re.compile(
    r"\([^()]{0,90}?(?<!\d)(?:1[6-9]|20)\d\d(?:,\s[\d:]+\s[AP]M)?\)"
    rf"|(?<=,\s)(?:{MONTHS})\.?\s(?:\d\d?,\s)?(?:19|20)\d\d(?=[.;])"
)
_YEAR = re.compile(
    r"(?:,?\s(?:at|§{1,2}|pp?\.)\s?[\w().,–-]*\w\)*)*(?:,\s\d{4}-\d{4}\s\w+\.\sSess\.)?"
    r",?\s?\([^()]{0,40}(?:1[789]|20)\d\d\)"
)
_YEAR_AFTER = re.compile(
    r"(?:,\s[\d–-]+)*(?:\sn\.\d+)?\s?(?P<year>\([^()]{0,40}(?:1[789]|20)\d\d\))"
)
_AFTER = re.compile(
    rf"(?:[,.]?\s(?:available\sat\s)?{_URL}(?:\s[\w/.-]*/[\w/.-]+)*)?"
    r"(?:,?\s[(\[](?:last\s(?:visited|accessed|updated)|accessed)[^()\[\]]{0,40}[)\]])?"
)
_NAMES_FIRST = re.compile(
    r"(?:[A-Z][\w’'-]+,?\s(?:[A-Z]\.,?\s?)+(?:&\s|and\s)?)+(?:et\sal\.\s)?\(\d{4}\)$"
)
"""Authors and year before the title, as in the sciences."""
_TITLE_AFTER = re.compile(rf"\.\s[^;•]{{10,400}}?(?:{_URL}|\d\(\d+\)[,:]\s?[\d–-]+)")
_PAGES = re.compile(r",?\s(?:at\s)?(?:pp?\.\s?)?\d+(?:[-–]\d+)?(?:,\s\d+(?:[-–]\d+)?)*$")
_WORDS = re.compile(r"[^\W\d_][\w’'-]{3,}")
_NO_START = re.compile(r"\W*?(?=[\w“\"‘])")
_LONGEST = 420
_SOLID = frozenset(("case", "regulation", "rule", "constitution", "record"))
_ALIAS = re.compile(
    r"[^()\[\]“;]{0,40}[(\[](?:hereina?fter,?\s)?[“\"‘]?(?P<name>[A-Z][^()\[\]”\"’]{4,60})[”\"’]?[)\]]"
)
_SHORT_TITLE = 8
"""Maximum words of a title in a later short form."""


def with_works(text: str, items: Sequence[Item], /) -> list[Item]:
    """Return *items* with the other works that *text* cites, in order.

    A work replaces the links inside it, but never a case, a law or the record. A journal article
    gets its author and title.
    """
    solid = [
        (match.start, match.end)
        for match, citation in items
        if (match.type in _SOLID or is_other_work(match.key))
        and (citation is None or citation.kind in {"case", "law", "short"})
        and match.confidence > 0.5
        and not _CONGRESS.match(text, match.start)
    ]
    works = list(_works(text, items, sorted(solid)))
    works += [(match, None) for match in _short_forms(text, [match for match, _ in works])]
    taken = [(work.start, work.end) for work, _ in works]
    kept = [one for one in items if not any(s < one[0].end and one[0].start < e for s, e in taken)]
    return sorted([*kept, *works], key=lambda item: item[0].start)


def _works(text: str, items: Sequence[Item], solid: Sequence[Place]) -> Iterator[Item]:
    journals = {m.start: (m, c) for m, c in items if c is not None and c.kind == "journal"}
    anchors = [
        *((m.start(), m.end(), "number") for m in _CONGRESS.finditer(text)),
        *((m.start, m.end, "journal") for m, _ in journals.values()),
        *((m.start(), m.end(), "date") for m in _DATED.finditer(text)),
        *((m.start(), m.end(), "address") for m in _ADDRESS.finditer(text)),
    ]
    floor = 0
    for start, stop, kind in sorted(anchors):
        if start < floor:
            continue
        begin, written = start, text[start:stop]
        if kind != "number":
            limit = max([floor, start - _LONGEST, *(e for _, e in solid if e <= start)])
            begin = _beginning(text, limit, start)
            written = text[begin:start].rstrip(" ,(")
            if any(s < stop and begin < e for s, e in solid):
                continue
            if not _is_title(written, is_page=kind == "address"):
                continue
        if kind == "journal":
            match, citation = journals[start]
            dated = _YEAR_AFTER.match(text, stop)
            name = one_line(text[begin:stop] + (f" {dated['year']}" if dated else ""))
            yield replace(match, start=begin, name=name), citation
            floor = dated.end() if dated else stop
            continue
        tail = _YEAR.match(text, stop) if kind != "date" else None
        end = tail.end() if tail else stop
        after = _TITLE_AFTER.match(text, end) if _NAMES_FIRST.search(text[begin:end]) else None
        after = after or _AFTER.match(text, end)
        floor = after.end() if after else end
        title = _PAGES.sub("", written) if kind != "number" else written
        key = f"document:{WORK}{slug(title)}"
        name = one_line(text[begin:floor].replace(written, title, 1))
        yield ReferenceMatch(begin, floor, "document", key, name, 0.8), None


def _short_forms(text: str, works: Sequence[ReferenceMatch]) -> Iterator[ReferenceMatch]:
    """Yield later citations by title and page: "TOWARD INDEPENDENCE at 18"."""
    by_name: dict[str, ReferenceMatch] = {}
    for work in works:
        author = _AUTHOR.match(work.name)
        title = re.split(r"\s\d|\s?\(|,", work.name[author.end() :] if author else work.name)[0]
        alias = _ALIAS.match(text, work.end)
        for name in (title.rstrip(), alias["name"] if alias else ""):
            if 1 < len(name.split()) <= _SHORT_TITLE or (name and alias):
                by_name.setdefault(name.casefold(), work)
    if not by_name:
        return
    names = "|".join(re.escape(name) for name in sorted(by_name, key=len, reverse=True))
    taken = [(work.start, work.end) for work in works]
    for match in re.finditer(rf"(?<!\w)({names})(?:,\ssupra)?,?(?=\sat\s\d)", text, re.IGNORECASE):
        work = by_name[match[1].casefold()]
        if match.start() > work.end and not any(
            s < match.end() and match.start() < e for s, e in taken
        ):
            yield replace(work, start=match.start(), end=match.end())


def _beginning(text: str, limit: int, end: int) -> int:
    """Return the start of the citation that ends at *end*: after the last break."""
    begin = max([limit, *(m.end() for m in _HARD.finditer(text, limit, end))])
    begin = _first_sign(text, begin, end)
    if not (_AUTHOR.match(text, begin, end) and not _VERB.search(text, begin, end)):
        for match in _SOFT.finditer(text, begin, end):
            if match[0][0] != "." or not _SHORT_WORD.search(text[begin : match.start()]):
                begin = match.end()
    return _first_sign(text, begin, end)


def _first_sign(text: str, begin: int, end: int) -> int:
    gap = _NO_START.match(text, begin, end)
    return gap.end() if gap else begin


def _is_title(title: str, *, is_page: bool) -> bool:
    """Return whether words name a work: an author or capitals, a comma, and no sentence."""
    words = _WORDS.findall(title)
    if not 2 <= len(words) <= 60 or not (title[0].isupper() or title[0] in '“"‘'):
        return False
    capitals = sum(word[0].isupper() for word in words) / len(words)
    if _AUTHOR.match(title) and (capitals >= 0.5 or is_page):
        return True
    return ("," in title or capitals >= 0.9) and capitals >= 0.66 and not _VERB.search(title)
