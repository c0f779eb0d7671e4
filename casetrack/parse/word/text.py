"""Visible content of a Word paragraph: pieces of text, with breaks, notes and boxes as marks.

Deleted, moved and hidden text is separate; fields show their results, not their codes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from casetrack.parse.labels import BULLET, symbol_font
from casetrack.parse.unseen import WHITE, Look, hex_color
from casetrack.parse.word.parts import Styles, W, shade

# Characters of symbol fonts that Word stores by their code in the font, not in Unicode.

_PRIVATE = 0xF000
_PRIVATE_END = 0xF0FF
_FONTS = {name: symbol_font(name) for name in ("symbol", "wingdings")}


def symbol(font: str, code: str, /) -> str:
    """Return the character at a hexadecimal *code* of a *font*; a bullet if its look is unknown."""
    try:
        value = int(code, 16)
    except ValueError:
        return ""
    if not _PRIVATE <= value <= _PRIVATE_END:
        return chr(value) if 0x20 <= value <= 0xFFFF else ""
    return _FONTS.get(font.strip().lower(), {}).get(value - _PRIVATE, BULLET)


# Equations of Word documents on one line: ``x=(a+b)/2``, ``e^(2x)``, ``a_i``.

M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
"""Namespace of Office Math, as lxml writes it before names."""

_MAX_DEPTH = 60


def equation_text(element: Any, /) -> str:
    """Return an equation's text; deeply nested parts lose their structure."""
    return _text(element, 0)


def _text(element: Any, depth: int) -> str:
    name = _name(element)
    if name == "t":
        return element.text or ""
    if depth > _MAX_DEPTH:
        return " ".join(t.text or "" for t in element.iter(f"{M}t"))
    write = _WRITERS.get(name)
    if write is not None:
        return write({_name(c): _text(c, depth + 1) for c in element}, element)
    if name == "d":
        return _brackets(element, depth)
    if name in {"m", "eqArr"}:
        return f"[{'; '.join(_text(c, depth + 1) for c in element if _name(c) in {'mr', 'e'})}]"
    separator = ", " if name == "mr" else " " if name == "oMathPara" else ""
    return separator.join(text for c in element if (text := _text(c, depth + 1)))


def _name(element: Any) -> str:
    tag = element.tag
    return tag[len(M) :] if isinstance(tag, str) and tag.startswith(M) else ""


def _group(text: str | None) -> str:
    """Put brackets around more than one sign, number or word."""
    text = (text or "").strip()
    return text if len(text) <= 1 or text.isalnum() else f"({text})"


def _property(element: Any, holder: str, name: str, default: str) -> str:
    property_element = element.find(f"{M}{holder}/{M}{name}")
    return default if property_element is None else str(property_element.get(f"{M}val", ""))


def _scripts(parts: dict[str, str], base: str) -> str:
    low, high = parts.get("sub", "").strip(), parts.get("sup", "").strip()
    return base + (f"_{_group(low)}" if low else "") + (f"^{_group(high)}" if high else "")


def _fraction(parts: dict[str, str], _: Any) -> str:
    return f"{_group(parts.get('num'))}/{_group(parts.get('den'))}"


def _scripted(parts: dict[str, str], _: Any) -> str:
    return _scripts(parts, _group(parts.get("e")))


def _root(parts: dict[str, str], _: Any) -> str:
    degree = parts.get("deg", "").strip()
    return f"{f'{_group(degree)}-' if degree else ''}√{_group(parts.get('e'))}"


def _big(parts: dict[str, str], element: Any) -> str:
    sign = _property(element, "naryPr", "chr", "∫")
    return f"{_scripts(parts, sign)} {parts.get('e', '')}"


def _brackets(element: Any, depth: int) -> str:
    first, last = (_property(element, "dPr", n, d) for n, d in (("begChr", "("), ("endChr", ")")))
    between = _property(element, "dPr", "sepChr", "|")
    return f"{first}{between.join(_text(c, depth + 1) for c in element if _name(c) == 'e')}{last}"


def _function(parts: dict[str, str], _: Any) -> str:
    return f"{parts.get('fName', '')} {_group(parts.get('e'))}".strip()


def _limit(parts: dict[str, str], element: Any) -> str:
    sign = "_" if _name(element) == "limLow" else "^"
    return f"{parts.get('e', '')}{sign}{_group(parts.get('lim'))}"


_WRITERS: dict[str, Callable[[dict[str, str], Any], str]] = {
    "f": _fraction,
    "sSub": _scripted,
    "sSup": _scripted,
    "sSubSup": _scripted,
    "sPre": _scripted,
    "rad": _root,
    "nary": _big,
    "func": _function,
    "limLow": _limit,
    "limUpp": _limit,
}


