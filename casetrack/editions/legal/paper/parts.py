"""Text of a PDF outside its pages: properties, bookmarks, notes, fields, links, attached files."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from casetrack.editions.legal.discovery.fields import DEFAULTS
from casetrack.editions.legal.paper.pdf import silenced

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from casetrack.editions.legal.records.load_files import Cover

_STRING = r"\((?:[^()\\]|\\.)*\)|<[0-9A-Fa-f\s]*>"
_ENTRY = re.compile(
    r"/(Title|Author|Subject|Keywords|Contents|RC|T|V|DV|URI|JS|ActualText|Alt|E|F|UF|Desc)"
    rf"\s*({_STRING}|\d+ 0 R)"
)
_STREAM_TEXT = re.compile(_STRING.encode(), re.DOTALL)
_ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_BINARY = frozenset({"/Image", "/Type1C", "/CIDFontType0C", "/OpenType"})
_KINDS: dict[str, Cover] = {
    **dict.fromkeys(("Author", "Subject", "Keywords", "XMP"), "properties"),
    **dict.fromkeys(("V", "DV", "XFA"), "field"),
    **dict.fromkeys(("ActualText", "Alt", "E"), "replacement text"),
    **dict.fromkeys(("F", "UF", "Desc"), "attached file"),
    "URI": "link",
    "JS": "script",
}
_HIDDEN = 2 | 32
"""Flags of a note or field that no viewer shows: Hidden, NoView."""
_SHOWS = re.compile(rb"\bT[jJ]\b|['\"]\s")
_XMP = re.compile(
    r"<((?:dc|pdfx|photoshop):(?!format|date|language)\w+|pdf:Keywords)\b[^>]*>(.*?)</\1>|"
    r"\b(?:dc|pdfx|photoshop|pdf):(?!format|Producer)\w+=\"([^\"]*)\"",
    re.DOTALL,
)
_NO_LETTER = re.compile(r"[\W_]")
_WORD = re.compile(r"\w{3,}")
_ADDRESS = re.compile(r"https?://[^/?#]*|[?#].*", re.IGNORECASE)
_NAME = re.compile(r"[A-Z]\w+[\s_+-]+[A-Z]\w+|@")
"""A name or mail address in the path of a link; other paths are not reported."""


def text_of_parts(document: Any, seen: Collection[str], /) -> Iterator[tuple[Cover, str, bool]]:
    """Yield kind, text and invisibility of the parts of a document with words not in *seen*.

    Parts that a viewer shows on request (properties, bookmarks, notes) are not invisible; hidden
    fields and unused objects are. *seen* has the visible words of the pages in lower case.
    """
    texts: dict[tuple[Cover, bool], dict[str, None]] = {}
    replaced = list(_replaced(document))
    # PDFium's text of a page has replacement texts too.
    visible = set(seen).difference(word.lower() for word in replaced)
    given: list[tuple[Cover, str, bool]] = [("replacement text", " ".join(replaced), False)]
    for kind, text, is_hidden in (*given, *_texts(document)):
        if kind == "link" and not _NAME.search(_ADDRESS.sub("", text)):
            continue
        if kind == "properties" and (text.startswith("D:") or text in DEFAULTS):
            continue  # a date, or a program's default
        if {word.lower() for word in _WORD.findall(text)} - visible:
            texts.setdefault((kind, is_hidden), {})[" ".join(text.split())] = None
    for (kind, is_hidden), held in texts.items():
        yield kind, "; ".join(held), is_hidden


def _replaced(document: Any) -> Iterator[str]:
    """Yield the words of replacement texts (ActualText) that the letters of their page are not."""
    for page in document:
        letters = page.get_text(flags=silenced().TEXT_IGNORE_ACTUALTEXT)
        drawn = _NO_LETTER.sub("", letters)
        for word in _WORD.findall(page.get_text(flags=0)):
            if _NO_LETTER.sub("", word) not in drawn:
                yield word


def _texts(document: Any) -> Iterator[tuple[Cover, str, bool]]:
    used = _used(document)
    for xref in range(1, document.xref_length()):
        source = source_of(document, xref)
        if source == "null":
            continue
        yield from _entries(document, source)
        if "/Thumb" in source:
            yield "properties", "a preview of a page", False
        if not document.xref_is_stream(xref) or is_binary(document, xref):
            continue
        if "/EmbeddedFile" in source:
            yield "attached file", _file_text(document.xref_stream(xref) or b""), False
        elif "/Metadata" in source:
            text = (document.xref_stream(xref) or b"").decode("utf-8", "replace")
            for _, inner, attribute in _XMP.findall(text):
                yield (
                    "properties",
                    html.unescape(re.sub(r"<[^>]*>", " ", inner or attribute)),
                    False,
                )
        elif xref not in used and not re.search(r"/(?:ObjStm|XRef)\b", source):
            data = document.xref_stream(xref) or b""
            if _SHOWS.search(data):
                held = (_decoded(unpacked(match[0])) for match in _STREAM_TEXT.finditer(data))
                yield "unused object", "".join(held), False


def _entries(document: Any, source: str) -> Iterator[tuple[Cover, str, bool]]:
    flags = re.search(r"/F (\d+)\b(?! \d+ R)", source)
    is_hidden = bool(flags and int(flags[1]) & _HIDDEN)
    for key, found in _ENTRY.findall(source):
        value = found
        if key in {"F", "UF", "Desc"} and "/EF" not in source:
            continue
        if key in {"T", "E"} and ("/FT" in source or "/Subtype" not in source):
            continue  # the name of a field; another dictionary
        if value.endswith(" R"):
            number = int(value.split()[0])
            if key == "Contents" and document.xref_is_stream(number):
                continue  # the drawing of a page
            value = source_of(document, number)
            if document.xref_is_stream(number):
                stored = document.xref_stream(number) or b""
                value = f"({stored.decode('utf-8', 'replace')})"
        if not value.startswith(("(", "<")) or value.startswith("<<"):
            continue  # no text
        text = _decoded(unpacked(value.encode("utf-8", "replace")))
        kind = _KINDS.get(key)
        if key == "Title":
            kind = "bookmark" if "/Parent" in source else "properties"
        yield kind or "annotation", unquote(text) if key == "URI" else text, is_hidden


def _file_text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return f"a file of {len(data)} bytes that was not read"


def _decoded(data: bytes) -> str:
    """Decode a text string: UTF-16 or UTF-8 with its mark, else as Latin-1."""
    for mark, encoding in (
        (b"\xfe\xff", "utf-16"),
        (b"\xff\xfe", "utf-16"),
        (b"\xef\xbb\xbf", "utf-8-sig"),
    ):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    return data.decode("utf-8" if data.isascii() else "latin-1", "replace")


def _used(document: Any) -> set[int]:
    """Return the numbers of the objects that are reached from the trailer."""
    used: set[int] = set()
    left = [document.xref_object(-1, compressed=True)]
    while left:
        for match in re.finditer(r"(\d+) \d+ R\b", left.pop()):
            number = int(match[1])
            if number not in used and number < document.xref_length():
                used.add(number)
                left.append(source_of(document, number))
    return used


def source_of(document: Any, xref: int, /) -> str:
    """Return the source of an object without its stream; "null" for a number without an object."""
    try:
        return str(document.xref_object(xref, compressed=True))
    except RuntimeError:  # MuPDF: "cannot find object in xref"
        return "null"


def bytes_of(document: Any, xref: int, /) -> Iterator[bytes]:
    """Yield the source, decoded strings and decoded stream of an object."""
    source = source_of(document, xref).encode("utf-8", "replace")
    yield source
    held = [source]
    if document.xref_is_stream(xref) and not is_binary(document, xref):
        stream = document.xref_stream(xref) or b""
        yield stream
        held.append(stream)
    for data in held:
        for string in _STREAM_TEXT.finditer(data):
            yield unpacked(string[0])


def is_binary(document: Any, xref: int, /) -> bool:
    """Return whether a stream is a picture or a font, whose bytes may match words by chance."""
    if document.xref_get_key(xref, "Subtype")[1] in _BINARY:
        return True
    return any(document.xref_get_key(xref, name)[0] != "null" for name in ("Length1", "Length3"))


def unpacked(string: bytes, /) -> bytes:
    """Return the bytes of a string in the syntax of PDF."""
    if string.startswith(b"<"):
        digits = re.sub(rb"\s", b"", string[1:-1])
        return bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode("ascii"))

    def plain(match: re.Match[bytes]) -> bytes:
        code = match[1]
        if code.isdigit():
            return bytes([int(code, 8) & 0xFF])
        return _ESCAPES.get(code, code)

    return re.sub(rb"\\([0-7]{1,3}|.)", plain, string[1:-1], flags=re.DOTALL)
