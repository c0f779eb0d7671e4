"""Read additions to a PDF's pages: comments, marks with notes, form fields.

They follow the text of their page, each with its rectangle. Text that an annotation draws is page
text already and is not repeated. Dictionaries are read directly (ISO 32000-2, 12.5 and 12.7):
library objects cost a thousand times as much on pages with hundreds of fields.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from casetrack.base.provenance import Box
from casetrack.parse.labels import number_list
from casetrack.parse.links import misleading, shown_host
from casetrack.parse.pdf.marked import MarkedContent
from casetrack.parse.pdf.open import check_memory, failures, silenced, words_of
from casetrack.parse.pdf.readable import chars_of, lines_of
from casetrack.parse.pdf.values import (
    Alternatives,
    Field,
    entry_of,
    field_of,
    items_of,
    letters_of,
    name_of,
    number_of,
    object_number,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from casetrack.parse.base import ParagraphKind, PlacedWord, Reading
    from casetrack.parse.layout.segments import Segment

MAX_ANNOTATIONS = 20_000
"""Maximum number per page; more are omitted, with a notice."""
_MAX_MARKED = 500
_MOST_LINKS = 20
_AROUND_ADDRESS = ".,;:()<>[]\"'"
_TO_FILES = frozenset({"Launch", "GoToR"})
_HIDDEN, _NO_VIEW = 2, 32
_MARKS = {
    "Highlight": "Highlight{by} of {marked}",
    "Underline": "Underline{by} of {marked}",
    "Squiggly": "Underline{by} of {marked}",
    "StrikeOut": "Struck out{by}: {marked}",
}
_BARE = {"StrikeOut": "Struck out"}
_DRAWN = "Text FreeText Line Square Circle Polygon PolyLine Ink Stamp FileAttachment Redact"
_PLAYED = "Projection Sound Movie RichMedia 3D Screen"
_COMMENTS = {"Caret": "Insertion"} | dict.fromkeys(f"{_DRAWN} {_PLAYED}".split(), "Comment")
_STAMPS = {
    "AsIs": "As is",
    "NotApproved": "Not approved",
    "NotForPublicRelease": "Not for public release",
    "ForComment": "For comment",
    "ForPublicRelease": "For public release",
    "TopSecret": "Top secret",
} | {
    name: name
    for name in "Approved Experimental Expired Confidential Final Sold Draft Departmental".split()
}
_MEDIA = {"Sound": "a recording", "Movie": "a film", "RichMedia": "a film", "3D": "a 3D model"}


@dataclass(frozen=True, slots=True)
class Remark:
    """Text of an annotation: its lines, and its rectangle on the displayed page."""

    lines: tuple[str, ...]
    box: Box
    kind: ParagraphKind = "quote"
    is_hidden: bool = False


@dataclass(frozen=True, slots=True)
class _Annotation:
    entry: Any
    kind: str
    box: Box
    is_hidden: bool

    @property
    def number(self) -> int:
        return object_number(self.entry)

    def text(self, key: str) -> str:
        return text_of(entry_of(self.entry, key))


class _Link(NamedTuple):
    target: str
    box: Box
    is_hidden: bool


class Annotations:
    """Reads the annotations of one document's pages, and records omitted ones."""

    def __init__(self, document: Any, path: Path, /) -> None:
        self._document = document
        self._alternatives = Alternatives(document, path)
        self._marked = MarkedContent(document)
        self._linked: set[str] = set()
        self._unwritten: dict[int, int] = {}
        self._failed: dict[str, list[int]] = {}
        self._media: dict[str, list[int]] = {}
        self._cut: list[int] = []

    def on(
        self, index: int, drawn: Iterable[Segment], words: Iterable[PlacedWord] = (), /
    ) -> list[Remark]:
        """Return the texts on the page at *index* that are not *drawn*: pictures, notes, links."""
        try:
            page = _Page(self._document, index)
            annotations, links = page.annotations()
            tagged = page.alternatives(self._alternatives, self._marked)
            if not (annotations or links or tagged):
                return []
            drawn = list(drawn)
            shown = letters_of("".join(s.text for s in drawn)) if links or tagged else ""
            described = [
                Remark((line,), box, "body")
                for line, box in tagged
                if letters_of(line.partition(": ")[2]) not in shown
            ]
            remarks = self._remarks(page, annotations, drawn)
            return [*described, *remarks, *self._links(index, links, shown, words)]
        except failures() as error:
            check_memory(error)
            self._failed.setdefault(words_of(error), []).append(index + 1)
            return []

    def report(self, reading: Reading, /) -> None:
        """Report unread annotations and their pages."""
        for reason, numbers in self._failed.items():
            text = f"Comments and form fields on {_pages(numbers)} could not be read: {reason}."
            reading.missing.append(text)
        if self._cut:
            reading.missing.append(
                f"Only the first {MAX_ANNOTATIONS:,} comments and form fields were read on "
                f"{_pages(self._cut)}."
            )
        if self._unwritten:
            count, pages = sum(self._unwritten.values()), _pages(list(self._unwritten))
            reading.warnings.append(
                f"Further targets of links were not read: {count:,} on {pages}; {_MOST_LINKS} are "
                "read on each page."
            )
        if left_out := self._alternatives.left_out:
            reading.warnings.append(
                f"Alternative texts that are on no page were not read: {left_out:,}."
            )
        for what, numbers in self._media.items():
            reading.warnings.append(f"There is {what} on {_pages(numbers)}, which is not text.")
        if self._is_xfa_shell():
            reading.missing.append(
                "The file is an XFA form, whose fields are not part of its pages and were not "
                "read. Print it to a PDF with Adobe Reader and add that file."
            )

    def _links(
        self, index: int, links: list[_Link], shown: str, words: Iterable[PlacedWord]
    ) -> Iterator[Remark]:
        """Yield link targets that the page does not show, each once in the document."""
        addresses = [(w, text) for w in words if shown_host(text := w[4].strip(_AROUND_ADDRESS))]
        written = 0
        for target, box, is_hidden in sorted(links, key=lambda one: (one.box.y0, one.box.x0)):
            inside = (text for word, text in addresses if _is_on(word, box))
            warning = next(filter(None, (misleading(text, target) for text in inside)), None)
            is_known = letters_of(target.removeprefix("mailto:")) in shown or target in self._linked
            if is_known and not warning:
                continue
            self._linked.add(target)
            if written < _MOST_LINKS or warning:
                written += 1
                yield Remark((warning or f"Link: {target}",), box, is_hidden=is_hidden)
            else:
                self._unwritten[index + 1] = self._unwritten.get(index + 1, 0) + 1

    def _is_xfa_shell(self) -> bool:
        """Return whether the document is an XFA form, whose only page asks for the form program."""
        mupdf = silenced().mupdf
        try:
            pdf = silenced()._as_pdf_document(self._document)
            form = mupdf.pdf_dict_getp(mupdf.pdf_trailer(pdf), "Root/AcroForm")
            if not entry_of(form, "XFA").m_internal:
                return False
            if mupdf.pdf_array_len(entry_of(form, "Fields")) == 0:
                return True
            renders = mupdf.pdf_dict_getp(mupdf.pdf_trailer(pdf), "Root/NeedsRendering")
            return bool(mupdf.pdf_to_bool(renders))
        except failures() as error:
            check_memory(error)
            return False

    def _remarks(
        self, page: _Page, annotations: list[_Annotation], drawn: list[Segment]
    ) -> Iterator[Remark]:
        if len(annotations) > MAX_ANNOTATIONS:
            self._cut.append(page.index + 1)
            del annotations[MAX_ANNOTATIONS:]
        answers: dict[int, list[_Annotation]] = {}
        first: list[_Annotation] = []
        numbers = {one.number for one in annotations if one.number}
        for one in sorted(annotations, key=lambda a: (a.box.y0, a.box.x0)):
            answered = entry_of(one.entry, "IRT")
            number = object_number(answered)
            is_answer = number in numbers and number != one.number
            (answers.setdefault(number, []) if is_answer else first).append(one)
        waiting = [(one, False) for one in reversed(first)]
        while waiting:
            one, is_answer = waiting.pop()
            below = answers.pop(one.number, []) if one.number else []
            waiting += [(answer, True) for answer in reversed(below)]
            yield from self._remark(page, one, drawn, is_answer=is_answer)
        # Replies that reply to each other in a ring have no first one.
        for one in (a for ring in list(answers.values()) for a in ring):
            yield from self._remark(page, one, drawn, is_answer=True)

    def _remark(
        self, page: _Page, one: _Annotation, drawn: list[Segment], *, is_answer: bool
    ) -> Iterator[Remark]:
        if one.kind in _MEDIA:
            self._media.setdefault(_MEDIA[one.kind], []).append(page.index + 1)
        if one.kind == "Widget":
            field = field_of(one.entry)
            if field is not None and not (field.is_drawable and _is_drawn(field.value, one, drawn)):
                lines = _field_lines(field, is_hidden=one.is_hidden)
                yield Remark(lines, one.box, "body", one.is_hidden)
            return
        if one.kind not in _MARKS and one.kind not in _COMMENTS:
            return
        note = one.text("Contents") or _rich_text(one.text("RC"))
        if one.kind in {"FreeText", "Stamp"} and _is_drawn(note, one, drawn):
            note = ""
        if one.kind == "FileAttachment" and note in _file_names(one.entry):
            note = ""
        name = name_of(entry_of(one.entry, "Name"))
        if not note and one.kind == "Stamp" and name in _STAMPS:
            if not _is_drawn(_STAMPS[name], one, drawn):
                yield Remark((f"Stamp: {_STAMPS[name]}",), one.box)
            return
        if not note and one.kind not in _BARE:
            return
        author = " ".join(one.text("T").split())
        opening = _opening(page, one, f" by {author}" if author else "", is_answer=is_answer)
        first, *rest = [line.strip() for line in note.splitlines() if line.strip()] or [""]
        if first or opening not in _BARE.values():
            note_lines = (f"{opening}: {first}" if first else opening, *rest)
            yield Remark(note_lines, one.box, is_hidden=one.is_hidden)


