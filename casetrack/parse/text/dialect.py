"""Finds how a delimited file is written: its delimiter and its quotes."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_DELIMITERS = ",;\t|"
_MIN_SHARE = 0.5
_SAMPLE_FIELDS = 20_000
_NUMBER = re.compile(r"[-+]?[$€£]?\d[\d.,' ]*%?")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ]\d\d?:\d\d.*)?")
_DECLARED = re.compile(r"sep=(.)\s*", re.IGNORECASE)
# A quoted field between delimiters or line ends.
_QUOTED = {
    q: re.compile(rf"(?:^|[,;\t|])\s?{q}[^{q}\n]*{q}(?=[,;\t|]|\s*$)", re.MULTILINE) for q in "\"'"
}
_ESCAPED_QUOTE = re.compile(r'\\"(?![,;\t|\r\n]|$)')
_LOOSE_QUOTE = re.compile(r'[,;|] +"')
_TIGHT_QUOTE = re.compile(r'[,;|]"')


@dataclass(frozen=True, slots=True)
class Dialect:
    """How fields are parted and quoted.

    Attributes
    ----------
    width
        How many fields most records have.
    declares
        Whether the first line is not data but names the delimiter.
    escapes
        Whether quotes within quotes are written with a backslash before them.
    skips_space
        Whether a space after a delimiter is no part of the field.
    """

    delimiter: str
    quote: str = '"'
    width: int = 1
    declares: bool = False
    escapes: bool = False
    skips_space: bool = False

    def split(self, lines: Sequence[str], /) -> list[list[str]]:
        """Return the records of some lines."""
        return list(
            csv.reader(
                [self.plain(line) for line in lines],
                delimiter=self.delimiter,
                quotechar=self.quote,
                skipinitialspace=self.skips_space,
            )
        )

    def plain(self, line: str, /) -> str:
        """Return a line with quotes in quotes doubled, as the parser knows them."""
        return line.replace('\\"', '""') if self.escapes else line


def find_dialect(lines: Sequence[str], preferred: str, /) -> Dialect:
    """Find the dialect of a file from its first lines.

    Parameters
    ----------
    lines
        With their line ends; the last one may be cut off.
    preferred
        Taken where nothing speaks for another.
    """
    if not lines:
        return Dialect(preferred)
    declared = _DECLARED.fullmatch(lines[0].lstrip("\ufeff"))
    text = "".join(lines)
    doubles, singles = (len(_QUOTED[q].findall(text)) for q in "\"'")
    quote = "'" if singles > 3 * doubles and singles >= 3 else '"'
    shape = {
        "quote": quote,
        "escapes": quote == '"' and '""' not in text and bool(_ESCAPED_QUOTE.search(text)),
        "skips_space": len(_LOOSE_QUOTE.findall(text)) > len(_TIGHT_QUOTE.findall(text)),
    }
    if declared:
        dialect = Dialect(declared[1], declares=True, **shape)  # type: ignore[arg-type]
        return _with_width(dialect, _widths(dialect.split(lines[1:])))
    found = [
        _scored(Dialect(d, **shape), lines, preferred)  # type: ignore[arg-type]
        for d in sorted(_DELIMITERS, key=lambda d: d != preferred)
    ]
    score, dialect = max(found, key=lambda pair: pair[0])
    return dialect if score > (0, 0) else Dialect(preferred, quote=quote)


def _widths(records: Sequence[list[str]]) -> Counter[int]:
    return Counter(len(record) for record in records if any(field.strip() for field in record))


def _with_width(dialect: Dialect, widths: Counter[int]) -> Dialect:
    width = widths.most_common(1)[0][0] if widths else 1
    return Dialect(
        dialect.delimiter,
        dialect.quote,
        width,
        dialect.declares,
        dialect.escapes,
        dialect.skips_space,
    )


def _scored(
    dialect: Dialect, lines: Sequence[str], preferred: str
) -> tuple[tuple[float, float], Dialect]:
    """Return how well a delimiter fits: even widths first, then fields that look whole."""
    try:
        records = dialect.split(lines)
    except csv.Error:
        return (0.0, 0.0), dialect
    widths = _widths(records)
    dialect = _with_width(dialect, widths)
    total = sum(widths.values())
    many = {width: n for width, n in widths.items() if width > 1}
    if not many:
        return (0.0, 0.0), dialect
    width, count = max(many.items(), key=lambda pair: (pair[1], pair[0]))
    even, parted = count / total, sum(many.values()) / total
    if parted < _MIN_SHARE and dialect.delimiter != preferred:
        return (0.0, 0.0), dialect
    whole = _whole_share(records, dialect.delimiter)
    # Steps of a tenth: a ragged line or two must not outweigh how the fields look.
    return (round(even * 5 + parted * 5), whole + min(width, 50) / 500), dialect


def _whole_share(records: Sequence[list[str]], delimiter: str) -> float:
    """Return the share of fields that hold one value, not several parted by something else."""
    others = [d for d in _DELIMITERS if d not in {delimiter, ","}]
    fields = [f.strip() for record in records for f in record][:_SAMPLE_FIELDS]
    whole = 0.0
    for field in fields:
        if not field or _NUMBER.fullmatch(field) or _DATE.fullmatch(field):
            whole += 1.0
        elif not any(other in field for other in others):
            whole += 0.8
    return whole / max(1, len(fields))
