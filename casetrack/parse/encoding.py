"""Decode text files: byte order mark, UTF-8, declared encoding, or a guess with a warning.

The only importer of ``charset_normalizer``.
"""

from __future__ import annotations

import codecs
import itertools
import re
from typing import TYPE_CHECKING

from casetrack.base.dataclass import dataclass
from casetrack.base.errors import ParseFailed
from casetrack.base.words import WordLists

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from casetrack.parse.base import FileHead

    Chunks = Callable[[], Iterator[bytes]]

# Distinguishes encodings of Latin and Hebrew text by the letters that each language uses.
# Statistics over whole texts confuse encodings that share most letters; the few accented letters of
# a text belong to one language only under the right encoding.

_CODECS = (*"cp1252 iso8859-15 cp1250 iso8859-2 cp1254 cp1257 cp850 cp852 mac_roman cp437".split(),)
"""In order of preference for equal results."""
_ALPHABETS = tuple(
    frozenset(letters + letters.upper()) for letters in WordLists(__file__).words("alphabets")
)
_SIGNS = frozenset("„“”‚‘’–—…•€£¥§©®°±²³µ·«»‹›½¼¾´¡¿™†‡‰×¢¶\u00a0")
_IN_WORDS = frozenset("’·´\u00ad")
_MAX_FOREIGN_SHARE = 0.5
_MIN_SHARE = 0.95
_HEBREW = re.compile(r"[א-ת]")
_EARLY_FINAL = re.compile(r"[ךםןףץ](?=[א-ת])")
_MIXED = re.compile(r"[א-ת](?=[A-Za-z])|[A-Za-z](?=[א-ת])")
_FINAL = re.compile(r"[ךםןףץ]")


def guess_letters(sample: bytes, /) -> str | None:
    """Return the codec under which the text belongs to one language, or ``None``."""
    if _is_hebrew(sample):
        return "cp1255"
    best, guess = _MIN_SHARE, None
    for codec in _CODECS:
        share = _share(sample, codec)
        if share > best:
            best, guess = share, codec
    return guess


def _share(sample: bytes, codec: str) -> float:
    """Return the share of non-ASCII characters that belongs to one language, or 0."""
    try:
        text = sample.decode(codec)
    except UnicodeDecodeError:
        return 0.0
    counts: dict[str, int] = {}
    bad = total = 0
    for place, char in enumerate(text):
        if char <= "\x7f":
            continue
        total += 1
        if char.isalpha():
            counts[char] = counts.get(char, 0) + 1
        else:
            bad += char not in _SIGNS or (char not in _IN_WORDS and _is_inside(text, place))
    letters = sum(counts.values())
    plain = sum(c.isalpha() for c in text) - letters
    if not total or letters > _MAX_FOREIGN_SHARE * (letters + plain):
        return 0.0
    own = max(sum(n for c, n in counts.items() if c in alphabet) for alphabet in _ALPHABETS)
    signs = total - letters - bad
    return (own + signs) / total


def _is_inside(text: str, place: int) -> bool:
    return text[place - 1 : place].isalpha() and text[place + 1 : place + 2].isalpha()


def _is_hebrew(sample: bytes) -> bool:
    """Return whether the text is Hebrew: no other letters, final letters only at ends of words."""
    text = sample.decode("cp1255", "replace")
    foreign = [c for c in text if c > "\x7f" and (c.isalpha() or c == "\ufffd")]
    hebrew = len(_HEBREW.findall(text))
    finals = len(_FINAL.findall(text))
    # Other letters in the same word are Latin ones that the codec shows wrongly.
    if len(_MIXED.findall(text)) * 20 > hebrew:
        return False
    if hebrew < 20 or hebrew < _MIN_SHARE * len(foreign) or finals * 100 < hebrew:
        return False
    return len(_EARLY_FINAL.findall(text)) * 20 <= finals


MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Byte order marks with their codecs."""
# Bell, escape and the like occur in terminal logs; other control characters do not occur in text.
_TEXT_CONTROLS = frozenset(b"\t\n\r\f\v\b\x07\x1b\x1a")
_BINARY_BYTES = bytes(b for b in range(32) if b not in _TEXT_CONTROLS)
_MAX_BINARY_SHARE = 0.002
_GUESS_SAMPLE = 256 * 1024
_CHUNK = 1 << 20
_ESCAPED = re.compile(rb"\x1b\$[@BCA(]|\x1b\([IJ]")
_ESCAPED_CODECS = ("iso2022_jp", "iso2022_jp_2", "iso2022_jp_ext", "iso2022_kr")
# As browsers interpret these names: the files use characters outside the standard's set.
_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
_LATIN = {"cp1252", "cp1250", "cp1254", "cp1257", "iso8859-15", "iso8859-2"}
_MAX_FOREIGN_LETTERS = 0.35


@dataclass(frozen=True, slots=True)
class Encoding:
    """How to decode a text: codec, error handling, and a warning if it is a guess."""

    name: str
    errors: str = "strict"
    warning: str | None = None


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text, its encoding, and a warning if the encoding is a guess or characters were lost."""

    text: str
    encoding: str
    warning: str | None = None


class NotText(ValueError):
    """The bytes are not text in any encoding."""


def looks_like_text(head: bytes, /) -> bool:
    """Return whether the first bytes of a file are text."""
    if head.startswith(tuple(mark for mark, _ in MARKS)):
        return True
    if _wide_encoding(head):
        return True
    binary = len(head) - len(head.translate(None, _BINARY_BYTES))
    return binary <= len(head) * _MAX_BINARY_SHARE


def decode(data: bytes, /, *, declared: str | None = None) -> Decoded:
    """Decode a whole file, *declared* unless the bytes contradict it; may raise ``NotText``."""
    coding = _find(lambda: _parts(data), declared)
    return Decoded(data.decode(coding.name, errors=coding.errors), coding.name, coding.warning)


class TextFormat:
    """A reader of text files, without its ``read``."""

    name: str

    def accepts(self, file: FileHead, /) -> bool:
        """Accept text without another format's signature."""
        return file.mark is None and looks_like_text(file.head)

    def encoding_of(self, path: Path, /) -> Encoding:
        """Return the encoding of a file, read in chunks; raise ``ParseFailed`` if it is binary."""

        def chunks() -> Iterator[bytes]:
            with path.open("rb") as file:
                while part := file.read(_CHUNK):
                    yield part

        try:
            return _find(chunks, None)
        except NotText as error:
            raise ParseFailed(path, self.name, str(error)) from error


def codec_of(label: str | None, /) -> str | None:
    """Return the codec of a label, ``None`` if it is no text encoding."""
    if not label:
        return None
    try:
        name = codecs.lookup(label.strip().strip("\"'").lower()).name
        # Codecs from bytes to bytes refuse this. UTF-7 can hide markup.
        "".encode(name)
    except (LookupError, ValueError, TypeError):
        return None
    return None if name in {"utf-7", "idna", "punycode"} else _WIDER.get(name, name)


def _parts(data: bytes) -> Iterator[bytes]:
    for start in range(0, len(data), _CHUNK):
        yield data[start : start + _CHUNK]


def _find(chunks: Chunks, declared: str | None) -> Encoding:
    head = next(chunks(), b"")
    for mark, name in MARKS:
        if head.startswith(mark):
            return _checked(chunks, name)
    wide = _wide_encoding(head[:4096])
    if wide:
        return _checked(chunks, wide, f"The file has no byte order mark; read as {wide}.")
    if not looks_like_text(head[:_GUESS_SAMPLE]):
        raise NotText("it contains binary data, not text")
    sample = _sample(chunks)
    escaped = _escaped(chunks, sample, declared)
    if escaped:
        return Encoding(escaped)
    good, lost = _tally(chunks, "utf-8")
    if not lost:
        return Encoding("utf-8")
    # A declaration does not count against clear UTF-8 with single bad bytes.
    claimed = codec_of(declared) if good < 4 * lost else None
    if claimed and claimed != "utf-8" and _fits(chunks, sample, claimed):
        return Encoding(claimed)
    if good >= lost:
        # Other encodings seldom form one multi-byte letter of UTF-8 for each bad place.
        return Encoding("utf-8", "replace", _lost(lost, "UTF-8"))
    return _guess(chunks, sample, declared)


