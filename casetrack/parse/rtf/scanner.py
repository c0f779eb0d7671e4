"""Split RTF into groups, control words and decoded text.

Resolves fonts, code pages and Unicode with its fallback characters, so that the parser sees only
words and text. One pass, no recursion; groups deeper than :data:`MAX_DEPTH` are read as part of the
enclosing group.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from enum import Enum

from casetrack.base.words import WordLists
from casetrack.parse.labels import BULLET, symbol_font

# Code pages of RTF and MAPI: number or Windows font charset to a codec of the standard library.

SYMBOL = "symbol"
"""Pseudo codec of symbol fonts, which have no codec; see :func:`symbols`."""
DEFAULT = "cp1252"

_LISTS = WordLists(__file__)
_NAMED = {int(page): name for page, name in _LISTS.pairs("code_pages").items()}
_ISO_FIRST, _ISO_LAST = 28591, 28606
_CHARSETS = {int(charset): int(page) for charset, page in _LISTS.pairs("charsets").items()}
_PAGE_OF_LANGUAGE = {
    int(language, 16): int(page)
    for page, languages in _LISTS.groups("languages").items()
    for language in languages
}
_TRADITIONAL_CHINESE = (0x0404, 0x0C04, 0x1404)
_GREEK = symbol_font("symbol")


def codec(page: int, /) -> str | None:
    """Return the codec of a Windows code page, or ``None``."""
    if page in _NAMED:
        return _NAMED[page]
    is_iso = _ISO_FIRST <= page < _ISO_LAST
    name = f"iso8859_{page - _ISO_FIRST + 1}" if is_iso else f"cp{page}"
    try:
        return codecs.lookup(name).name
    except LookupError:
        return None


def charset_codec(charset: int, /) -> str | None:
    r"""Return the codec of a font charset (``\fcharset``), or ``None``."""
    page = _CHARSETS.get(charset)
    return None if page is None else codec(page)


def locale_codec(locale: int, /) -> str | None:
    """Return the codec of the Windows ANSI code page for a locale (LCID)."""
    if not 0 < locale <= 0xFFFFF:
        return None
    language = locale & 0x3FF
    if language == 0x04:
        return "cp950" if locale & 0xFFFF in _TRADITIONAL_CHINESE else "gbk"
    return codec(_PAGE_OF_LANGUAGE.get(language, 1252))


def symbols(data: bytes, /, *, is_greek: bool) -> str:
    """Decode bytes of text in a symbol font, *is_greek* for Symbol; other signs become bullets."""
    parts = []
    for byte in data:
        char = chr(byte)
        if char.isspace() or (byte < 0x40 and is_greek):
            parts.append(char)
        else:
            parts.append(_GREEK.get(byte, BULLET) if is_greek else BULLET)
    return "".join(parts)


MAX_DEPTH = 500

_TOKEN = re.compile(
    rb"\\(?:([A-Za-z]{1,40})(-?[0-9]{1,10})? ?|'([0-9A-Fa-f]{2})|(.))|([{}])|([^\\{}]+)", re.DOTALL
)
_WORD, _HEX, _SYMBOL, _BRACE = 1, 3, 4, 5
_DROPPED = b"\r\n\x00"
CHARACTERS = dict.fromkeys(("emspace", "enspace", "qmspace"), " ") | _LISTS.pairs("characters")
"""Characters of control words."""
_PAGES = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
_NOT_FOR_TEXT = (SYMBOL, "utf-16-le", "utf-16-be")
_SYMBOL_AREA = range(0xF000, 0xF100)


class Kind(Enum):
    """Type of an event."""

    OPEN = "{"
    CLOSE = "}"
    WORD = "control word"
    STAR = "\\*"
    TEXT = "text"


Event = tuple[Kind, str, int | None]
"""Kind, the word or text, the word's number."""

_OPEN: Event = (Kind.OPEN, "", None)
_CLOSE: Event = (Kind.CLOSE, "", None)
_STAR: Event = (Kind.STAR, "", None)
_PAR: Event = (Kind.WORD, "par", None)


