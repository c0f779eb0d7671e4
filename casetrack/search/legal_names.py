"""The authorities that a passage cites, in words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.graph.cited import CitedSpan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from casetrack.graph.cited import Cited
    from casetrack.store.datasets import Snapshot
    from casetrack.store.index.index import Index
    from casetrack.store.index.rows import Place

_LISTED = frozenset(("case", "regulation", "rule", "constitution"))
_DOCKET_NUMBER = "case:no-"
_UNSURE = 0.6
"""Below it, a number of a table is as likely as a reporter."""
_DATED = re.compile(r"\(\D{0,40}?((?:17|18|19|20)\d\d)\)$")
_YEAR = re.compile(r"[^();.]{0,40}\((?P<court>[^()]{0,40}?)(?P<year>(?:17|18|19|20)\d\d)\)")
_OWNER_AFTER = re.compile(
    r"\s{1,3}(?:of|in|to|under)\s{1,3}(?:the\s|that\s(?:certain\s)?)\s{0,2}"
    r"(?P<owner>[A-Z][\w'\u2019&-]*(?:\s(?:(?:of|and|to)\s)?[A-Z][\w'\u2019&-]*){0,5})"
)
_OWNER_BEFORE = re.compile(
    r"(?P<owner>[A-Z][\w'\u2019&-]*(?:\s(?:(?:of|and|to)\s)?[A-Z][\w'\u2019&-]*){1,5}),\s$"
)
_DEED = re.compile(
    r"(?:Agreement|Contract|Lease|Plan|Indenture|Policy|Bylaws|Charter|Will|Trust|Note|Mortgage|Deed"
    r"|Amendment|Order|Guaranty|License)$"
)


def names_of(text: str, spans: Iterable[CitedSpan], /) -> tuple[str, ...]:
    """Return what a passage cites, in the order of the text, each once.

    Cases with their year where the passage has it, laws and rules as they are written, sections of
    a contract with the contract ("Master Agreement, Section 8.2"). What is not settled, such as an
    *Id.* that could be several, is left out.

    Parameters
    ----------
    text
        Of the passage.
    spans
        Its references.
    """
    found: dict[str, str] = {}
    for span in spans:
        if not span.resolved or span.confidence < _UNSURE:
            continue
        if span.type == "section":
            if owner := _owner(text, span):
                found.setdefault(f"{owner} {span.key}", f"{owner}, {' '.join(span.name.split())}")
            continue
        if span.type not in _LISTED or span.key.startswith(_DOCKET_NUMBER):
            continue
        name = " ".join(span.name.split())
        year = None
        if span.type == "case" and not _DATED.search(name) and name[-1:].isdigit():
            year = _YEAR.match(text, span.end)
        if year is not None:
            name = f"{name} ({year['court']}{year['year']})"
        if span.key not in found or (year is not None and not _DATED.search(found[span.key])):
            found[span.key] = name
    return tuple(dict.fromkeys(found.values()))


def _owner(text: str, span: CitedSpan) -> str | None:
    """Return the contract that a section belongs to, where the text says so right beside it."""
    after = _OWNER_AFTER.match(text, span.end)
    match = after or _OWNER_BEFORE.search(text, max(0, span.start - 90), span.start)
    if match is None or not _DEED.search(match["owner"]):
        return None
    return " ".join(match["owner"].removeprefix("The ").split())


@dataclass(frozen=True, slots=True)
class LegalNames:
    """Tells what the results of a search cite; nothing is read before somebody asks."""

    known: Callable[[], Cited]
    snapshot: Snapshot
    index: Index

    def of(self, place: Place, text: str, /) -> Callable[[], tuple[str, ...]]:
        """Return what tells the authorities that the passage at *place* cites."""
        data = self.index.segments[place[0]].data
        revision = data.revisions[int(data.column("revision")[place[1]])]
        number = int(data.column("chunk_index")[place[1]])
        row = int(data.column("row_id")[place[1]])
        return _Unread(self.known, self.snapshot, revision, number, row, text)


@dataclass(frozen=True, slots=True)
class _Unread:
    """Tells what a passage cites; a copy of it, as in a pickle, has been read."""

    known: Callable[[], Cited]
    snapshot: Snapshot
    revision: str
    number: int
    row: int
    text: str

    def __call__(self) -> tuple[str, ...]:
        spans = self.known().spans_of(self.revision, self.number)
        if spans is None:
            # The graph has not caught up with it, as after an import: the row itself tells.
            stored = self.snapshot.take([self.row], ["citations"])["citations"][0].as_py() or ()
            spans = [CitedSpan(*(one[name] for name in CitedSpan._fields)) for one in stored]
        return names_of(self.text, spans)

    def __reduce__(self) -> tuple[type[_Read], tuple[tuple[str, ...]]]:
        return _Read, (self(),)


@dataclass(frozen=True, slots=True)
class _Read:
    """Tells what was read."""

    names: tuple[str, ...]

    def __call__(self) -> tuple[str, ...]:
        return self.names
