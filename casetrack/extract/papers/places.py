"""Places as the paper names them: from characters to pages and lines as printed, and back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.base.dataclass import dataclass
from casetrack.base.provenance import PrintedPlace

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from casetrack.extract.papers.text import Pin, WholeText

Span = tuple[int, int]
"""Code points, half-open."""
_BATES = re.compile(
    r"(?P<prefix>(?:[A-Za-z&]{1,16}(?:\d{0,2}[-_. ]{1,2}[A-Za-z&]{1,16}){0,3}\d{0,2}?[-_. ]{0,2})?)"
    r"(?P<digits>\d{2,12})"
)
_PAGE_LINES = re.compile(r"([^\s:*-]+):(\d+)(?:-(?:([^\s:*-]+):)?(\d+))?")
_TO = re.compile(r"\s*(?:-|\u2010|\u2011|\u2012|\u2013|\u2014|\bto\b|\bthrough\b|\bthru\b)\s*")
_MOST_BATES = 1_000_000


# --- from characters to printed places -------------------------------------------------------


def printed_words(places: Sequence[PrintedPlace], start: int, end: int, /) -> str | None:
    """Return the printed places between *start* and *end* (code points) as in a citation.

    Page and line (``24:11-20``, ``24:24-25:3``), the page alone (``printed p. 24``), star pages
    (``*593-*594``) and Bates numbers, joined by semicolons; ``None`` if nothing is printed.

    Examples
    --------
    >>> page = PrintedPlace("page", "24", 0, 40)
    >>> lines = [PrintedPlace("line", "11", 0, 19), PrintedPlace("line", "12", 20, 40)]
    >>> printed_words([page, *lines], 5, 30)
    '24:11-12'
    """
    touched = [p for p in places if p.start < end and p.end > start]
    if not touched:
        return None
    kinds = {kind: [p for p in touched if p.kind == kind] for kind in {p.kind for p in touched}}
    pages, lines = kinds.get("page", []), kinds.get("line", [])
    parts = [_lines(lines, pages)] if lines else [_pages(pages)] if pages else []
    parts += [_range(f"*{run[0]}", f"*{run[-1]}") for run in _series(kinds.get("star", []))]
    bates = [p.label for p in kinds.get("bates", [])]
    parts += [_range(bates[0], bates[-1])] if bates else []
    return "; ".join(parts)


def joined_words(parts: Iterable[str | None], /) -> str | None:
    """Return the printed places of consecutive ranges as those of one range.

    Examples
    --------
    >>> joined_words(["24:1-20; ABC000123", "24:19-25; ABC000123"])
    '24:1-25; ABC000123'
    """
    words = [text for part in parts if part for text in part.split("; ")]
    lines = [text for text in words if _PAGE_LINES.fullmatch(text)]
    joined: list[str] = []
    if lines:
        first, last = _PAGE_LINES.fullmatch(lines[0]), _PAGE_LINES.fullmatch(lines[-1])
        if first is not None and last is not None:
            top, bottom = first[1], last[3] or last[1]
            end = last[4] or last[2]
            if top == bottom:
                joined.append(f"{top}:{_range(first[2], end)}")
            else:
                joined.append(f"{top}:{first[2]}-{bottom}:{end}")
    ends = [text.split("-") for text in words if text.startswith("*")]
    stars = {int(n.strip("*")) for both in ends for n in both}
    stars |= {n for both in ends for n in range(int(both[0].strip("*")), int(both[-1].strip("*")))}
    places = [PrintedPlace("star", str(n), 0, 1) for n in sorted(stars)]
    joined += [_range(f"*{run[0]}", f"*{run[-1]}") for run in _series(places)]
    others = [t for t in words if t not in lines and not t.startswith("*")]
    return "; ".join((*joined, *dict.fromkeys(others))) or None


def _lines(lines: Sequence[PrintedPlace], pages: Sequence[PrintedPlace]) -> str:
    first, last = lines[0], lines[-1]
    top, bottom = _page_of(first, pages), _page_of(last, pages)
    if top is None or bottom is None:
        if first.label == last.label:
            return f"line {first.label}"
        return f"lines {first.label}-{last.label}"
    if top != bottom:
        return f"{top}:{first.label}-{bottom}:{last.label}"
    return f"{top}:{_range(first.label, last.label)}"


def _page_of(line: PrintedPlace, pages: Sequence[PrintedPlace]) -> str | None:
    return next((p.label for p in pages if p.start <= line.start < p.end), None)


def _pages(pages: Sequence[PrintedPlace]) -> str:
    first, last = pages[0].label, pages[-1].label
    return f"printed p. {first}" if first == last else f"printed pp. {first}-{last}"


def _range(first: str, last: str) -> str:
    return first if first == last else f"{first}-{last}"


def _series(stars: Sequence[PrintedPlace]) -> list[list[str]]:
    """Separate the mixed star pages of several reporters."""
    runs: list[list[str]] = []
    for label in dict.fromkeys(star.label for star in stars):
        for run in runs:
            if run[-1].isdigit() and label.isdigit() and int(label) == int(run[-1]) + 1:
                run.append(label)
                break
        else:
            runs.append([label])
    return runs


# --- from printed places to characters -------------------------------------------------------


def find_pin(whole: WholeText, pin: Pin, /) -> tuple[Span, ...]:
    """Return the ranges of a pin cite in the cited document, as code points into ``whole.text``.

    A page is looked up among the star pages, then the printed numbers, then the pages of the file.
    There are several if the document prints a number repeatedly (two volumes, two reporters), none
    for other units than pages and lines.
    """
    if pin.unit == "line" or pin.first_line is not None:
        return _joined_lines(whole, pin)
    if pin.unit != "page":
        return ()
    for kind in ("star", "page"):
        spans = _ranges(_spans(whole, kind), pin.first, pin.last)
        if spans:
            return spans
    if any(place.kind == "page" for page in whole.pages for place in page.printed):
        return ()
    files = [
        (str(page.number), begin, begin + len(page.text))
        for page, begin in zip(whole.pages, whole.starts, strict=True)
    ]
    return _ranges(files, pin.first, pin.last)


def printed_at(whole: WholeText, start: int, end: int, /) -> str | None:
    """Return the printed places of ``whole.text[start:end]`` as in a citation."""
    places = [
        PrintedPlace(p.kind, p.label, begin + p.start, begin + p.end)
        for page, begin in zip(whole.pages, whole.starts, strict=True)
        for p in page.printed
        if begin + p.start < end and begin + p.end > start
    ]
    return printed_words(places, start, end)


_Labelled = tuple[str, int, int]


def _spans(whole: WholeText, kind: str) -> list[_Labelled]:
    """Return label, start and end of all places of a kind, merged over page breaks."""
    marks: list[_Labelled] = []
    for page, begin in zip(whole.pages, whole.starts, strict=True):
        for p in page.printed:
            if p.kind != kind:
                continue
            span = p.label, begin + p.start, begin + p.end
            at = next(
                (i for i, s in enumerate(marks) if s[0] == p.label and s[2] >= begin - 1), None
            )
            if at is not None and p.start == 0 and begin:
                marks[at] = (p.label, marks[at][1], span[2])
            else:
                marks.append(span)
    return marks


def _ranges(spans: Sequence[_Labelled], first: str, last: str) -> tuple[Span, ...]:
    """Return from each place called *first* to the next one called *last*."""
    runs = []
    for label, start, end in spans:
        if not _same(label, first):
            continue
        close = end
        if not _same(first, last):
            after = [s for s in spans if _same(s[0], last) and s[1] >= start]
            close = after[0][2] if after else end
        runs.append((start, max(close, end)))
    return tuple(runs)


def _numbered_pages(whole: WholeText) -> list[_Labelled]:
    """Return the pages by their printed numbers.

    A page without one, such as the first, is numbered from the others if their numbers have a
    constant difference from the file's.
    """
    printed = _spans(whole, "page")
    steps = {
        int(p.label) - page.number
        for page in whole.pages
        for p in page.printed
        if p.kind == "page" and p.label.isdigit()
    }
    if len(steps) > 1 or (printed and not steps):
        return printed
    step = next(iter(steps), 0)
    return sorted(
        printed
        + [
            (str(page.number + step), begin, begin + len(page.text))
            for page, begin in zip(whole.pages, whole.starts, strict=True)
            if not any(p.kind == "page" for p in page.printed)
        ],
        key=lambda span: span[1],
    )


def _joined_lines(whole: WholeText, pin: Pin) -> tuple[Span, ...]:
    first_line, last_line = pin.first_line or pin.first, pin.last_line or pin.first_line or pin.last
    if not (first_line.isdigit() and last_line.isdigit()):
        return ()
    pages = _numbered_pages(whole)
    lines = _spans(whole, "line")
    spans = []
    for number, (label, start, end) in enumerate(pages):
        if not _same(label, pin.first):
            continue
        closing = next((p for p in pages[number:] if _same(p[0], pin.last)), (label, start, end))
        inside = [
            line
            for line in lines
            if start <= line[1] < closing[2]
            and not (line[1] < end and int(line[0]) < int(first_line))
            and not (line[1] >= closing[1] and int(line[0]) > int(last_line))
        ]
        if inside:
            spans.append((inside[0][1], inside[-1][2]))
    return tuple(spans)


def _same(a: str, b: str) -> bool:
    return a.lstrip("0*").casefold() == b.lstrip("0*").casefold()


# --- Bates numbers ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BatesRange:
    """A range of Bates numbers: a prefix and zero-padded numbers."""

    prefix: str  # with its separator: `"ABC-"`
    # first, last: equal for one page.
    first: int
    last: int
    width: int  # number of digits

    @property
    def key(self) -> str:
        """The common form of all spellings of the prefix."""
        return bates_key(self.prefix)

    def label(self, number: int, /) -> str:
        """Return a number as it is stamped."""
        return f"{self.prefix}{number:0{self.width}d}"

    def __str__(self) -> str:
        """Return the range as it is written: ``ABC000123-ABC000130``."""
        return _range(self.label(self.first), self.label(self.last))


def read_bates(text: str, /) -> BatesRange | None:
    """Parse a Bates number or a range of them, or return ``None``.

    Examples
    --------
    >>> str(read_bates("ABC 000123 - 130"))
    'ABC 000123-ABC 000130'
    """
    whole = _BATES.fullmatch(text.strip())
    if whole is not None:
        return _bates(whole, whole) if whole["prefix"] else None
    for part in _TO.finditer(text.strip()):
        first = _BATES.fullmatch(text.strip()[: part.start()])
        last = _BATES.fullmatch(text.strip()[part.end() :])
        if first is None or last is None or not first["prefix"]:
            continue
        if last["prefix"] and bates_key(last["prefix"]) != bates_key(first["prefix"]):
            continue
        return _bates(first, last)
    return None


def _bates(first: re.Match[str], last: re.Match[str]) -> BatesRange | None:
    digits, closing = first["digits"], last["digits"]
    if len(closing) < len(digits) and not last["prefix"]:
        # ABC000123-30 is ABC000123-ABC000130.
        closing = digits[: len(digits) - len(closing)] + closing
    bates = BatesRange(first["prefix"], int(digits), int(closing), len(digits))
    return bates if bates.first <= bates.last < bates.first + _MOST_BATES else None


def bates_key(label: str, /) -> str:
    """Return the common form of all spellings of a Bates number or prefix: ``ABC 1``, ``abc-1``.

    Examples
    --------
    >>> bates_key("ABC-000123") == bates_key("abc 000123") == "ABC000123"
    True
    """
    return re.sub(r"[-_. ]", "", label).upper()