class Scanner:
    """Reads RTF once.

    After the last event, *depth* counts unclosed groups, and *rest* are the bytes after the
    outermost group.
    """

    def __init__(self, data: bytes, /) -> None:
        self._data = data
        self.depth = self.rest = 0
        self._deeper = 0
        self._page = DEFAULT
        self._default_font: int | None = None
        self._fonts: dict[int, str] = {}
        self._greek: set[int] = set()
        self._declared: set[str] = set()
        # State of the current group, saved on the stack: font, fallback length, font being defined.
        self._font: int | None = None
        self._fallback = 1
        self._in_fonts = False
        self._stack: list[tuple[int | None, int, bool]] = []
        self._codec = DEFAULT
        self._skip = 0
        self._bytes = bytearray()
        self._units: list[int] = []
        self._parts: list[str] = []

    def events(self) -> Iterator[Event]:
        """Yield the events of the file, in order."""
        data, match, at = self._data, _TOKEN.match, 0
        while token := match(data, at):
            at = token.end()
            kind = token.lastindex or 0
            if kind > _BRACE:
                self._text(token[0].translate(None, _DROPPED))
            elif kind == _HEX:
                self._text(bytes((int(token[_HEX], 16),)))
            elif kind == _BRACE:
                self._skip = 0
                yield from self._flush()
                yield from self._brace(is_open=token[0] == b"{")
                if not self.depth:
                    self.rest = len(data) - at
                    return
            elif kind == _SYMBOL:
                yield from self._symbol(token[_SYMBOL])
            else:
                word = token[_WORD].decode("ascii")
                number = int(token[2]) if token[2] else None
                if word == "bin":
                    at += max(0, number or 0)
                else:
                    yield from self._word(word, number)
        yield from self._flush()

    # --- text ------------------------------------------------------------------------------

    def _text(self, data: bytes) -> None:
        if self._skip:
            count = min(self._skip, len(data))
            self._skip -= count
            data = data[count:]
        if data:
            if self._units:
                self._end_units()
            self._bytes += data

    def _character(self, text: str) -> None:
        """Add text that needs no decoding; skip fallback characters."""
        if self._skip:
            self._skip -= 1
            return
        self._end_runs()
        self._parts.append(text)

    def _unicode(self, number: int) -> None:
        self._skip = self._fallback
        unit = number & 0xFFFF if number < 0 else number
        if self._bytes:
            self._end_bytes()
        if unit > 0xFFFF:
            self._end_units()
            self._parts.append(chr(unit) if unit <= 0x10FFFF else "\ufffd")
        elif unit in _SYMBOL_AREA and self._codec == SYMBOL:
            self._end_units()
            self._parts.append(self._symbols(bytes((unit & 0xFF,))))
        else:
            self._units.append(unit)

    def _symbols(self, data: bytes) -> str:
        return symbols(data, is_greek=self._font in self._greek)

    def _end_bytes(self) -> None:
        data = bytes(self._bytes)
        self._bytes.clear()
        if self._codec == SYMBOL:
            self._parts.append(self._symbols(data))
        else:
            self._parts.append(data.decode(self._codec, "replace"))

    def _end_units(self) -> None:
        data = b"".join(unit.to_bytes(2, "little") for unit in self._units)
        self._units.clear()
        self._parts.append(data.decode("utf-16-le", "replace"))

    def _end_runs(self) -> None:
        if self._bytes:
            self._end_bytes()
        if self._units:
            self._end_units()

    def _flush(self) -> Iterator[Event]:
        self._end_runs()
        if self._parts:
            text = "".join(self._parts)
            self._parts.clear()
            if self._in_fonts:
                self._font_name(text)
            else:
                yield (Kind.TEXT, text, None)

    # --- groups and words ------------------------------------------------------------------

    def _brace(self, *, is_open: bool) -> Iterator[Event]:
        if is_open:
            if self.depth >= MAX_DEPTH:
                self._deeper += 1
                return
            self.depth += 1
            self._stack.append((self._font, self._fallback, self._in_fonts))
            yield _OPEN
        elif self._deeper:
            self._deeper -= 1
        elif self._stack:
            self.depth -= 1
            self._font, self._fallback, self._in_fonts = self._stack.pop()
            self._choose()
            yield _CLOSE

    def _symbol(self, symbol: bytes) -> Iterator[Event]:
        if symbol in b"\\{}":
            # The second byte of a double-byte character may be one of these.
            self._text(symbol)
        elif symbol == b"~":
            self._character("\u00a0")
        elif symbol == b"_":
            self._character("-")
        elif symbol in b"\r\n":
            yield from self._flush()
            yield _PAR
        elif symbol == b"*":
            yield from self._flush()
            yield _STAR
        elif symbol == b"\t":
            yield from self._flush()
            yield (Kind.WORD, "tab", None)
        elif self._skip:
            self._skip -= 1

    def _word(self, word: str, number: int | None) -> Iterator[Event]:
        if word == "u":
            self._unicode(number or 0)
            return
        if word in CHARACTERS:
            self._character(CHARACTERS[word])
            return
        # Formatting within a fallback ends it: the writer omitted the fallback.
        self._skip = 0
        if word == "uc":
            self._fallback = min(max(number or 0, 0), 64)
            return
        yield from self._flush()
        if not self._is_font_word(word, number):
            yield (Kind.WORD, word, number)

    def _is_font_word(self, word: str, number: int | None) -> bool:
        """Apply a word about fonts or code pages; return whether the parser can ignore it."""
        if word == "f":
            self._font = number
            self._choose()
        elif word == "plain":
            self._font = self._default_font
            self._choose()
            return False
        elif word == "fonttbl":
            self._in_fonts = True
            return False
        elif word == "fcharset" and self._in_fonts:
            self._define(charset_codec(number or 0))
        elif word == "cpg" and self._in_fonts:
            self._define(codec(number or 0))
        elif word == "deff":
            self._default_font = self._font = number
        elif word in _PAGES or word == "ansicpg":
            name = _PAGES.get(word) or codec(number or 0)
            if name and name not in _NOT_FOR_TEXT:
                self._page = name
                self._choose()
        else:
            return False
        return True

    def _define(self, name: str | None) -> None:
        if self._font is not None and name:
            self._fonts[self._font] = name
            self._declared.add(name)

    def _font_name(self, text: str) -> None:
        if self._font is not None and text.strip().lower().startswith("symbol"):
            self._greek.add(self._font)

    def _choose(self) -> None:
        """Choose the font's codec, or the document's: some programs give every font the default."""
        font = self._default_font if self._font is None else self._font
        chosen = self._page if font is None else self._fonts.get(font, self._page)
        if chosen == DEFAULT and self._page not in self._declared:
            chosen = self._page
        self._codec = chosen
