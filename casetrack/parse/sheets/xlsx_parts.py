"""Other parts of an XLSX sheet: comments, number formats of styles, drawings."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import ParseFailed
from casetrack.parse.drawn.frame import chart_names, frame_blocks, graphics_of
from casetrack.parse.drawn.text import (
    MC,
    XDR,
    Block,
    C,
    ListStyle,
    body_blocks,
    branch,
    integer,
    picture_block,
)
from casetrack.parse.numbers.formats import BUILTIN, NumberFormat, parse
from casetrack.parse.page_builder import clean_text
from casetrack.parse.sheets.model import MAX_COLUMNS, MAX_ROWS, Drawn, Note, Notes, drawn_over
from casetrack.parse.unseen import WHITE, Look, hex_color

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from casetrack.parse.package import Package

    CellTexts = Callable[[Iterable[str]], Mapping[str, str]]

# The number formats of an XLSX workbook's cell styles.

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def read_formats(package: Package, part: str | None, /) -> list[tuple[NumberFormat, str]]:
    """Return number format and hidden kind of every cell style, by index; *part* may be missing."""
    if part is None or part not in package:
        return []
    root = package.xml(part)
    codes = dict(BUILTIN)
    for element in root.iterfind(f"{MAIN}numFmts/{MAIN}numFmt"):
        number, code = element.get("numFmtId", ""), element.get("formatCode")
        if number.isdecimal() and code:
            codes[int(number)] = code
    fonts = [_font(font) for font in root.iterfind(f"{MAIN}fonts/{MAIN}font")]
    grounds = [_ground(fill) for fill in root.iterfind(f"{MAIN}fills/{MAIN}fill")]
    formats = []
    for element in root.iterfind(f"{MAIN}cellXfs/{MAIN}xf"):
        number, font, fill = (integer(element.get(f"{n}Id"), 0) or 0 for n in _STYLE_PARTS)
        number_format = parse(codes.get(number, "General"))
        look = fonts[font] if 0 <= font < len(fonts) else Look()
        ground = grounds[fill] if 0 <= fill < len(grounds) else None
        formats.append((number_format, "hidden" if number_format.hides_all else look.kind(ground)))
    return formats


_STYLE_PARTS = ("numFmt", "font", "fill")
_THEME_COLORS = {"0": WHITE, "1": "000000"}
_INDEXED_COLORS = {"1": WHITE, "9": WHITE, "65": WHITE}
_SIZE = re.compile(r"\d{1,3}(?:\.\d{1,9})?")


def _color(element: Any) -> str | None:
    """Return a colour in the form of :mod:`casetrack.parse.unseen`."""
    if element is None:
        return None
    theme, tint = element.get("theme"), element.get("tint", "0").strip("0.")
    if theme is not None:
        return f"theme {theme} {tint}" if tint else _THEME_COLORS.get(theme, f"theme {theme}")
    if (index := element.get("indexed")) is not None:
        return _INDEXED_COLORS.get(index, "")
    return hex_color((element.get("rgb") or "")[-6:])


def _font(font: Any) -> Look:
    size, color = font.find(f"{MAIN}sz"), font.find(f"{MAIN}color")
    points = "" if size is None else size.get("val", "")
    return Look(float(points) if _SIZE.fullmatch(points) else None, color=_color(color))


def _ground(fill: Any) -> str | None:
    """Return the colour behind cells: white without a fill, ``None`` if unknown."""
    pattern = fill.find(f"{MAIN}patternFill")
    kind = None if pattern is None else pattern.get("patternType", "none")
    if kind == "solid":
        return _color(pattern.find(f"{MAIN}fgColor"))
    return WHITE if kind == "none" else None


# Comments and notes on cells of an XLSX workbook.

_THREADS = "{http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments}"
_CELL = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")


def note_text(author: str | None, text: str, /) -> str | None:
    """Return a comment as shown after its row; ``None`` for an empty one."""
    words = " ".join(clean_text(text).split())
    name = " ".join(clean_text(author or "").split())
    # Programs write the author's name into the comment too.
    words = words.removeprefix(f"{name}:").strip() if name else words
    if not words:
        return None
    return f"[Comment by {name}: {words}]" if name else f"[Comment: {words}]"


def read_notes(
    package: Package, sheet: str, people: dict[str, str], missing: list[str], /
) -> Notes:
    """Return the comments of a sheet by row; *people* maps ids to names of authors in threads."""
    threads: dict[str, list[str | None]] = {}
    notes: dict[str, list[str | None]] = {}
    for kind, target in package.relations(sheet).values():
        if kind not in {"comments", "threadedComment"} or target not in package:
            continue
        try:
            root = package.xml(target)
        except ParseFailed as error:
            missing.append(f"Comments cannot be read: {error.message}")
            continue
        if kind == "comments":
            _plain(root, notes)
        else:
            for comment in root.iter(f"{_THREADS}threadedComment"):
                text = comment.findtext(f"{_THREADS}text") or ""
                author = people.get(comment.get("personId", ""))
                threads.setdefault(comment.get("ref", ""), []).append(note_text(author, text))
    # The file also stores a thread as a note for older programs.
    notes_of: dict[int, list[Note]] = {}
    for reference, texts in (notes | threads).items():
        place = _CELL.fullmatch(reference)
        if place is None:
            continue
        for text in filter(None, texts):
            notes_of.setdefault(int(place[2]), []).append(Note(_column(place[1]), text))
    return {row: sorted(of_row, key=lambda n: n.column) for row, of_row in notes_of.items()}


def read_people(package: Package, workbook: str, /) -> dict[str, str]:
    """Return the names of authors in threads by id; none if unreadable."""
    names: dict[str, str] = {}
    for kind, target in package.relations(workbook).values():
        if kind == "person" and target in package:
            try:
                people = package.xml(target)
            except ParseFailed:
                # The comments themselves are read without names.
                continue
            for person in people.iter(f"{_THREADS}person"):
                names[person.get("id", "")] = person.get("displayName", "")
    return names


def _plain(root: Any, notes: dict[str, list[str | None]]) -> None:
    authors = [author.text or "" for author in root.iterfind(f"{MAIN}authors/{MAIN}author")]
    for comment in root.iterfind(f"{MAIN}commentList/{MAIN}comment"):
        number = comment.get("authorId", "")
        known = number.isdecimal() and len(number) < 7 and int(number) < len(authors)
        text = "".join(t.text or "" for t in comment.iterfind(f"{MAIN}text//{MAIN}t"))
        author = authors[int(number)] if known else None
        notes.setdefault(comment.get("ref", ""), []).append(note_text(author, text))


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


# Objects over the cells of an XLSX sheet: text boxes, shapes, charts, diagrams, pictures.

_ANCHORS = tuple(f"{XDR}{name}Anchor" for name in ("twoCell", "oneCell", "absolute"))
_SHOWN = tuple(f"{XDR}{name}" for name in ("sp", "graphicFrame", "pic", "cxnSp"))


def read_drawings(
    package: Package, sheet: str, cells: CellTexts, missing: list[str], /
) -> tuple[Drawn, ...]:
    """Return the objects over the cells of a sheet; *cells* returns texts of references."""
    drawings: list[Drawn] = []
    for kind, target in package.relations(sheet).values():
        if kind != "drawing":
            continue
        try:
            root = package.xml(target)
            _choose_branches(root)
            graphics = graphics_of(package, target, root, missing)
            _fill_names([g for g in graphics.values() if g is not None], cells)
        except ParseFailed as error:
            missing.append(f"Drawings over the cells cannot be read: {error.message}")
            continue
        for anchor in root.iter(*_ANCHORS):
            row, column = _corner(anchor, "from") or (1, 1)
            last = _corner(anchor, "to") or (row, column)
            drawings += drawn_over(row, column, max(column, last[1]), _blocks(anchor, graphics))
    return tuple(sorted(drawings, key=lambda drawn: (drawn.row, drawn.column)))


def _fill_names(charts: list[Any], cells: CellTexts) -> None:
    """Add the names of titles and series that a chart specifies by reference only."""
    waiting = [
        (reference, formula.strip())
        for chart in charts
        for reference in chart.iter(f"{C}strRef")
        if reference.getparent().tag == f"{C}tx" and next(reference.iter(f"{C}v"), None) is None
        for formula in [reference.findtext(f"{C}f") or ""]
    ]
    texts = cells({formula for _, formula in waiting}) if waiting else {}
    for reference, formula in waiting:
        if formula in texts:
            value = reference.makeelement(f"{C}v")
            value.text = texts[formula]
            reference.append(value)


def _choose_branches(root: Any) -> None:
    """Keep one branch of each ``mc:AlternateContent``: all have the same content."""
    for alternate in list(root.iter(f"{MC}AlternateContent")):
        chosen = branch(alternate)
        for other in list(alternate):
            if other is not chosen:
                alternate.remove(other)


def _blocks(anchor: Any, graphics: Mapping[str, Any]) -> Iterator[Block]:
    for element in anchor.iter(*_SHOWN):
        if element.tag == f"{XDR}graphicFrame":
            yield from frame_blocks(
                element, lambda key, _: graphics.get(key or ""), charts=chart_names
            )
        elif (body := element.find(f"{XDR}txBody")) is not None:
            yield from body_blocks(body, ListStyle())
        what = "Picture" if element.tag == f"{XDR}pic" else "Alternative text"
        for facts in islice(element.iter(f"{XDR}cNvPr"), 1):
            picture = picture_block(*map(facts.get, ("descr", "name", "title")), what=what)
            yield from () if picture is None else (picture,)


def _corner(anchor: Any, name: str) -> tuple[int, int] | None:
    """Return row and column (from 1) of the cell that contains a corner."""
    place = anchor.find(f"{XDR}{name}")
    if place is None:
        return None
    row, column = (integer(place.findtext(f"{XDR}{n}"), 0) or 0 for n in ("row", "col"))
    return min(max(row, 0) + 1, MAX_ROWS), min(max(column, 0) + 1, MAX_COLUMNS)
