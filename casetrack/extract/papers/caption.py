"""Type and case of a paper, from its first page.

Sources in order of certainty: the line of the court's filing system on each page, the caption
(court, parties, number, title), and words that occur only in papers of a type. Uncertain facts stay
unknown, because most documents are not legal.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.base.words import WordLists
from casetrack.base.words.lists import any_month
from casetrack.extract.papers import caption_marks
from casetrack.extract.papers.caption_lines import Box, Cell, caption_cells, with_gutter
from casetrack.extract.papers.courts import Court, find_court
from casetrack.extract.papers.docket_sheet import (
    DocketHeader,
    is_docket_header,
    read_docket_header,
    read_sheet_head,
)
from casetrack.extract.papers.facts import NOT_LEGAL, LegalFacts
from casetrack.extract.papers.parties import ROLE_LINE, Caption, read_parties
from casetrack.extract.papers.without_caption import LETTER_HEAD, MAIL_HEAD, kind_of_text, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.base.records.documents import LegalType
    from casetrack.extract.papers.text import TextPage, WholeText

# The title of a paper: the first lines that look like one and name a paper.

_LINES, _CHARS = 8, 240
"""Maximum lines and characters of a title."""
_NEAR = 40
"""Maximum start of the kind in a title that counts more than a notice."""
_SENTENCE = 14
"""A line of more words that does not look like a title is text, and no title comes after it."""
_LISTS = WordLists(__file__)

_FIELD = _LISTS.pattern("field", re.IGNORECASE)
_MONTH = any_month().lower().replace("may", r"may \d")
_AFTER_TITLE = re.compile(rf"(?:{_LISTS.joined('after_title')}|{_MONTH}\b)", re.IGNORECASE)
_NO_START = _LISTS.pattern("no_start", re.IGNORECASE)
"""A heading of the text, or the first words of an order."""
_AUTHOR = _LISTS.pattern("author", re.IGNORECASE)
_ITEM = re.compile(r"(?:[•·▪◦*-]|\d{1,2}[.)])\s")
_OPEN_END = re.compile(r"(?i:[\s,]+(?:and|or|of|the|to|for|by))+$")
_SPACED = re.compile(r"\b(?:[A-Z] ){3,}[A-Z]\b")
"""A word with blanks between its letters: "O R D E R"."""


def first_title(run: Sequence[Cell], /) -> tuple[caption_marks.PaperKind, str] | None:
    """Return the type of the first title of some lines, and the title on one line."""
    for i, cell in enumerate(run):
        if caption_marks.is_no_title(cell.text):
            continue
        plain = cell.text.rstrip()
        is_title = looks_like_title(plain) and not _NO_START.match(plain)
        if len(plain) > 60 and plain.endswith((".",) if is_title else (".", ":")):
            return None
        if not is_title:
            if len(plain.split()) > _SENTENCE:
                return None
            continue
        words = [cell.text]
        for before, further in zip(run[i:], run[i + 1 : i + _LINES], strict=False):
            if further.line - before.line > 2 or _ends_title(further.text):
                break
            words.append(further.text)
        title = _SPACED.sub(lambda m: m[0].replace(" ", ""), " ".join(" ".join(words).split()))
        title = _OPEN_END.sub("", title[:_CHARS])
        kind = caption_marks.kind_of_title(title)
        if kind is not None and kind.start <= max(60, len(cell.text)):
            return kind, title
    return None


def _ends_title(text: str) -> bool:
    """Whether a line comes after a title: a heading of the text, who wrote it, a date, a field."""
    if caption_marks.is_no_title(text) or not looks_like_title(text) or _FIELD.match(text):
        return True
    return bool(_AFTER_TITLE.match(text) or _AUTHOR.match(text))


def looks_like_title(text: str, /) -> bool:
    """Return whether a line is in capitals, or short with every longer word capitalised."""
    if (_FIELD.match(text) and not text.isupper()) or _ITEM.match(text):
        return False
    letters = [c for c in text if c.isalpha()]
    if len(letters) < 4 or len(text) > 200:
        return False
    if sum(c.isupper() for c in letters) >= 0.6 * len(letters):
        return True
    words = [w for w in re.findall(r"[^\W\d][\w’'-]*", text) if len(w) > 3]
    capital = sum(w[0].isupper() for w in words)
    short = len(text) <= 110 and not text.rstrip().endswith((",", ";"))
    return bool(words) and capital == len(words) and short


__all__ = ["NOT_LEGAL", "LegalFacts", "read_caption"]

_BARE_PAGE = 240
"""A page with fewer characters is a cover."""
_MOST = 20_000
"""Maximum length of the text that is read of a page; some formats have a single page."""
_BLANK = re.compile(r"\s{1000}")
_LONGEST_FOOT = 8
"""Maximum length of the number at the foot of a page."""
_HEAD, _SIGNED = 5000, 3000
"""Maximum length of the text before the end of a caption."""
_MAY_BE = _LISTS.pattern("may_be", re.IGNORECASE)
"""Words that every caption has one of; a fast test."""

_OPINION_WORDS = re.compile(_LISTS.text("opinion_words"), re.VERBOSE | re.MULTILINE)
_ABROAD = _LISTS.pattern("abroad", re.MULTILINE)
_ARGUED = _LISTS.pattern("argued")
_ORDERED = _LISTS.pattern("ordered", re.IGNORECASE)
_MOVES = _LISTS.pattern("moves", re.IGNORECASE)
_ALLEGES = _LISTS.pattern("alleges", re.IGNORECASE)
_DEPOSED = _LISTS.pattern("deposed", re.IGNORECASE | re.MULTILINE | re.DOTALL)
_OF_PARTY = _LISTS.pattern("of_party", re.IGNORECASE)
"""The end of the parties before a title."""
_COURTS_LETTER = re.compile(
    r"^\s*(?:Dear\s|Sincerely|Very truly yours|Respectfully(?: submitted)?,?$)", re.MULTILINE
)


def read_caption(
    whole: WholeText,
    /,
    *,
    format: str = "",  # noqa: A002 - the column's name
    name: str = "",
    title: str | None = None,
    document_type: str | None = None,
    boxes: Sequence[Mapping[int, Box]] = (),
    ending: str = "",
) -> LegalFacts:
    """Return type and case from the first pages of a document.

    Parameters
    ----------
    whole
        The document, or its first pages.
    format, name, title
        As in ``documents``.
    document_type
        The general type; contracts and letters depend on it.
    boxes
        For each page: offset of a line to its left and right edge in points, which separate the two
        columns of a caption.
    ending
        Text of the last page, where the judge signs.
    """
    places = [i for i, page in enumerate(whole.pages[:3]) if page.text.strip()]
    pages = [replace(whole.pages[i], text=_beginning(whole.pages[i].text)) for i in places]
    if not pages:
        return NOT_LEGAL
    sheet = read_sheet_head(pages[0].text)
    if sheet is not None:
        return sheet
    header = read_docket_header(pages[0].text)
    at, read = 0, NOT_LEGAL
    for at, page in enumerate(pages[:2]):
        if header is None and not _MAY_BE.search(page.text, 0, _HEAD):
            read = LegalFacts(exhibit=caption_marks.exhibit_label(page.text))
            if len(page.text) > _BARE_PAGE:
                break
            continue
        placed = boxes[places[at]] if places[at] < len(boxes) else {}
        read = _of_page(pages[at : at + 2], header, placed)
        if read.legal_type is not None or len(page.text) > _BARE_PAGE:
            break
    first = "\n".join(page.text for page in pages)
    facts = _with_text(read, pages[at].text if at < len(pages) else "", first, header)
    facts = kind_of_text(facts, first, format=format, name=name, document_type=document_type)
    if facts.legal_type is None:
        return NOT_LEGAL
    is_order = facts.legal_type == "order" or facts.legal_detail == "opinion and order"
    if facts.judge is None and is_order:
        facts = replace(facts, judge=caption_marks.signed_by(f"{first}\n{ending[-_SIGNED:]}"))
    if facts.legal_type == "opinion":
        facts = replace(
            facts, own_citations=caption_marks.own_citations(pages[0].text, name, title) or None
        )
    return facts


def _beginning(text: str) -> str:
    """Return the text of a page up to its bound, or up to a long blank that no page has."""
    blank = _BLANK.search(text, len(text) - len(text.lstrip()), _MOST)
    return text[: blank.start() if blank else _MOST]


def _cells(page: TextPage, header: DocketHeader | None) -> list[Cell]:
    cells = caption_cells(page.text, page.number)
    return cells if header is None else [c for c in cells if not is_docket_header(c.text)]


def _of_page(
    pages: Sequence[TextPage], header: DocketHeader | None, boxes: Mapping[int, Box]
) -> LegalFacts:
    text, page, cells = pages[0].text, pages[0].number, _cells(pages[0], header)
    if boxes:
        cells = with_gutter(cells, text, boxes)
    court, line = _court(cells)
    flow = [c for c in cells if c.side != "right" or ROLE_LINE.match(c.text)]
    after = next((i for i, c in enumerate(flow) if c.line > line), 0)
    caption = read_parties(flow, after)
    if caption is None and len(flow) < len(cells):
        # Centred names below a stamp in the right margin.
        flow, after = cells, next((i for i, c in enumerate(cells) if c.line > line), 0)
        caption = read_parties(flow, after)
    if caption and caption.parties[-1].role is None and len(pages) > 1:
        rest = [c for c in flow if c.line > caption.last]
        if all(len(c.text) < _LONGEST_FOOT for c in rest):
            ended, more = caption.last + 1, _cells(pages[1], header)
            flow = [c for c in flow if c.line < ended]
            flow += [replace(c, line=ended + c.line) for c in more if c.side != "right"]
            caption = read_parties(flow, after)
    exhibit = caption_marks.exhibit_label(text)
    is_paper = court is not None or header is not None
    is_caption = caption is not None and any(p.role for p in caption.parties)
    number = None
    if is_paper or caption is not None:
        number = caption_marks.case_number_in(cells)
    if not (is_paper or is_caption or (caption and number)):
        return LegalFacts(exhibit=exhibit)
    heads = (MAIL_HEAD, LETTER_HEAD)
    is_letter = not is_caption and any(head.search(text, 0, _HEAD) for head in heads)
    title = None if is_letter else _title(cells, flow, after, caption)
    facts = LegalFacts(
        court=court.name if court else None,
        court_id=court.court_id if court else None,
        case_number=number,
        case_name=caption.case_name if caption else None,
        parties=caption.parties if caption else None,
        judge=caption_marks.judge_in(cells),
        exhibit=exhibit,
    )
    if title is not None:
        kind, words = title
        party = _OF_PARTY.match(words, 0, kind.start)
        words = words[party.end() :] if party else words
        return replace(
            facts,
            legal_type=kind.legal_type,
            legal_detail=kind.detail,
            legal_title=words,
            legal_evidence=f'title "{shown(kind.words)}" on page {page}',
        )
    if is_paper and (caption or number):
        names = [
            f'court "{shown(court.text)}"' if court else "",
            f'caption "{caption.case_name}"' if caption else "",
        ]
        return replace(
            facts,
            legal_type="other",
            legal_evidence=f"{' and '.join(filter(None, names)) or 'case number'} on page {page}",
        )
    return facts


def _court(cells: Sequence[Cell]) -> tuple[Court | None, int]:
    """Return the court, and the last line of its name, or the line before one in a side column."""
    at = next((i for i, c in enumerate(cells) if caption_marks.BROUGHT.match(c.text)), len(cells))
    review = " ".join(c.text for c in cells[at : at + 3])
    cells = cells[:at]
    flow, right = ([c for c in cells if (c.side == "right") is side] for side in (False, True))
    for chosen in (flow, right, cells) if right else (flow,):
        court = find_court([c.text for c in chosen])
        if court is not None:
            if chosen is flow:
                return court, chosen[min(court.last, len(chosen)) - 1].line
            return court, chosen[min(court.first, len(chosen) - 1)].line - 1
    of_review = re.search(
        r"certiorari to the united states court of appeals", review, re.IGNORECASE
    )
    if of_review:
        return Court("Supreme Court of the United States", "scotus", 0, 0, of_review.group()), -1
    return None, -1


def _title(
    cells: Sequence[Cell], flow: Sequence[Cell], after: int, caption: Caption | None
) -> tuple[caption_marks.PaperKind, str] | None:
    """Return type and title of a paper, right of or below its caption, or at the top."""
    top = flow[after].line if after < len(flow) else 0
    top, bottom = (caption.first, caption.last) if caption else (top, top - 1)
    reach = bottom + _LINES if caption else top + _SENTENCE
    right = [c for c in cells if c.side == "right" and top - 3 <= c.line <= reach]
    below = [c for c in flow if c.line > bottom]
    above = [c for c in flow if c.line < top]
    titles = [title for run in (right, below[:14], above) if (title := first_title(run))]
    others = (t for t in titles if t[0].detail != "notice" and t[0].start < _NEAR)
    return next(others, titles[0] if titles else None)


def _with_text(facts: LegalFacts, text: str, first: str, header: DocketHeader | None) -> LegalFacts:
    if header is not None:
        facts = replace(
            facts,
            case_number=header.case_number,
            docket_entry=header.entry,
            filed_on=header.filed_on,
            court_id=facts.court_id or header.court_id,
            legal_type=facts.legal_type or "other",
            legal_evidence=facts.legal_evidence
            or f'"{shown(first[header.start : header.end])}" at the edge of page 1',
        )
    if facts.legal_type is None:
        return facts
    # "Filed 05/23/24" in a stamp does not make an opinion.
    head = "\n".join(x for x in text[:_HEAD].split("\n") if not is_docket_header(x))
    if facts.legal_type == "other" and facts.legal_detail is None:
        cue = _by_words(head, facts)
        if cue is not None:
            facts = facts.typed(*cue[:2], f'"{shown(cue[2])}" on the first page')
    if (
        facts.legal_type == "brief"
        and facts.legal_title
        and facts.court_id
        and facts.court_id.startswith("ca")
    ):
        judges = re.search(r"^\s*Before:?\s.{0,160}(?:Judges?|JJ)", head, re.MULTILINE)
        if judges and facts.legal_title.strip("*∗ ").upper().startswith("MEMORANDUM"):
            facts = facts.typed("opinion", None, f'"{shown(judges.group())}"')
    abroad = _ABROAD.search(head[:1500])
    is_tentative = abroad is not None and "TENTATIVE" in abroad.group()
    usual = facts.legal_type in ("order", "other") and facts.legal_detail in (None, "judgment")
    if abroad and (is_tentative or usual):
        is_order = is_tentative or abroad.group().strip().casefold().startswith("order")
        named: LegalType = "order" if is_order else "opinion"
        facts = facts.typed(named, None, f'"{shown(abroad.group())}" on the first page')
    witness = caption_marks.witness_in(facts, first)
    day = (
        facts.filed_on
        or (caption_marks.decided_on(head) if facts.legal_type == "opinion" else None)
        or caption_marks.filed_on(text[:_HEAD], facts)
    )
    return replace(facts, witness=witness, filed_on=day)


def _by_words(head: str, facts: LegalFacts) -> tuple[LegalType, str | None, str] | None:
    match = _COURTS_LETTER.search(head)
    if match and "Dear" in head:
        return "correspondence", "letter", match.group()
    if facts.case_name or facts.case_number:
        match = _OPINION_WORDS.search(head)
        if match and (_ARGUED.search(head) or facts.court or facts.case_name):
            return "opinion", None, match.group()
        if facts.court and (match := _ARGUED.search(head)) and " v. " in (facts.case_name or ""):
            return "opinion", None, match.group()
    cues: tuple[tuple[LegalType, re.Pattern[str]], ...] = (
        ("deposition", _DEPOSED),
        ("motion", _MOVES),
        ("complaint", _ALLEGES),
        ("order", _ORDERED),
    )
    for kind, pattern in cues:
        match = pattern.search(head)
        if match:
            return kind, None, match.group()
    return None
