"""Text bodies of shapes: paragraphs with their line breaks, bullets and numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from casetrack.parse.labels import BULLET, number_text
from casetrack.parse.page_builder import hidden_mark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from casetrack.parse.base import ParagraphKind

# Names that drawings share in slides, documents and workbooks, and how their attributes read.

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
A, R = f"{{{_DRAWING}/main}}", f"{{{_OFFICE}/relationships}}"
C, DGM = f"{{{_DRAWING}/chart}}", f"{{{_DRAWING}/diagram}}"
CX = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
M = f"{{{_OFFICE}/math}}"
XDR = f"{{{_DRAWING}/spreadsheetDrawing}}"


def integer(text: str | None, /, default: int | None = None) -> int | None:
    """Return the whole number of an attribute, or *default*."""
    if text is None or not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        return default
    return int(text)


def is_true(text: str | None, /) -> bool:
    """Return whether an attribute is a switch that is on."""
    return text in {"1", "true", "on"}


def branch(alternate: Any, /) -> Any:
    """Return the branch of an ``mc:AlternateContent`` to read; all have the same content."""
    branches = [b for b in alternate if b.tag in {f"{MC}Choice", f"{MC}Fallback"} and len(b)]
    return branches[0] if branches else ()


_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_BREAKS = frozenset("\v\r\n\u2028\u2029")
_BULLETS = {f"{A}{name}" for name in ("buNone", "buChar", "buAutoNum", "buBlip")}
_SCHEME = re.compile(
    r"(arabic|alphaLc|alphaUc|romanLc|romanUc)(Period|ParenR|ParenBoth|Plain|Minus)"
)
_FORMS = {
    "arabic": "decimal",
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
}
_AROUND = {"Period": "{}.", "ParenR": "{})", "ParenBoth": "({})", "Plain": "{}", "Minus": "- {} -"}
_GENERATED = re.compile(
    r"\s*(Description automatically generated( with \w+ confidence)?|"
    r"AI-generated content may be incorrect\.?)\s*",
    re.IGNORECASE,
)
_NAMELESS = re.compile(r"(?:picture|image|graphic|grafik|bild|photo|object)?\s*\d*", re.IGNORECASE)
_FILE = re.compile(
    r"(?:[A-Za-z]:[\\/]|\\\\|/|file:|https?:).*|.*\.(?:bmp|emf|gif|jpe?g|png|svg|tiff?|webp|wmf)",
    re.IGNORECASE | re.DOTALL,
)
_DEEPEST = 8
_MAX_NESTED = 16


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph of a future page."""

    lines: tuple[str, ...]
    kind: ParagraphKind = "body"
    level: int | None = None

    @property
    def text(self) -> str:
        """Its text on one line."""
        return " ".join(" ".join(self.lines).split())


def paragraph_lines(paragraph: Any, /, unseen: Unseen | None = None) -> list[str]:
    """Return the lines of an ``a:p``, split at its breaks; *unseen* collects hidden runs."""
    lines = [""]
    for piece in _pieces(paragraph, 0, unseen):
        first, *others = piece.split("\n")
        lines[-1] += first
        lines += others
    return lines


@dataclass(slots=True)
class Unseen:
    """Collects the hidden runs of a text body; *kind* classifies an ``a:rPr``."""

    kind: Callable[[Any], str]
    _texts: list[tuple[str, str]] = field(default_factory=list)

    def takes(self, run: Any, /) -> bool:
        """Collect a run if it is hidden."""
        look = run.find(f"{A}rPr")
        kind = "" if look is None else self.kind(look)
        if kind:
            self._texts.append((kind, _unescaped(run.findtext(f"{A}t") or "")))
        return bool(kind)

    def blocks(self) -> Iterator[Block]:
        """Yield the hidden text collected since the last call."""
        for kind, group in groupby(self._texts, itemgetter(0)):
            words = " ".join("".join(text for _, text in group).split())
            if words:
                yield Block((hidden_mark(kind, words),), "quote")
        self._texts.clear()


def _pieces(element: Any, depth: int, unseen: Unseen | None) -> Iterator[str]:
    """Yield texts; a line break is a separate newline."""
    for child in element:
        tag = child.tag
        if unseen and tag == f"{A}r" and unseen.takes(child):
            continue
        if tag in {f"{A}r", f"{A}fld"}:
            yield _unescaped(child.findtext(f"{A}t") or "")
        elif tag == f"{A}br":
            yield "\n"
        elif tag == f"{MC}AlternateContent" and depth < _MAX_NESTED:
            yield from _pieces(branch(child), depth + 1, unseen)
        elif isinstance(tag, str) and tag.endswith("}m"):
            yield "".join(t.text or "" for t in child.iter(f"{M}t"))