def _opening(page: _Page, one: _Annotation, by: str, *, is_answer: bool) -> str:
    """Return the introduction of a note: its type, author and marked words."""
    if is_answer and one.kind in _COMMENTS and one.kind != "Caret":
        what = f"Reply{by}"
    elif one.kind in _MARKS:
        words = page.words_marked(one.entry)
        if words:
            marked = words if len(words) <= _MAX_MARKED else f"{words[:_MAX_MARKED]} \u2026"
            what = _MARKS[one.kind].format(by=by, marked=f'"{marked}"')
        else:
            what = f"{_BARE[one.kind]}{by}" if one.kind in _BARE else f"{one.kind}{by}"
    else:
        what = f"{_COMMENTS[one.kind]}{by}"
    return f"Hidden {what[0].lower()}{what[1:]}" if one.is_hidden else what


def _field_lines(field: Field, *, is_hidden: bool) -> tuple[str, ...]:
    lines = [line.strip() for line in field.value.splitlines() if line.strip()]
    what = "Hidden form field" if is_hidden else "Form field"
    return (f"{what} {field.label}: {lines[0]}", *lines[1:])


def _file_names(entry: Any) -> set[str]:
    holder = entry_of(entry, "FS")
    return {text_of(holder), *(text_of(entry_of(holder, key)) for key in ("F", "UF"))}


