"""Invisible content of files: earlier versions of a PDF, hidden text of a DOCX."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from casetrack.base.errors import ParseFailed
from casetrack.editions.legal.paper.pdf import opened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Earlier versions in a PDF: an incremental save appends and removes nothing.

_END = re.compile(rb"%%EOF[\r\n]{0,2}")
_MIN_LETTERS = 2


def words_of_earlier_versions(
    path: Path, document: Any, passwords: Sequence[str], /
) -> Iterator[tuple[int, str]]:
    """Yield page (1-based) and words of an earlier version that the page no longer has."""
    if document.version_count < 2:
        return
    data = path.read_bytes()
    ends = [match.end() for match in _END.finditer(data)]
    now = [_words(page) for page in document]
    seen: set[tuple[int, str]] = set()
    # A linearized file has another end mark near its beginning.
    for end in ends[:-1]:
        with tempfile.TemporaryDirectory() as folder:
            part = Path(folder) / "earlier.pdf"
            part.write_bytes(data[:end])
            for number, text in _missing(part, now, passwords):
                if (number, text) not in seen:
                    seen.add((number, text))
                    yield number, text


def _missing(
    part: Path, now: list[list[str]], passwords: Sequence[str]
) -> Iterator[tuple[int, str]]:
    from casetrack.base.errors import FileError

    try:
        with opened(part, passwords) as before:
            pages = [_words(page) for page in before]
    except FileError:
        return  # the bytes up to this mark are not a complete document
    # If pages were added or removed, page numbers do not match.
    everywhere = None if len(pages) == len(now) else Counter(word for page in now for word in page)
    for number, then in enumerate(pages, 1):
        left = Counter(now[number - 1]) if everywhere is None else everywhere
        run: list[str] = []
        for word in [*then, ""]:
            if word and left[word] == 0:
                run.append(word)
                continue
            left[word] -= 1
            if sum(map(str.isalnum, "".join(run))) >= _MIN_LETTERS:
                yield number, " ".join(run)
            run = []


def _words(page: Any) -> list[str]:
    return [word[4] for word in page.get_text("words")]


_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DARK = 96
_TEXT_PARTS = ("document", "header", "footer", "footnotes", "endnotes", "comments")
HiddenBy = Literal["shading", "hidden", "deleted"]


def hidden_runs(path: Path, /) -> Iterator[tuple[int, str, HiddenBy]]:
    """Yield the hidden text of a document: paragraph (1-based within its part), words, reason."""
    import docx

    try:
        parts = list(docx.Document(str(path)).part.package.iter_parts())
    except Exception as error:  # any error of the library for a damaged file
        raise ParseFailed(path, "DOCX", str(error) or type(error).__name__) from error
    for part in parts:
        name = part.partname.rsplit("/", 1)[-1]
        element = getattr(part, "element", None)
        if element is None or not name.startswith(_TEXT_PARTS):
            continue
        for number, paragraph in enumerate(element.iter(f"{_W}p"), 1):
            yield from _of_paragraph(number, paragraph)


def _of_paragraph(number: int, paragraph: Any) -> Iterator[tuple[int, str, HiddenBy]]:
    held = ""
    before: HiddenBy | None = None
    for run in paragraph.iter(f"{_W}r"):
        if next(run.iterancestors(f"{_W}p"), None) is not paragraph:
            continue
        why = _why(run)
        if why != before and held.strip() and before is not None:
            yield number, held.strip(), before
        if why != before:
            held = ""
        before = why
        held += "".join(t.text or "" for t in run if t.tag in {f"{_W}t", f"{_W}delText"})
    if held.strip() and before is not None:
        yield number, held.strip(), before


def _why(run: Any) -> HiddenBy | None:
    if next(run.iterancestors(f"{_W}del", f"{_W}moveFrom"), None) is not None:
        return "deleted"
    look = run.find(f"{_W}rPr")
    if look is None:
        return None
    hidden = look.find(f"{_W}vanish")
    if hidden is not None and hidden.get(f"{_W}val", "true") not in {"0", "false"}:
        return "hidden"
    colour = look.find(f"{_W}color")
    letters = _grey(colour.get(f"{_W}val") if colour is not None else "auto", default=0)
    highlight, shading = look.find(f"{_W}highlight"), look.find(f"{_W}shd")
    if highlight is not None and highlight.get(f"{_W}val") == "black":
        ground: float | None = 0.0
    elif shading is not None:
        ground = _grey(shading.get(f"{_W}fill"), default=255)
    else:
        ground = None
    # Letters of automatic colour become white on dark shading.
    if ground is None or ground > _DARK or (highlight is None and colour is None):
        return None
    return "shading" if abs(letters - ground) < _DARK / 2 else None


def _grey(colour: str | None, *, default: float) -> float:
    """Return the brightness of a colour ``RRGGBB``, 0 to 255."""
    try:
        red, green, blue = bytes.fromhex(colour or "")
    except ValueError:
        return default
    return 0.299 * red + 0.587 * green + 0.114 * blue