def _checked(chunks: Chunks, name: str, note: str | None = None) -> Encoding:
    _, lost = _tally(chunks, name)
    return Encoding(name, "replace", _lost(lost, name)) if lost else Encoding(name, warning=note)


def _lost(count: int, name: str) -> str:
    return f"{count} places are not valid {name}; shown as \ufffd."


def _tally(chunks: Chunks, name: str) -> tuple[int, int]:
    """Count the decoded non-ASCII characters and the undecodable positions."""
    foreign, marks = _foreign(chunks, name, "replace")
    # The text may contain U+FFFD itself, which is a character like any other.
    lost = marks - _foreign(chunks, name, "ignore")[1] if marks else 0
    return foreign - lost, lost


def _foreign(chunks: Chunks, name: str, errors: str) -> tuple[int, int]:
    """Count the non-ASCII characters of the decoded text, and U+FFFD among them."""
    decoder = codecs.getincrementaldecoder(name)(errors)
    foreign = marks = 0
    for part, final in itertools.chain(((part, False) for part in chunks()), [(b"", True)]):
        text = decoder.decode(part, final)
        if not text.isascii():
            foreign += len(text) - len(text.encode("ascii", "ignore"))
            marks += text.count("\ufffd")
    return foreign, marks


def _sample(chunks: Chunks) -> bytes:
    """Return the first lines with bytes over 127, the only evidence of an encoding."""
    sample = bytearray()
    for part in chunks():
        if not part.isascii():
            for line in part.splitlines(keepends=True):
                if line.isascii():
                    continue
                sample += line[:_GUESS_SAMPLE]
                if len(sample) >= _GUESS_SAMPLE:
                    return bytes(sample[:_GUESS_SAMPLE])
    return bytes(sample)


def _escaped(chunks: Chunks, sample: bytes, declared: str | None) -> str | None:
    """Return a seven-bit encoding whose escape sequences switch alphabets."""
    if sample:
        return None
    claimed = codec_of(declared) or ""
    known = claimed.startswith(("iso2022", "hz"))
    if not known and not any(_ESCAPED.search(part) for part in chunks()):
        return None
    names = (claimed,) if known else _ESCAPED_CODECS
    return next((name for name in names if not _tally(chunks, name)[1]), None)


def _fits(chunks: Chunks, sample: bytes, name: str) -> bool:
    """Return whether all bytes fit an encoding and its letters are plausible."""
    if _tally(chunks, name)[1]:
        return False
    if name not in _LATIN:
        return True
    # No language accents every third letter; such text is another script decoded as Latin.
    text = re.sub(r"<[^>]{0,200}>", " ", sample.decode(name, "replace"))
    accented = sum(1 for c in text if c > "\x7f" and c.isalpha())
    plain = sum(1 for c in text if c <= "\x7f" and c.isalpha())
    return accented <= 30 or accented <= _MAX_FOREIGN_LETTERS * (accented + plain)


def _wide_encoding(head: bytes) -> str | None:
    """Recognize UTF-16 without a mark: Latin text has a zero in every other byte only."""
    if len(head) < 4:
        return None
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    if odd > 0.4 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.4 * half and odd < 0.05 * half:
        return "utf-16-be"
    return None


def _guess(chunks: Chunks, sample: bytes, declared: str | None) -> Encoding:
    from charset_normalizer import from_bytes

    name = guess_letters(sample)
    if name is None:
        # A text without line ends, or with few foreign letters, gives more evidence as a whole.
        best = from_bytes(sample if len(sample) >= 4096 else next(chunks())[:_GUESS_SAMPLE]).best()
        name = "cp1252" if best is None or best.encoding == "ascii" else best.encoding
    _, lost = _tally(chunks, name)
    why = "is not UTF-8"
    if declared and codec_of(declared) != name:
        why = f"says it is {declared[:40]}, which its bytes do not fit"
    warning = f"The file {why}; its encoding was taken to be {name}."
    if lost:
        warning += f" {_lost(lost, name)}"
    return Encoding(name, "replace", warning)