PLACED = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
VML = "{urn:schemas-microsoft-com:vml}"
_RELATION_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_LETTERS = {f"{W}delText", f"{W}t"}
_PAGE_FIELD = "PAGE"
_LINK = re.compile(r'\s*HYPERLINK\s+"((?:https?|ftp|mailto|file):[^"]+)"', re.IGNORECASE)
_SHOWN = Look()


class Mark(Enum):
    """Elements other than text in a paragraph."""

    LINE = "line break"
    PAGE = "page break put there by the author"
    RENDERED_PAGE = "page break where Word last put one"


@dataclass(frozen=True, slots=True)
class Note:
    """A reference to a footnote or an endnote; *has_sign* means that the author's sign follows."""

    kind: str
    identity: str
    has_sign: bool = False


@dataclass(frozen=True, slots=True)
class Comment:
    """The position of a reviewer's comment."""

    identity: str


@dataclass(frozen=True, slots=True)
class PageNumber:
    """A field that shows the page number; *shown* is its last saved value."""

    shown: str


@dataclass(frozen=True, slots=True)
class TextBox:
    """A text box anchored in a paragraph; *content* has paragraphs and tables."""

    content: Any


@dataclass(frozen=True, slots=True)
class Graphic:
    """A drawing anchored in a paragraph: a picture, a chart, a diagram."""

    element: Any


@dataclass(frozen=True, slots=True)
class Aside:
    """Text that follows its paragraph: a kind of hidden text, or the target of a link."""

    kind: str
    text: str
    by: str = ""


Item = str | Mark | Note | Comment | PageNumber | TextBox | Graphic | Aside


@dataclass(slots=True)
class _Field:
    """An open field: its code, and whether its result has begun."""

    code: str = ""
    has_begun: bool = False

    @property
    def name(self) -> str:
        return self.code.split(maxsplit=1)[0].upper() if self.code.strip() else ""


@dataclass(slots=True)
class FieldState:
    """Open fields, which may span paragraphs; results of *unstable* fields are omitted."""

    unstable: frozenset[str] = frozenset()
    left_out: set[str] = field(default_factory=set)
    open: list[_Field] = field(default_factory=list)

    @property
    def is_unstable(self) -> bool:
        """Whether the current text is an omitted field result; records the field's name."""
        names = self.unstable.intersection(f.name for f in self.open) if self.unstable else ()
        self.left_out.update(names)
        return bool(names)

    @property
    def is_code(self) -> bool:
        """Whether the current text is a field's code, not its result."""
        return not all(f.has_begun for f in self.open)

    @property
    def is_page_number(self) -> bool:
        """Whether the current text is a page number."""
        return bool(self.open) and self.open[-1].name == _PAGE_FIELD


# Transparent containers: their children belong to the paragraph.
_THROUGH = frozenset(
    W + name
    for name in "hyperlink ins moveTo smartTag customXml sdt sdtContent bdo dir rubyBase ruby"
    " subDoc".split()
)
_REMOVED = {f"{W}del": "deleted", f"{W}moveFrom": "moved"}
_PLAIN: dict[str, str | Mark] = {
    f"{W}tab": "\t",
    f"{W}ptab": "\t",
    f"{W}noBreakHyphen": "-",
    f"{W}cr": Mark.LINE,
    f"{W}lastRenderedPageBreak": Mark.RENDERED_PAGE,
}


def paragraph_items(paragraph: Any, fields: FieldState, styles: Styles, /) -> Iterator[Item]:
    """Yield the visible content of a ``w:p``, in order."""
    look = styles.paragraph_look(paragraph.find(f"{W}pPr"))
    yield from _items(paragraph, fields, styles, look)


def _items(parent: Any, fields: FieldState, styles: Styles, look: Look) -> Iterator[Item]:
    for child in parent:
        tag = child.tag
        if tag == f"{W}r":
            yield from _run_items(child, fields, styles, look)
        elif tag in _REMOVED:
            yield Aside(_REMOVED[tag], removed_text(child), child.get(f"{W}author", ""))
        elif tag in _THROUGH:
            yield from _items(child, fields, styles, look)
            if tag == f"{W}hyperlink":
                yield Aside("relation", child.get(_RELATION_ID, ""))
        elif tag == f"{W}fldSimple":
            fields.open.append(_Field(child.get(f"{W}instr", ""), has_begun=True))
            yield from _items(child, fields, styles, look)
            yield from _target(fields.open.pop())
        elif tag == f"{_MC}AlternateContent":
            chosen = _choice(child)
            if chosen is not None:
                yield from _items(chosen, fields, styles, look)
        elif isinstance(tag, str) and tag.startswith(M):
            yield equation_text(child)


def removed_text(element: Any, /) -> str:
    """Return the text of a deletion or of moved text."""
    texts = element.iter(f"{W}delText", f"{W}t", f"{W}tab", f"{W}br", f"{W}p")
    return "".join(t.text or "" if t.tag in _LETTERS else " " for t in texts)


