"""Load files: the names of their fields, their delimiters, encodings and marks."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, cast

from casetrack.base.errors import EmptyFile, FileNotFound, FileUnreadable, UsageError
from casetrack.base.words import WordLists
from casetrack.base.words.lists import month_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_LISTS = WordLists(__file__)

Role = Literal[
    "control",
    "begin",
    "end",
    "begin_family",
    "end_family",
    "family_range",
    "parent",
    "children",
    "group",
    "native",
    "text",
    "custodian",
    "hash",
    "author",
    "from",
    "to",
    "cc",
    "bcc",
    "subject",
    "title",
    "file_name",
    "sent",
    "sent_time",
    "created",
    "modified",
    "type",
    "pages",
]
"""What a field says of its document."""

_ROLES = {
    name: cast("Role", role) for role, names in _LISTS.groups("names").items() for name in names
}
_LISTED = re.compile(r"[;\u00ae\n\r|]+")
_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_PLAIN = re.compile(r"(?<!\d)(\d{4})(\d\d)(\d\d)(?!\d)")
_SLASHED = re.compile(r"(?<!\d)(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d\d)(?!\d)")
_NAMED = re.compile(
    r"(?<!\d)(\d{1,2})[-\s.]+([A-Za-z]{3,9})\.?[-\s,]+(\d{4}|\d\d)(?!\d)"
    r"|([A-Za-z]{3,9})\.?\s+(\d{1,2}),?\s+(\d{4})"
)
_CLOCK = re.compile(
    r"(\d{1,2}):(\d\d)(?::(\d\d))?(?:\.\d+)?\s*([AaPp]\.?[Mm])?\s*(Z\b|UTC\b|GMT\b)?"
)
_MONTHS = month_numbers("en_short")
_NOTHING = frozenset({"", "0", "00/00/0000", "0000-00-00", "00000000", "n/a", "none"})


def roles_of(columns: Iterable[str], /) -> dict[Role, str]:
    """Return which column says what; of several that say the same the first.

    Examples
    --------
    >>> roles_of(["Beg Bates", "END_BATES", "Custodian"])["begin"]
    'Beg Bates'
    """
    found: dict[Role, str] = {}
    for column in columns:
        role = _ROLES.get(re.sub(r"[^A-Z0-9]", "", column.upper()))
        if role is not None:
            found.setdefault(role, column)
    return found


def listed(value: str, /) -> tuple[str, ...]:
    """Return the parts of a field that holds several."""
    return tuple(part.strip() for part in _LISTED.split(value) if part.strip())


def day_first(values: Iterable[str], /) -> bool | None:
    """Tell how the dates of a column are written; ``None`` where both readings fit all of them."""
    found: set[bool] = set()
    for value in values:
        for match in _SLASHED.finditer(value):
            if int(match[1]) > 12:
                found.add(True)
            elif int(match[3]) > 12:
                found.add(False)
            elif match[2] == ".":
                found.add(True)
    return found.pop() if len(found) == 1 else None


def read_moment(value: str, time: str = "", /, *, days_first: bool = False) -> datetime | None:
    """Return the date, with its time where it tells one, that a field holds.

    Read are ISO 8601, ``20010514``, ``05/14/2001``, ``14.05.2001``, ``14-May-01``, ``May 14,
    2001``. What names no zone is taken for UTC, as productions are made.

    Parameters
    ----------
    value, time
        The field, and that of the time where it is a field of its own.
    days_first
        Whether the day stands before the month in numbers.

    Returns
    -------
    datetime or None
        In UTC; ``None`` for no date.
    """
    if value.strip().lower() in _NOTHING:
        return None
    day = _day(value, days_first=days_first)
    if day is None:
        return None
    rest = value[day[1] :]
    clock = _CLOCK.search(time) or _CLOCK.search(rest)
    hour = minute = second = 0
    if clock is not None:
        hour, minute, second = int(clock[1]), int(clock[2]), int(clock[3] or 0)
        if clock[4]:
            hour = hour % 12 + (12 if clock[4][0] in "Pp" else 0)
    try:
        return datetime(*day[0], hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None


def _day(value: str, *, days_first: bool) -> tuple[tuple[int, int, int], int] | None:
    if found := _ISO.search(value):
        return (int(found[1]), int(found[2]), int(found[3])), found.end()
    if found := _SLASHED.search(value):
        first, second = int(found[1]), int(found[3])
        turned = first > 12 or (days_first and second <= 12)
        month, day = (second, first) if turned else (first, second)
        return (_year(found[4]), month, day), found.end()
    if found := _NAMED.search(value):
        name = (found[2] or found[4])[:3].lower()
        if name in _MONTHS:
            month = _MONTHS[name]
            year = _year(found[3] or found[6])
            return (year, month, int(found[1] or found[5])), found.end()
    if found := _PLAIN.search(value):
        return (int(found[1]), int(found[2]), int(found[3])), found.end()
    return None


def _year(text: str) -> int:
    return int(text) if len(text) == 4 else 1900 + int(text) if int(text) > 69 else 2000 + int(text)


def told(fields: Mapping[str, str], roles: Mapping[Role, str], role: Role, /) -> str:
    """Return what a row says in a role, stripped; empty where it says nothing."""
    return fields.get(roles.get(role, ""), "").strip()


# How load files are written: their delimiters, encodings and marks; and what is wrong with one.

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