def _is_drawn(text: str, one: _Annotation, drawn: list[Segment]) -> bool:
    """Return whether all words of *text* are drawn at the annotation."""
    words = [w for w in map(letters_of, text.split()) if w]
    if one.is_hidden or not words:
        return not words
    inside = letters_of("".join(s.text for s in drawn if _touch(s.box, one.box)))
    return all(word in inside for word in words)


def _touch(one: Box, other: Box) -> bool:
    return one.x0 < other.x1 and other.x0 < one.x1 and one.y0 < other.y1 and other.y0 < one.y1


class _Page:
    """A page's annotations and the letters under its marks, in points of the displayed page."""

    def __init__(self, document: Any, index: int) -> None:
        self.index = index
        self._document = document
        mupdf = silenced().mupdf
        self._entry = mupdf.pdf_lookup_page_obj(silenced()._as_pdf_document(document), index)
        self._place: tuple[Any, Any] | None = None
        self._letters: list[tuple[str, float, float]] | None = None

    def annotations(self) -> tuple[list[_Annotation], list[_Link]]:
        """Return the annotations and links of the page, one more than the limit at most."""
        annotations: list[_Annotation] = []
        links: list[_Link] = []
        for entry in items_of(entry_of(self._entry, "Annots"), MAX_ANNOTATIONS + 1):
            kind = name_of(entry_of(entry, "Subtype"))
            if kind in {"", "Popup"}:
                continue
            is_hidden = bool(number_of(entry_of(entry, "F")) & (_HIDDEN | _NO_VIEW))
            if kind != "Link":
                annotations.append(_Annotation(entry, kind, self.box(entry), is_hidden))
            elif target := _target(entry):
                links.append(_Link(target, self.box(entry), is_hidden))
        return annotations, links

    def alternatives(self, tree: Alternatives, content: MarkedContent) -> list[tuple[str, Box]]:
        """Return the lines of alternative texts: of the tree, then of the content only."""
        tagged = tree.texts.pop(self.index, [])
        known = {line.partition(": ")[2] for _, line in tagged}
        return [(line, self.box(_with_box(element), "BBox")) for element, line in tagged] + [
            (line, self._within(box or (0, 0, 0, 0)))
            for line, box in content.on(self.index, self._entry).items()
            if line.partition(": ")[2] not in known
        ]

    def _sides(self) -> tuple[Any, Any]:
        """Return the size of the displayed page, and the transformation from the file's points."""
        mupdf = silenced().mupdf
        if self._place is None:
            media, way = mupdf.FzRect(), mupdf.FzMatrix()
            mupdf.pdf_page_obj_transform(self._entry, media, way)
            self._place = mupdf.fz_transform_rect(media, way), way
        return self._place

    def box(self, entry: Any, key: str = "Rect", /) -> Box:
        """Return the position of an annotation on the page; the whole page if it has none."""
        mupdf = silenced().mupdf
        _, way = self._sides()
        rect = mupdf.fz_transform_rect(
            mupdf.pdf_dict_get_rect(entry, silenced().PDF_NAME(key)), way
        )
        return self._within((rect.x0, rect.y0, rect.x1, rect.y1))

    def _within(self, rectangle: tuple[float, float, float, float]) -> Box:
        """Return the part of a rectangle on the page; the whole page if there is none."""
        whole, _ = self._sides()
        left, top, right, bottom = rectangle
        wide, high = whole.x1 - whole.x0, whole.y1 - whole.y0
        x0, x1 = max(left - whole.x0, 0.0), min(right - whole.x0, wide)
        y0, y1 = max(top - whole.y0, 0.0), min(bottom - whole.y0, high)
        if x0 < x1 and y0 < y1:
            return Box(x0, y0, x1, y1)
        return Box(0.0, 0.0, wide, high)

    def words_marked(self, entry: Any) -> str:
        """Return the letters whose middle is in one of a mark's quadrilaterals."""
        mupdf = silenced().mupdf
        points = entry_of(entry, "QuadPoints")
        _, way = self._sides()
        marked = []
        for at in range(0, min(mupdf.pdf_array_len(points), 8 * MAX_ANNOTATIONS) - 7, 8):
            corners = [
                mupdf.fz_transform_point(
                    mupdf.FzPoint(
                        mupdf.pdf_to_real(mupdf.pdf_array_get(points, at + i)),
                        mupdf.pdf_to_real(mupdf.pdf_array_get(points, at + i + 1)),
                    ),
                    way,
                )
                for i in range(0, 8, 2)
            ]
            x0, x1 = min(p.x for p in corners), max(p.x for p in corners)
            y0, y1 = min(p.y for p in corners), max(p.y for p in corners)
            held = [c for c, x, y in self._drawn_letters() if x0 <= x <= x1 and y0 <= y <= y1]
            marked.append("".join(held))
        return " ".join(" ".join(marked).split())

    def _drawn_letters(self) -> list[tuple[str, float, float]]:
        if self._letters is None:
            page = self._document[self.index]
            a, b, c, d, e, f = tuple(page.rotation_matrix)
            self._letters = []
            for line in lines_of(page.get_text("rawdict", flags=2)):
                for char in chars_of(line):
                    x0, y0, x1, y1 = char["bbox"]
                    x, y = (x0 + x1) / 2, (y0 + y1) / 2
                    place = x * a + y * c + e, x * b + y * d + f
                    self._letters.append((char["c"], *place))
        return self._letters