def _choice(alternate: Any) -> Any:
    """Return the preferred branch; both have the same content, so only one is read."""
    chosen = alternate.find(f"{_MC}Choice")
    return alternate.find(f"{_MC}Fallback") if chosen is None else chosen


def _run_items(run: Any, fields: FieldState, styles: Styles, look: Look) -> Iterator[Item]:
    own = styles.run_look(run.find(f"{W}rPr"), look)
    kind = is_hidden = own.kind(_paper(run) if own.color else None)
    for child in run:
        tag = child.tag
        if tag == f"{W}fldChar":
            yield from _pass_field(child.get(f"{W}fldCharType"), fields)
            if not is_hidden:
                yield from _form_values(child.find(f"{W}ffData"))
        elif tag == f"{W}instrText" and fields.open:
            fields.open[-1].code += child.text or ""
        elif fields.is_code or is_hidden or fields.is_unstable:
            if tag == f"{W}lastRenderedPageBreak":
                yield Mark.RENDERED_PAGE
            elif is_hidden and tag == f"{W}t" and not fields.is_code and not fields.is_unstable:
                yield Aside(kind, child.text or "")
        else:
            yield from _shown(child, tag, fields, styles)


def _paper(run: Any) -> str | None:
    """Return the colour behind a run: of its cell, of its page; unknown in a text box."""
    holder = next(run.iterancestors(f"{W}tc", f"{W}txbxContent"), None)
    if holder is not None:
        return shade(holder.find(f"{W}tcPr"))
    page = run.getroottree().getroot().find(f"{W}background")
    return WHITE if page is None else hex_color(page.get(f"{W}color"))


def _shown(child: Any, tag: str, fields: FieldState, styles: Styles) -> Iterator[Item]:
    if tag == f"{W}t":
        text = child.text or ""
        yield PageNumber(text) if fields.is_page_number else text
    elif tag in _PLAIN:
        yield _PLAIN[tag]
    elif tag == f"{W}br":
        yield Mark.PAGE if child.get(f"{W}type") == "page" else Mark.LINE
    elif tag == f"{W}sym":
        yield symbol(child.get(f"{W}font", ""), child.get(f"{W}char", ""))
    elif tag in {f"{W}footnoteReference", f"{W}endnoteReference"}:
        kind = "footnote" if tag == f"{W}footnoteReference" else "endnote"
        has_sign = child.get(f"{W}customMarkFollows") in {"1", "true", "on"}
        yield Note(kind, child.get(f"{W}id", ""), has_sign)
    elif tag == f"{W}commentReference":
        yield Comment(child.get(f"{W}id", ""))
    elif tag == f"{_MC}AlternateContent":
        chosen = _choice(child)
        for inner in () if chosen is None else chosen:
            yield from _shown(inner, inner.tag, fields, styles)
    elif tag == f"{W}ruby":
        for base in child.iter(f"{W}rubyBase"):
            yield from _items(base, fields, styles, _SHOWN)
    elif tag in {f"{W}drawing", f"{W}pict", f"{W}object"}:
        yield from _drawn(child)


def _drawn(element: Any) -> Iterator[Item]:
    is_hidden = any(
        facts.get("hidden") in {"1", "true"} for facts in element.iter(f"{PLACED}docPr")
    )
    for content in element.iter(f"{W}txbxContent"):
        yield Aside("hidden", removed_text(content)) if is_hidden else TextBox(content)
    yield Graphic(element)
    for path in element.iter(f"{VML}textpath"):
        # Words drawn as a picture, such as a watermark.
        yield path.get("string", "")


def _form_values(data: Any) -> Iterator[str]:
    """Yield the value of a check box or a list of a form, which only the form data contain."""
    if data is None:
        return
    for box in data.iterfind(f"{W}checkBox"):
        own, default = box.find(f"{W}checked"), box.find(f"{W}default")
        state = default if own is None else own
        is_ticked = state is not None and state.get(f"{W}val", "1") in {"1", "true", "on"}
        yield "\u2612" if is_ticked else "\u2610"
    for choices in data.iterfind(f"{W}ddList"):
        texts = [entry.get(f"{W}val", "") for entry in choices.iterfind(f"{W}listEntry")]
        own, default = choices.find(f"{W}result"), choices.find(f"{W}default")
        chosen = default if own is None else own
        number = "0" if chosen is None else chosen.get(f"{W}val", "0")
        if number.isdecimal() and len(number) < 6 and int(number) < len(texts):
            yield texts[int(number)]


def _target(field: _Field) -> Iterator[Aside]:
    match = _LINK.match(field.code)
    if match:
        yield Aside("link", match[1])


def _pass_field(kind: str | None, fields: FieldState) -> Iterator[Aside]:
    if kind == "begin":
        fields.open.append(_Field())
    elif kind == "separate" and fields.open:
        fields.open[-1].has_begun = True
    elif kind == "end" and fields.open:
        yield from _target(fields.open.pop())