def _unescaped(text: str) -> str:
    """Decode ``_x000B_``, an escape for characters that XML forbids; breaks become newlines."""

    def put(match: re.Match[str]) -> str:
        char = chr(int(match[1], 16))
        if char in _BREAKS:
            return "\n"
        return char if char == "\t" or char.isprintable() else ""

    text = text.replace("\n", " ")
    return _ESCAPE.sub(put, text) if "_x" in text else text


@dataclass(slots=True)
class ListStyle:
    """The bullets of a text body: *layers* of styles from the nearest to the most general."""

    layers: Sequence[Any] = ()
    _found: dict[int, Any] = field(default_factory=dict)

    def bullet(self, properties: Any, level: int, /) -> Any:
        """Return the bullet element of a paragraph, ``None`` if no bullet is shown."""
        own = _bullet_in(properties)
        if own is None:
            if level not in self._found:
                layers = (layer.find(f"{A}lvl{level + 1}pPr") for layer in self.layers)
                bullets = (_bullet_in(layer) for layer in layers)
                self._found[level] = next((b for b in bullets if b is not None), None)
            own = self._found[level]
        return None if own is None or own.tag == f"{A}buNone" else own


def _bullet_in(properties: Any) -> Any:
    for child in () if properties is None else properties:
        if child.tag in _BULLETS:
            return child
    return None


class _Numbers:
    """Counts the numbered paragraphs of one text body, level by level."""

    def __init__(self) -> None:
        self._counts: dict[int, tuple[str, int]] = {}

    def label(self, bullet: Any, level: int, /) -> str:
        for deeper in [d for d in self._counts if d > level]:
            del self._counts[deeper]
        if bullet is None or bullet.tag != f"{A}buAutoNum":
            self._counts.pop(level, None)
            return "" if bullet is None else BULLET
        scheme = bullet.get("type", "")
        before, count = self._counts.get(level, ("", 0))
        first = integer(bullet.get("startAt"), 1) or 1
        count = count + 1 if before == scheme else first
        self._counts[level] = (scheme, count)
        parts = _SCHEME.fullmatch(scheme)
        if parts is None:
            return f"{count}."
        return _AROUND[parts[2]].format(number_text(count, _FORMS[parts[1]]))


def body_blocks(body: Any, style: ListStyle, /, unseen: Unseen | None = None) -> Iterator[Block]:
    """Yield the paragraphs of a text body that have text, each followed by its hidden runs."""
    numbers = _Numbers()
    for paragraph in body.iterfind(f"{A}p"):
        lines = paragraph_lines(paragraph, unseen)
        if not any(line.strip() for line in lines):
            yield from unseen.blocks() if unseen else ()
            continue
        properties = paragraph.find(f"{A}pPr")
        level = integer(None if properties is None else properties.get("lvl"), 0) or 0
        level = min(max(level, 0), _DEEPEST)
        label = numbers.label(style.bullet(properties, level), level)
        if label:
            first = next(i for i, line in enumerate(lines) if line.strip())
            lines[first] = f"{label} {lines[first].lstrip()}"
        yield Block(tuple(lines), "list" if label else "body")
        yield from unseen.blocks() if unseen else ()


def plain_text(body: Any, /) -> str:
    """Return the text of a body on one line."""
    if body is None:
        return ""
    lines = [line for p in body.iter(f"{A}p") for line in paragraph_lines(p)]
    return " ".join(" ".join(lines).split())


def concealed(block: Block, kind: str, /) -> Block:
    """Mark a paragraph as hidden text unless parts of it are marked already."""
    lines = [line for line in block.lines if line.strip()]
    if not lines or any("\ufdd2" in line for line in lines):
        return block
    marked = (hidden_mark(kind, line, is_labelled=n > 0) for n, line in enumerate(lines))
    return replace(block, lines=tuple(marked))


def link_blocks(targets: Iterable[str], shown: Iterable[Block], /) -> Iterator[Block]:
    """Yield link targets that the paragraphs with the links do not show."""
    text = "\n".join(line for block in shown for line in block.lines)
    for target in dict.fromkeys(" ".join(target.split()) for target in targets):
        if ":" in target and target.removeprefix("mailto:") not in text:
            yield Block((f"Link: {target}",), "quote")


def picture_block(
    description: str | None, name: str | None, /, *others: str | None, what: str = "Picture"
) -> Block | None:
    """Return the author's description of a picture, ``None`` if it is only a (file) name."""
    texts = dict.fromkeys(
        " ".join(_GENERATED.sub(" ", d or "").split()) for d in (description, *others)
    )
    own = " ".join((name or "").split())
    words = [t for t in texts if t != own and not (_NAMELESS.fullmatch(t) or _FILE.fullmatch(t))]
    return Block((f"{what}: {'; '.join(words)}",)) if words else None
