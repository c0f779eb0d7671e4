"""Read calendars (iCalendar, RFC 5545) and contacts (vCard, RFC 6350): one page per item.

Each line of text has the number of the file's line where its property begins.
"""

from __future__ import annotations

import quopri
import re
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple

from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, Reading, ReadOptions
from casetrack.parse.encoding import TextFormat
from casetrack.parse.page_builder import PageBuilder, SourceLine, clean_title
from casetrack.parse.text.plain import TextReader, pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from casetrack.parse.base import Page

_ITEMS = frozenset({"VEVENT", "VTODO", "VJOURNAL", "VCARD"})
_TITLES = frozenset({"SUMMARY", "FN"})
_LABELS = {
    "DTSTART": "Start",
    "DTEND": "End",
    "DUE": "Due",
    "DURATION": "Duration",
    "RRULE": "Repeats",
    "EXDATE": "Not on",
    "RECURRENCE-ID": "In place of",
    "N": "Name",
    "ORG": "Organization",
    "TEL": "Telephone",
    "EMAIL": "Mail",
    "ADR": "Address",
    "BDAY": "Born",
}
"""Labels of properties with another name in the file; others have their own."""
_TECHNICAL = frozenset(
    """
    CLASS CREATED DTSTAMP KEY LAST-MODIFIED LOGO PHOTO PRODID REV SEQUENCE SOUND TRANSP UID VERSION
    """.split()
)
_PROPERTY = re.compile(
    r'(?:[\w-]+\.)?(?P<name>[\w-]+)(?P<parameters>(?:;[^":]*(?:"[^"]*"[^":]*)*)?):(?P<value>.*)',
    re.DOTALL,
)
_PARAMETER = re.compile(r';([\w-]+)(?:=("[^"]*"|[^";]*))?')
_PLACES = frozenset({"home", "work", "cell", "fax", "pager"})
_MOMENT = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d)(?::?\d\d)?(Z?))?")
_ESCAPED = re.compile(r"\\([nN\\;,:])")
_PARTS = re.compile(r"(?<!\\);")


class _Property(NamedTuple):
    name: str
    parameters: dict[str, str]
    value: str
    line: int
    places: str = ""

    @property
    def words(self) -> str:
        """The value as people write it; may have several lines."""
        if self.name in {"ADR", "N", "ORG"}:
            parts = [_plain(part) for part in _PARTS.split(self.value)]
            if self.name == "N":  # family name, given name, more names, title
                parts = [*parts[3:4], *parts[1:3], *parts[:1]]
            return (" " if self.name == "N" else ", ").join(filter(None, parts))
        if person := re.fullmatch(r"(?i)mailto:(.*)", self.value):
            name = self.parameters.get("CN")
            return f"{name} <{person[1]}>" if name and name != person[1] else person[1]
        moments = [_MOMENT.fullmatch(each) for each in self.value.split(",")]
        if all(moments):
            return ", ".join(self._moment(m) for m in moments if m)
        return _plain(self.value)

    def _moment(self, moment: re.Match[str]) -> str:
        year, month, day, hour, minute, utc = moment.groups()
        text = f"{year}-{month}-{day}"
        if hour:
            zone = self.parameters.get("TZID", "")
            # A name that starts with a slash is unique in the world: its last parts are the zone.
            zone = "/".join(zone.split("/")[-2:]) if zone[:1] == "/" else zone
            return f"{text} {hour}:{minute}" + (" UTC" if utc else f" ({zone})" if zone else "")
        if self.name == "DTEND":
            # Whole days end before this day; an impossible day stays as it is.
            with suppress(ValueError, OverflowError):
                return str(date.fromisoformat(text) - timedelta(days=1))
        return text