def _target(link: Any) -> str:
    """Return the address or file of a link; empty for a position in the document."""
    action = entry_of(link, "A")
    kind = name_of(entry_of(action, "S"))
    if kind == "URI":
        return " ".join(text_of(entry_of(action, "URI")).split())
    file = entry_of(action, "F") if kind in _TO_FILES else None
    texts = () if file is None else (file, entry_of(file, "UF"), entry_of(file, "F"))
    return " ".join(next(filter(None, map(text_of, texts)), "").split())


def _with_box(element: Any) -> Any:
    """Return the attributes of a structure element that contain its rectangle."""
    attributes = items_of(entry_of(element, "A"))
    return next((a for a in attributes if entry_of(a, "BBox").m_internal), element)


def _is_on(word: PlacedWord, box: Box) -> bool:
    x, y = (word[0] + word[2]) / 2, (word[1] + word[3]) / 2
    return box.x0 <= x <= box.x1 and box.y0 <= y <= box.y1


def _rich_text(source: str, /) -> str:
    """Return the lines of a note that the file stores only as XHTML."""
    if not source.strip():
        return ""
    from casetrack.parse.web.reader import html_blocks

    return "\n".join(line for block in html_blocks(source).blocks for line in block.lines)


def _pages(numbers: list[int]) -> str:
    once = sorted(set(numbers))
    return f"{'pages' if len(once) > 1 else 'page'} {number_list(once)}"
