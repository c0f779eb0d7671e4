"""Places where authorities are cited, looked up by key and by name in the stored graph segments.

A search calls this before it ranks, so nothing is built here: documents without a stored segment
are not covered. Keys and names are compared in their dictionaries, once per distinct value.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from casetrack.base.dataclass import dataclass, field
from casetrack.base.words import WordLists
from casetrack.base.words.lists import LEGAL_FORMS
from casetrack.graph.stored_segments import segment_folder
from casetrack.store.index.arrays import as_numpy, one_chunk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from casetrack.graph.segment import GraphSegment
    from casetrack.store.datasets import Snapshot
    from casetrack.store.index.index import Index
    from casetrack.store.index.scope import Place

_LISTS = WordLists(__file__)
_CASE = "case:"
_NAMED = r"(?i)\sv\.?s?\.?\s|^(?:in re|ex parte|(?:in the )?matter of)\s"


class CitedCase(NamedTuple):
    """A case under one of its cited names: key and name."""

    key: str
    name: str


class CitedAt(NamedTuple):
    """A citation by its chunk; *start* and *end* are offsets in the chunk's text."""

    chunk_id: str
    start: int
    end: int
    key: str


class CitedSpan(NamedTuple):
    """A reference in a passage; fields as in :class:`casetrack.extract.spans.ReferenceSpan`."""

    start: int
    end: int
    type: str
    key: str
    name: str
    resolved: bool
    confidence: float


@dataclass(frozen=True)
class Cited:
    """The citations in the documents of some segments, including dead revisions."""

    segments: tuple[GraphSegment, ...]
    _known: dict[str, tuple[CitedCase, ...]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, folder: Path, snapshot: Snapshot, /) -> Cited:
        """Open the stored segments of a collection folder; missing ones are not built."""
        home = folder / "views" / "graph" / "segments"
        return cls(tuple(segment_folder(home, snapshot).stored(snapshot.generation).values()))

    @cached_property
    def _cases(self) -> list[CitedCase]:
        """Return all cases that are cited by name, each name once."""
        cases: dict[CitedCase, None] = {}
        for part in self.segments:
            rows = part.tables["citations"]
            if not rows.num_rows:
                continue
            import pyarrow.compute as pc

            # Without ``group_by``, which imports the query engine of Arrow: 20 ms.
            keys, names = (rows[n].cast(pa.string()) for n in ("key", "name"))
            named = pc.and_(pc.starts_with(keys, _CASE), pc.match_substring_regex(names, _NAMED))
            pairs = (column.filter(named).to_pylist() for column in (keys, names))
            cases.update(dict.fromkeys(map(CitedCase, *pairs)))
        return sorted(cases)

    @cached_property
    def _joined(self) -> tuple[str, list[int]]:
        """Return all names in lower case, one per line, and the start offset of each."""
        names = [case.name.lower().replace("\n", " ") for case in self._cases]
        return "\n".join(names), list(accumulate((len(name) + 1 for name in names), initial=0))

    @cached_property
    def names_cases(self) -> bool:
        """Whether any case is cited by name."""
        return bool(self._cases)

    def cases_with(self, word: str, /) -> tuple[CitedCase, ...]:
        """Return the cases whose name has a word that starts with *word*, ignoring case."""
        word = word.lower()
        if word not in self._known:
            text, starts = self._joined
            rows: dict[int, None] = {}
            at = text.find(word) if word else -1
            while at >= 0:
                if not at or not text[at - 1].isalnum():
                    rows[bisect_right(starts, at) - 1] = None
                at = text.find(word, at + 1)
            self._known[word] = tuple(self._cases[row] for row in rows)
        return self._known[word]

    def keys(self, *, starting: Iterable[str]) -> tuple[str, ...]:
        """Return the keys that equal one of *starting*, or extend one with a hyphen."""
        import pyarrow.compute as pc

        matches: dict[str, None] = {}
        wanted = list(starting)
        for part in self.segments:
            known = _words(part.tables["citations"], "key")
            for key in wanted:
                fits = pc.or_(pc.equal(known, key), pc.starts_with(known, key.rstrip("-") + "-"))
                matches.update(dict.fromkeys(known.filter(fits).to_pylist()))
        return tuple(matches)

    def keys_ending(self, start: str, end: str, /) -> tuple[str, ...]:
        """Return the keys that start with *start* and end with *end*."""
        import pyarrow.compute as pc

        matches: dict[str, None] = {}
        for part in self.segments:
            known = _words(part.tables["citations"], "key")
            fits = pc.and_(pc.starts_with(known, start), pc.ends_with(known, end))
            matches.update(dict.fromkeys(known.filter(fits).to_pylist()))
        return tuple(matches)

    def at(self, keys: Sequence[str], /) -> list[CitedAt]:
        """Return the places that cite one of *keys* with a resolved citation."""
        import pyarrow.compute as pc

        wanted = pa.array(keys, pa.string())
        places: list[CitedAt] = []
        for part in self.segments:
            table = part.tables["citations"]
            codes = np.flatnonzero(as_numpy(pc.is_in(_words(table, "key"), value_set=wanted)))
            if not len(codes):
                continue
            rows = np.flatnonzero(np.isin(_codes(table, "key"), codes))
            cited = table.take(pa.array(rows))
            cited = cited.filter(cited["resolved"])
            chunks = part.tables["chunks"]["chunk_id"].take(cited["chunk"]).to_pylist()
            values = (cited[n].to_pylist() for n in ("char_start", "char_end", "key"))
            places += map(CitedAt, chunks, *values)
        return places

    def spans_of(self, revision: str, chunk_index: int, /) -> list[CitedSpan] | None:
        """Return the references in one passage, in order; ``None`` if no segment contains it."""
        for part in self.segments:
            code = bisect_left(part.revisions, revision)
            if code == len(part.revisions) or part.revisions[code] != revision:
                continue
            chunk = int(part.starts[code]) + chunk_index
            rows = part.tables["citations"]
            low, high = np.searchsorted(as_numpy(rows["chunk"]), [chunk, chunk + 1])
            cited = rows.slice(int(low), int(high - low))
            return [CitedSpan(*row) for row in zip(*_values(cited), strict=True)]
        return None