@dataclass(slots=True)
class _Item:
    properties: list[_Property] = field(default_factory=list)

    @property
    def title(self) -> _Property | None:
        return next((p for p in self.properties if p.name in _TITLES), None)

    def page(self, number: int) -> Page:
        """Return a line for each property, in the order of the file; the title is a heading."""
        builder, title = PageBuilder(number), self.title
        block = list[SourceLine]()
        for each in self.properties:
            if each is title:
                builder.paragraph(block)
                heading = SourceLine(each.words.replace("\n", " "), each.line)
                builder.paragraph([heading], kind="heading", level=1)
                block = []
            elif each.name != "N" or title is None:
                block += [SourceLine(text, each.line) for text in _lines_of(each)]
        builder.paragraph(block)
        return builder.build()


class ItemReader(TextFormat):
    """Calendars and contacts; alarms, time zones and technical properties are left out.

    A file without an item, or with empty ones only, is read as text.
    """

    name = "Calendar or contacts"
    extensions: tuple[str, ...] = (".ics", ".ical", ".vcs", ".vcf")

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Read the items; see :class:`casetrack.parse.base.Reader`."""
        encoding = self.encoding_of(path)
        items, name = _items(_unfolded(pieces(path, encoding)))
        if not (items := [item for item in items if item.properties]):
            return TextReader().read(path, options)
        title = items[0].title if len(items) == 1 else name
        info = DocumentInfo(
            path.suffix[1:].lower(), len(items), title=title and clean_title(title.words)
        )
        pages = (item.page(number) for number, item in enumerate(items, start=1))
        return Reading(info, pages, [encoding.warning] if encoding.warning else [])


def _unfolded(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the properties with the number of their first line; long ones are folded."""
    first, text = 0, ""
    for number, raw in enumerate(lines, start=1):
        line = raw.removesuffix("\n")
        if line[:1] in {" ", "\t"}:
            text += line[1:]
        elif text.endswith("=") and "QUOTED-PRINTABLE" in text.partition(":")[0].upper():
            text += f"\n{line}"
        else:
            if text:
                yield first, text
            first, text = number, line
    if text:
        yield first, text


def _items(lines: Iterable[tuple[int, str]]) -> tuple[list[_Item], _Property | None]:
    """Return the items, and the property with the name of the calendar."""
    items, inside, name = list[_Item](), list[str](), None
    for number, text in lines:
        match = _PROPERTY.fullmatch(text)
        if match is None:
            continue
        own = _property(match, number)
        if own.name == "BEGIN":
            inside.append(own.value.strip().upper())
            if inside[-1] in _ITEMS:
                items.append(_Item())
        elif own.name == "END":
            inside = inside[:-1]
        elif own.name == "X-WR-CALNAME":
            name = own
        elif inside and inside[-1] in _ITEMS and _is_shown(own):
            items[-1].properties.append(own)
    return items, name


def _is_shown(own: _Property) -> bool:
    return bool(own.value.strip()) and own.name not in _TECHNICAL and own.name[:2] != "X-"


def _property(match: re.Match[str], number: int) -> _Property:
    pairs = [(n.upper(), v.strip('"')) for n, v in _PARAMETER.findall(match["parameters"])]
    parameters = dict(pairs)
    kinds = ",".join(v or n for n, v in pairs if n == "TYPE" or not v).lower().split(",")
    value = match["value"]
    if parameters.get("ENCODING", "").upper() == "QUOTED-PRINTABLE":
        data = quopri.decodestring(value.encode())
        try:
            value = data.decode(parameters.get("CHARSET", "utf-8"), "replace")
        except LookupError:
            value = data.decode("utf-8", "replace")
    places = ", ".join(kind for kind in dict.fromkeys(kinds) if kind in _PLACES)
    return _Property(match["name"].upper(), parameters, value, number, places)


def _plain(value: str) -> str:
    return _ESCAPED.sub(lambda m: "\n" if m[1] in "nN" else m[1], value).strip()


def _lines_of(each: _Property) -> list[str]:
    label = _LABELS.get(each.name, each.name.capitalize())
    label += f" ({each.places})" if each.places else ""
    return [line for line in f"{label}: {each.words}".splitlines() if line.strip()]
