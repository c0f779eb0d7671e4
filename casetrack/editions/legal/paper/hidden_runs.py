"""Text of a DOCX that its pages don't show: black on black, hidden, deleted and not accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from casetrack.base.errors import ParseFailed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DARK = 96
_TEXT_PARTS = ("document", "header", "footer", "footnotes", "endnotes", "comments")
HiddenBy = Literal["shading", "hidden", "deleted"]


def hidden_runs(path: Path, /) -> Iterator[tuple[int, str, HiddenBy]]:
    """Yield the hidden text of a document: paragraph (1-based within its part), words, why.

    Raises
    ------
    ParseFailed
        It is no DOCX that can be read.
    """
    import docx

    try:
        parts = list(docx.Document(str(path)).part.package.iter_parts())
    except Exception as error:  # whatever the library meets in a damaged file
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
    # Letters of automatic colour turn white on a dark ground that is a shading.
    if ground is None or ground > _DARK or (highlight is None and colour is None):
        return None
    return "shading" if abs(letters - ground) < _DARK / 2 else None


def _grey(colour: str | None, *, default: float) -> float:
    """Return how bright a colour ``RRGGBB`` is, 0 to 255."""
    try:
        red, green, blue = bytes.fromhex(colour or "")
    except ValueError:
        return default
    return 0.299 * red + 0.587 * green + 0.114 * blue
