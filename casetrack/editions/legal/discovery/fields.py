"""Load files: field names, delimiters, encodings and byte order marks."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, cast

from casetrack.base.errors import EmptyFile, FileNotFound, FileUnreadable, UsageError
from casetrack.base.words import WordLists
from casetrack.base.words.lists import month_numbers
from casetrack.editions.legal.records.load_files import LoadTrouble

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

DEFAULTS = frozenset(("anonymous", "unspecified", "untitled"))
"""Authors and titles that programs write."""
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
"""The meaning of a column."""

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
    """Return the column of each role; the first one if several have the role.

    Examples
    --------
    >>> roles_of(["Beg Bates", "END_BATES", "Custodian"])["begin"]
    'Beg Bates'
    """
    roles: dict[Role, str] = {}
    for column in columns:
        role = _ROLES.get(re.sub(r"[^A-Z0-9]", "", column.upper()))
        if role is not None:
            roles.setdefault(role, column)
    return roles


def listed(value: str, /) -> tuple[str, ...]:
    """Return the parts of a field with several values."""
    return tuple(part.strip() for part in _LISTED.split(value) if part.strip())


def day_first(values: Iterable[str], /) -> bool | None:
    """Return whether dates of a column begin with the day; ``None`` if both orders fit."""
    orders: set[bool] = set()
    for value in values:
        for match in _SLASHED.finditer(value):
            if int(match[1]) > 12:
                orders.add(True)
            elif int(match[3]) > 12:
                orders.add(False)
            elif match[2] == ".":
                orders.add(True)
    return orders.pop() if len(orders) == 1 else None


def read_moment(value: str, time: str = "", /, *, days_first: bool = False) -> datetime | None:
    """Return the date of a field in UTC, with the time if present; ``None`` if there is no date.

    Formats: ISO 8601, ``20010514``, ``05/14/2001``, ``14.05.2001``, ``14-May-01``, ``May 14,
    2001``. Dates without a zone are UTC, the convention of productions. *time* is the value of a
    separate time field.
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
    if match := _ISO.search(value):
        return (int(match[1]), int(match[2]), int(match[3])), match.end()
    if match := _SLASHED.search(value):
        first, second = int(match[1]), int(match[3])
        turned = first > 12 or (days_first and second <= 12)
        month, day = (second, first) if turned else (first, second)
        return (_year(match[4]), month, day), match.end()
    if match := _NAMED.search(value):
        name = (match[2] or match[4])[:3].lower()
        if name in _MONTHS:
            month = _MONTHS[name]
            year = _year(match[3] or match[6])
            return (year, month, int(match[1] or match[5])), match.end()
    if match := _PLAIN.search(value):
        return (int(match[1]), int(match[2]), int(match[3])), match.end()
    return None


def _year(text: str) -> int:
    return int(text) if len(text) == 4 else 1900 + int(text) if int(text) > 69 else 2000 + int(text)


def field_value(fields: Mapping[str, str], roles: Mapping[Role, str], role: Role, /) -> str:
    """Return the stripped value of a row for a role; empty if there is none."""
    return fields.get(roles.get(role, ""), "").strip()


# Format of load files: delimiters, encodings and byte order marks; and their errors.

SEPARATOR, QUALIFIER, LINE_BREAK = "\x14", "\u00fe", "\u00ae"
"""Signs of Concordance: between fields, around fields, and for a line break in a field."""
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Dialect:
    """Format of a load file."""

    encoding: str = "utf-8-sig"  # A Python codec
    separator: str = SEPARATOR  # Between fields
    qualifier: str = QUALIFIER  # Around each field; may be empty
    line_end: str = "\r\n"
    has_last_end: bool = True  # Whether the last row has a line end
    bom: bool = True  # Whether there is a byte order mark

    def row(self, values: Iterable[str], /) -> str:
        """Return a row in this dialect, without line end."""
        mark = self.qualifier
        if mark == '"':
            return self.separator.join(f'"{v.replace(chr(34), chr(34) * 2)}"' for v in values)
        return self.separator.join(f"{mark}{value}{mark}" for value in values)

    def encode(self, text: str, /) -> bytes:
        """Return text as bytes; undecodable bytes are restored."""
        return text.encode(*self._codec)

    def decode(self, data: bytes, /) -> str:
        """Return the text of bytes; undecodable bytes become single surrogates."""
        return data.decode(*self._codec)

    def facts(self, *names: str) -> dict[str, str | bool]:
        """Return attributes as JSON values, for :meth:`of`."""
        return {name: getattr(self, name) for name in names}

    @classmethod
    def of(cls, facts: Mapping[str, Any], /, **more: str) -> Dialect:
        """Return the dialect from :meth:`facts`; other keys are ignored."""
        known = {**facts, **more}
        return cls(**{field.name: known[field.name] for field in fields(cls)})

    @property
    def mark(self) -> bytes:
        """The byte order mark before the text; may be empty."""
        marks = (bom for bom, name in _BOMS if name.removesuffix("-sig") == self._codec[0])
        return next(marks, b"") if self.bom else b""

    @property
    def _codec(self) -> tuple[str, str]:
        """The codec, and an error handler that keeps undecodable bytes."""
        is_wide = self.encoding.startswith("utf-16")
        errors = "surrogatepass" if is_wide else "surrogateescape"
        return self.encoding.removesuffix("-sig"), errors


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


def read_lines(path: Path, /) -> list[str]:
    """Return the lines of a list of the user (UTF-8), stripped, without empty ones."""
    try:
        text = _read_bytes(path.expanduser()).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileUnreadable(path, "it is not plain text (UTF-8)") from error
    return list(filter(None, map(str.strip, text.splitlines())))


def read_counsel(path: Path, /) -> list[str]:
    """Return the entries of a list of attorneys: one per line; ``#`` starts a comment."""
    lines = (line.partition("#")[0].strip() for line in read_lines(path))
    return list(filter(None, lines))


def read_text(path: Path, encoding: str | None, /) -> tuple[str, Dialect, list[LoadTrouble]]:
    """Return text, format and errors of a load file.

    Undecodable bytes become single surrogates and are written unchanged. Delimiters are the
    defaults.
    """
    data = _read_bytes(path)
    bom, marked = next(((b, name) for b, name in _BOMS if data.startswith(b)), (b"", ""))
    name = marked or _detect_encoding(data)
    if encoding is not None:
        try:
            name = codecs.lookup(encoding).name
        except LookupError as error:
            raise UsageError(
                f"Unknown encoding {encoding!r}.",
                hint="Use utf-8, utf-16, cp1252, or another codec of Python.",
            ) from error
        if name == "utf-16":
            name = marked or "utf-16-le"
    body = data[len(bom) :]
    troubles = []
    if name.startswith("utf-16") and len(body) % 2:
        body = body[:-1]
        troubles.append(
            LoadTrouble("encoding", "The file ends with an incomplete character.", path.name)
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
            said = f"Line {number} has invalid bytes in {name.upper()}. They are shown as "
            said += "\ufffd and are exported unchanged."
            troubles.append(LoadTrouble("encoding", said, path.name, number))
    return text, dialect, troubles


def shown(text: str, /) -> str:
    """Return a value for display: undecodable bytes become U+FFFD."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def _detect_encoding(data: bytes) -> str:
    """Return the encoding of a file without a byte order mark."""
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
