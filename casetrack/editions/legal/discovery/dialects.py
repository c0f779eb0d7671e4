"""How load files are written: their delimiters, encodings and marks; and what is wrong with one."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import EmptyFile, FileNotFound, FileUnreadable, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

SEPARATOR, QUALIFIER, LINE_BREAK = "\x14", "\u00fe", "\u00ae"
"""Concordance's own: between fields, around them, and for a line break in one."""
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a load file is written.

    Attributes
    ----------
    encoding
        A codec of Python; ``utf-8-sig`` and the UTF-16 ones write a mark before the text.
    separator, qualifier
        Between fields, and around each; the qualifier is empty where there is none.
    line_end
        What ends a row.
    has_last_end
        Whether it also ends the last one.
    bom
        Whether a byte order mark stands before the text.
    """

    encoding: str = "utf-8-sig"
    separator: str = SEPARATOR
    qualifier: str = QUALIFIER
    line_end: str = "\r\n"
    has_last_end: bool = True
    bom: bool = True

    def row(self, values: Iterable[str], /) -> str:
        """Return a row as this dialect writes it, without its end."""
        mark = self.qualifier
        if mark == '"':
            return self.separator.join(f'"{v.replace(chr(34), chr(34) * 2)}"' for v in values)
        return self.separator.join(f"{mark}{value}{mark}" for value in values)

    def encode(self, text: str, /) -> bytes:
        """Return text as bytes; what could not be read comes out as it was."""
        return text.encode(*self._codec)

    def decode(self, data: bytes, /) -> str:
        """Return the text of bytes, what cannot be read as single surrogates."""
        return data.decode(*self._codec)

    def facts(self, *names: str) -> dict[str, str | bool]:
        """Return attributes as values of JSON, for :meth:`of`."""
        return {name: getattr(self, name) for name in names}

    @classmethod
    def of(cls, facts: Mapping[str, Any], /, **more: str) -> Dialect:
        """Return the dialect that :meth:`facts` describes, among other things."""
        known = {**facts, **more}
        return cls(**{field.name: known[field.name] for field in fields(cls)})

    @property
    def mark(self) -> bytes:
        """The byte order mark before the text; may be empty."""
        found = (bom for bom, name in _BOMS if name.removesuffix("-sig") == self._codec[0])
        return next(found, b"") if self.bom else b""

    @property
    def _codec(self) -> tuple[str, str]:
        """The codec and its handler of errors, which keeps what is no text in the encoding."""
        is_wide = self.encoding.startswith("utf-16")
        errors = "surrogatepass" if is_wide else "surrogateescape"
        return self.encoding.removesuffix("-sig"), errors


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that is wrong with a load file.

    Attributes
    ----------
    file
        Name of the file.
    line
        From 1; ``None`` where it is about the file as a whole.
    control_number
        Of the document; empty where it is about none.
    kind
        ``delimiter``, ``encoding``, ``columns``, ``fields``, ``control number``, ``range``,
        ``gap``, ``overlap``, ``family``, ``file``, ``image``, ``date`` or ``hash``.
    text
        What is wrong, and what was done about it.
    """

    file: str
    line: int | None
    control_number: str
    kind: str
    text: str


def _read_bytes(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FileNotFound(path) from error
    except OSError as error:
        raise FileUnreadable(path, error.strerror or str(error)) from error
    if not data.strip():
        raise EmptyFile(path)
    return data


def read_text(path: Path, encoding: str | None, /) -> tuple[str, Dialect, list[Trouble]]:
    """Return the text of a load file, how it is written, and what of it could not be read.

    What is no text in the encoding stays in it as single surrogates, and is written again as it
    was. Delimiters are those of a new dialect.

    Raises
    ------
    FileNotFound, FileUnreadable, EmptyFile
        There is nothing to read.
    UsageError
        The encoding that was named is not known.
    """
    data = _read_bytes(path)
    bom, marked = next(((b, name) for b, name in _BOMS if data.startswith(b)), (b"", ""))
    name = marked or _told(data)
    if encoding is not None:
        try:
            name = codecs.lookup(encoding).name
        except LookupError as error:
            raise UsageError(
                f"There is no encoding {encoding!r}.",
                hint="Use utf-8, utf-16, cp1252, or another one by its usual name.",
            ) from error
        if name == "utf-16":
            name = marked or "utf-16-le"
    body = data[len(bom) :]
    troubles = []
    if name.startswith("utf-16") and len(body) % 2:
        body = body[:-1]
        troubles.append(
            Trouble(path.name, None, "", "encoding", "A single byte stands after its last sign.")
        )
    dialect = Dialect(name, bom=bool(bom))
    text = dialect.decode(body)
    end = LINE_END.search(text)
    dialect = replace(
        dialect,
        line_end=end[0] if end else dialect.line_end,
        has_last_end=text.endswith(("\n", "\r")),
    )
    for number, line in enumerate(text.split("\n"), start=1):
        if re.search("[\ud800-\udfff]", line):
            troubles.append(
                Trouble(
                    path.name,
                    number,
                    "",
                    "encoding",
                    f"Line {number} holds bytes that are no {name.upper()}. They are shown as "
                    "\ufffd and are written again as they were.",
                )
            )
    return text, dialect, troubles


def shown(text: str, /) -> str:
    """Return a value as people read it: what could not be read as U+FFFD."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def _told(data: bytes) -> str:
    """Return the encoding of a file without a mark."""
    head = data[:4096]
    if head[1::2].count(0) > len(head) // 4:
        return "utf-16-le"
    if head[::2].count(0) > len(head) // 4:
        return "utf-16-be"
    if head.startswith(QUALIFIER.encode()):
        return "utf-8"
    if head.startswith(QUALIFIER.encode("cp1252")):
        return "cp1252"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"