def _values(rows: pa.Table) -> list[list[Any]]:
    names = ("char_start", "char_end", "type", "key", "name", "resolved", "confidence")
    return [rows[name].to_pylist() for name in names]


def distinctive(name: str, /) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the distinctive words of both parties of a case, in lower case.

    The second tuple is empty for a case with one party ("In re Enron Corp.").

    >>> distinctive("Daubert v. Merrell Dow Pharmaceuticals, Inc., 509 U.S. 579")
    (('daubert',), ('merrell', 'dow', 'pharmaceuticals'))
    >>> distinctive("In re Enron Corp. Sec. Litig.")
    (('enron', 'sec'), ())
    """
    named = _REPORTER_AFTER.split(name, maxsplit=1)[0]
    sides = _VERSUS.split(named, maxsplit=1)
    left = _ONE_PARTY.sub("", sides[0])
    return party_words(left), party_words(sides[1]) if len(sides) > 1 else ()


def party_words(party: str, /) -> tuple[str, ...]:
    """Return the distinctive words of a party's name, in lower case."""
    words = (w.strip("'\u2019.-") for w in _WORD.findall(party.lower().replace("\u2019", "'")))
    return tuple(w for w in words if w and w not in _GENERIC)


def same_word(one: str, other: str, /) -> bool:
    """Return whether two words of names are equal or one is a legal abbreviation of the other.

    >>> same_word("pharm", "pharmaceuticals"), same_word("ass'n", "association")
    (True, True)
    """
    short, long = sorted((one, other), key=len)
    if short == long:
        return True
    if "'" in short:
        head, _, tail = short.partition("'")
        return len(head) > 1 and long.startswith(head) and long.rstrip("s").endswith(tail)
    return len(short) >= _SHORTEST and long.startswith(short.rstrip("s"))


