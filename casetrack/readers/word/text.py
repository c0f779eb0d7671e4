"""What a Word paragraph shows: its text in pieces, with breaks, notes and text boxes as marks.

Deleted and hidden text, field codes and comments are not shown; inserted text is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from casetrack.readers.word.lists import BULLET
from casetrack.readers.word.styles import W, is_on

if TYPE_CHECKING:
    from collections.abc import Iterator

_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_SYMBOL_FONT_BASE = 0xF000


class Mark(Enum):
    """What may stand between the words of a paragraph."""

    LINE = "line break"
    PAGE = "page break put there by the author"
    RENDERED_PAGE = "page break where Word last put one"


@dataclass(frozen=True, slots=True)
class Note:
    """A reference to a footnote or an endnote."""

    kind: str
    identity: str


@dataclass(frozen=True, slots=True)
class TextBox:
    """A text box anchored in a paragraph; *content* holds paragraphs and tables."""

    content: Any


Item = str | Mark | Note | TextBox


@dataclass(slots=True)
class FieldState:
    """Open fields, which may span paragraphs: for each whether its result has begun."""

    open: list[bool] = field(default_factory=list)

    @property
    def is_code(self) -> bool:
        """Whether the text at this place is a field's code, not its result."""
        return not all(self.open)


# Containers whose children stand in the paragraph as if the container were not there.
_THROUGH = frozenset(
    f"{W}{name}"
    for name in (
        "hyperlink",
        "ins",
        "moveTo",
        "smartTag",
        "customXml",
        "fldSimple",
        "sdt",
        "sdtContent",
        "bdo",
        "dir",
        "rubyBase",
        "ruby",
        "subDoc",
    )
)
_PLAIN: dict[str, str | Mark] = {
    f"{W}tab": "\t",
    f"{W}ptab": "\t",
    f"{W}noBreakHyphen": "-",
    f"{W}cr": Mark.LINE,
    f"{W}lastRenderedPageBreak": Mark.RENDERED_PAGE,
}


def paragraph_items(paragraph: Any, fields: FieldState, /) -> Iterator[Item]:
    """Yield what a ``w:p`` shows, in order."""
    for child in paragraph:
        tag = child.tag
        if tag == f"{W}r":
            yield from _run_items(child, fields)
        elif tag in _THROUGH:
            yield from paragraph_items(child, fields)
        elif tag == f"{_MC}AlternateContent":
            chosen = _choice(child)
            if chosen is not None:
                yield from paragraph_items(chosen, fields)
        elif isinstance(tag, str) and tag.startswith("{http://schemas.openxmlformats.org/officeD"):
            yield "".join(t.text or "" for t in child.iter(_MATH_TEXT))


def _choice(alternate: Any) -> Any:
    """Return the preferred branch; both branches say the same, so only one is read."""
    chosen = alternate.find(f"{_MC}Choice")
    return alternate.find(f"{_MC}Fallback") if chosen is None else chosen


def _run_items(run: Any, fields: FieldState) -> Iterator[Item]:
    is_hidden = is_on(run.find(f"{W}rPr"), "vanish")
    for child in run:
        tag = child.tag
        if tag == f"{W}fldChar":
            _pass_field(child.get(f"{W}fldCharType"), fields)
        elif fields.is_code or is_hidden:
            if tag == f"{W}lastRenderedPageBreak":
                yield Mark.RENDERED_PAGE
        else:
            yield from _shown(child, tag, fields)


def _shown(child: Any, tag: str, fields: FieldState) -> Iterator[Item]:
    if tag == f"{W}t":
        yield child.text or ""
    elif tag in _PLAIN:
        yield _PLAIN[tag]
    elif tag == f"{W}br":
        yield Mark.PAGE if child.get(f"{W}type") == "page" else Mark.LINE
    elif tag == f"{W}sym":
        yield _symbol(child.get(f"{W}char", ""))
    elif tag in {f"{W}footnoteReference", f"{W}endnoteReference"}:
        if child.get(f"{W}customMarkFollows") not in {"1", "true", "on"}:
            kind = "footnote" if tag == f"{W}footnoteReference" else "endnote"
            yield Note(kind, child.get(f"{W}id", ""))
    elif tag == f"{_MC}AlternateContent":
        chosen = _choice(child)
        for inner in () if chosen is None else chosen:
            yield from _shown(inner, inner.tag, fields)
    elif tag == f"{W}ruby":
        for base in child.iter(f"{W}rubyBase"):
            yield from paragraph_items(base, fields)
    elif tag in {f"{W}drawing", f"{W}pict", f"{W}object"}:
        for content in child.iter(f"{W}txbxContent"):
            yield TextBox(content)


def _pass_field(kind: str | None, fields: FieldState) -> None:
    if kind == "begin":
        fields.open.append(False)
    elif kind == "separate" and fields.open:
        fields.open[-1] = True
    elif kind == "end" and fields.open:
        fields.open.pop()


def _symbol(code: str) -> str:
    """Return a character of a symbol font; in the private range its picture is not known."""
    try:
        value = int(code, 16)
    except ValueError:
        return ""
    if value < _SYMBOL_FONT_BASE:
        return chr(value)
    return BULLET
