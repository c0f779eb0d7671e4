"""Financial years and their parts: "fiscal 2022", "FY23 Q2", "fiscal second quarter of 2023".

They are periods of their own: what days they have stands in the company's documents, if anywhere.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.extract.dates import numbers, periods
from casetrack.extract.dates.nodes import Node

if TYPE_CHECKING:
    from casetrack.extract.dates.tokens import TokenStream

Parsed = tuple[Node, int]

NAMES = frozenset(("fiscal", "financial"))
_YEARS = frozenset(("year", "years"))
_AND = frozenset((",", "and", "or", "&"))
_TO = frozenset(("-", "–", "to", "through", "thru"))


def part(stream: TokenStream, index: int) -> Parsed | None:
    """Read "fiscal second quarter of 2023", "fiscal Q2 2023", "the fiscal first half"."""
    if stream.low(index) not in NAMES:
        return None
    found = periods.part(stream, index + 1)
    if found is None or found[0].relative:
        return None
    return replace(found[0], fiscal=True, bare=""), found[1]


def year_first(stream: TokenStream, index: int) -> Parsed | None:
    """Read "2022 fiscal year", "2023 fiscal second quarter"."""
    read = numbers.year(stream, index)
    if read is None or stream.low(read[1]) not in NAMES:
        return None
    year = Node("year", year=read[0], fiscal=True, confidence=0.85)
    if stream.low(read[1] + 1) in _YEARS:
        return year, read[1] + 2
    named = periods.part_name(stream, read[1] + 1)
    node = periods.part_of(named[0], named[1], year) if named else None
    return (node, named[2]) if named and node else None


def years(stream: TokenStream, index: int) -> Parsed | None:
    """Read "fiscal 2020-2022", "fiscal years 2020 through 2022"."""
    first = periods.year_word(stream, index)
    if first is None or not first[0].fiscal or stream.low(first[1]) not in _TO:
        return None
    read = numbers.year(stream, stream.skip(first[1] + 1, "fiscal", "fy", "year"))
    if read is None or first[0].year is None or read[0] <= first[0].year:
        return None
    last = replace(first[0], year=read[0])
    return replace(first[0], precision="range", year=None, ends=(first[0], last)), read[1]


def goes_on(stream: TokenStream, end: int, index: int) -> bool:
    """Say whether a year goes on with a list of financial years: "fiscal 2022, 2021 and 2020".

    Parameters
    ----------
    end
        Where the financial year before ends.
    index
        Where the year begins.
    """
    return 0 < index - end <= 2 and all(stream.low(i) in _AND for i in range(end, index))


def as_fiscal(node: Node) -> Node:
    """Return a range whose ends are both financial where one is."""
    if not node.ends or node.ends[0].fiscal == node.ends[1].fiscal:
        return node
    ends = tuple(replace(end, fiscal=True) for end in node.ends)
    return replace(node, ends=(ends[0], ends[1]))