_WORD = re.compile(r"[^\W_]+(?:['&.-][^\W_]+)*")
_VERSUS = re.compile(r"\s(?:v|vs|versus)\.?\s", re.IGNORECASE)
_ONE_PARTY = re.compile(r"^\s*(?:in\s+re|ex\s+parte|(?:in\s+the\s+)?matter\s+of)\s+", re.IGNORECASE)
_REPORTER_AFTER = re.compile(r",\s+(?=\d)|\s+\(")
_SHORTEST = 4
_GENERIC = frozenset(
    "the of and & a an in re ex parte matter l.l.c l.p l.l.p n.a s.a n.v gmbh et al litig "
    "litigation ors anor for on behalf rel see also cf accord compare citing quoting".split()
).union(LEGAL_FORMS.words("usual"))


def _words(table: pa.Table, name: str) -> pa.Array:
    return one_chunk(table[name]).dictionary


def _codes(table: pa.Table, name: str) -> np.ndarray:
    return as_numpy(one_chunk(table[name]).indices)


# The authorities that a passage cites, as text.

_LISTED = frozenset(("case", "regulation", "rule", "constitution"))
_DOCKET_NUMBER = "case:no-"
_UNSURE = 0.6
"""Minimum confidence: below it, a "reporter" may be a number in a table."""
_DATED = re.compile(r"\(\D{0,40}?((?:17|18|19|20)\d\d)\)$")
_YEAR = re.compile(r"[^();.]{0,40}\((?P<court>[^()]{0,40}?)(?P<year>(?:17|18|19|20)\d\d)\)")
_OWNER_AFTER = _LISTS.pattern("owner_after")
_OWNER_BEFORE = _LISTS.pattern("owner_before")
_DEED = _LISTS.pattern("deed")


def names_of(text: str, spans: Iterable[CitedSpan], /) -> tuple[str, ...]:
    """Return the authorities that a passage cites, in text order, each once.

    Cases get their year if the passage has it, laws and rules keep their written form, and sections
    of a contract include the contract ("Master Agreement, Section 8.2"). Unresolved citations, such
    as an ambiguous *Id.*, are left out.
    """
    names: dict[str, str] = {}
    for span in spans:
        if not span.resolved or span.confidence < _UNSURE:
            continue
        if span.type == "section":
            if owner := _owner(text, span):
                names.setdefault(f"{owner} {span.key}", f"{owner}, {' '.join(span.name.split())}")
            continue
        if span.type not in _LISTED or span.key.startswith(_DOCKET_NUMBER):
            continue
        name = " ".join(span.name.split())
        year = None
        if span.type == "case" and not _DATED.search(name) and name[-1:].isdigit():
            year = _YEAR.match(text, span.end)
        if year is not None:
            name = f"{name} ({year['court']}{year['year']})"
        if span.key not in names or (year is not None and not _DATED.search(names[span.key])):
            names[span.key] = name
    return tuple(dict.fromkeys(names.values()))


def _owner(text: str, span: CitedSpan) -> str | None:
    """Return the contract of a section if the text names it directly before or after."""
    after = _OWNER_AFTER.match(text, span.end)
    match = after or _OWNER_BEFORE.search(text, max(0, span.start - 90), span.start)
    if match is None or not _DEED.search(match["owner"]):
        return None
    return " ".join(match["owner"].removeprefix("The ").split())


def legal_names(
    known: Callable[[], Cited], snapshot: Snapshot, index: Index, place: Place, text: str, /
) -> tuple[str, ...]:
    """Return the authorities that a passage cites."""
    data, at = index.segments[place[0]].data, place[1]
    revision = data.revisions[int(data.column("revision")[at])]
    spans = known().spans_of(revision, int(data.column("chunk_index")[at]))
    if spans is None:
        # The graph does not contain the passage yet, for example after an import: read the stored
        # row.
        row = int(data.column("row_id")[at])
        stored = snapshot.take([row], ["citations"])["citations"][0].as_py() or ()
        spans = [CitedSpan(*(one[name] for name in CitedSpan._fields)) for one in stored]
    return names_of(text, spans)
