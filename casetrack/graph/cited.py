"""Where authorities are cited, by key and by name: looked up in the stored segments of the graph.

A search asks here before it ranks, so nothing is made for it: what the segments do not hold yet is
not found here. Keys and names are compared in their dictionaries, each once however often it is
cited.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

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

_CASE = "case:"
_NAMED = r"(?i)\sv\.?s?\.?\s|^(?:in re|ex parte|(?:in the )?matter of)\s"


class CitedCase(NamedTuple):
    """A case as it is called somewhere: its key and the name there."""

    key: str
    name: str


class CitedAt(NamedTuple):
    """A place that cites something, by its chunk; *start* and *end* count in the chunk's text."""

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
    """What the documents of some segments cite, dead revisions among them.

    Attributes
    ----------
    segments
        The segments.
    """

    segments: tuple[GraphSegment, ...]
    _known: dict[str, tuple[CitedCase, ...]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, folder: Path, snapshot: Snapshot, /) -> Cited:
        """Open what is stored in the folder of a collection; nothing is made that is missing."""
        home = folder / "views" / "graph" / "segments"
        return cls(tuple(segment_folder(home, snapshot).stored(snapshot.generation).values()))

    @cached_property
    def _cases(self) -> list[CitedCase]:
        """Return every case that is cited by name, each name once."""
        found: dict[CitedCase, None] = {}
        for part in self.segments:
            rows = part.tables["citations"]
            if not rows.num_rows:
                continue
            pairs = rows.select(["key", "name"]).group_by(["key", "name"]).aggregate([])
            pairs = pa.table({n: pairs[n].cast(pa.string()) for n in ("key", "name")})
            named = pc.and_(
                pc.starts_with(pairs["key"], _CASE), pc.match_substring_regex(pairs["name"], _NAMED)
            )
            pairs = pairs.filter(named)
            keys, names = (pairs[n].to_pylist() for n in ("key", "name"))
            found.update(dict.fromkeys(map(CitedCase, keys, names)))
        return sorted(found)

    @cached_property
    def _joined(self) -> tuple[str, list[int]]:
        """Return all names in small letters, one a line, and where each begins."""
        names = [case.name.lower().replace("\n", " ") for case in self._cases]
        return "\n".join(names), list(accumulate((len(name) + 1 for name in names), initial=0))

    @cached_property
    def names_cases(self) -> bool:
        """Whether any case is cited by name."""
        return bool(self._cases)

    def cases_with(self, word: str, /) -> tuple[CitedCase, ...]:
        """Return the cases in whose name a word begins with *word*, in any letter case."""
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
        """Return the keys that are one of *starting*, or go on after one with a hyphen."""
        found: dict[str, None] = {}
        wanted = list(starting)
        for part in self.segments:
            known = _words(part.tables["citations"], "key")
            for key in wanted:
                fits = pc.or_(pc.equal(known, key), pc.starts_with(known, key.rstrip("-") + "-"))
                found.update(dict.fromkeys(known.filter(fits).to_pylist()))
        return tuple(found)

    def keys_ending(self, start: str, end: str, /) -> tuple[str, ...]:
        """Return the keys that begin with *start* and end with *end*."""
        found: dict[str, None] = {}
        for part in self.segments:
            known = _words(part.tables["citations"], "key")
            fits = pc.and_(pc.starts_with(known, start), pc.ends_with(known, end))
            found.update(dict.fromkeys(known.filter(fits).to_pylist()))
        return tuple(found)

    def at(self, keys: Sequence[str], /) -> list[CitedAt]:
        """Return the places that surely cite one of *keys*."""
        wanted = pa.array(keys, pa.string())
        found: list[CitedAt] = []
        for part in self.segments:
            table = part.tables["citations"]
            codes = np.flatnonzero(as_numpy(pc.is_in(_words(table, "key"), value_set=wanted)))
            if not len(codes):
                continue
            rows = np.flatnonzero(np.isin(_codes(table, "key"), codes))
            here = table.take(pa.array(rows))
            here = here.filter(here["resolved"])
            chunks = part.tables["chunks"]["chunk_id"].take(here["chunk"]).to_pylist()
            values = (here[n].to_pylist() for n in ("char_start", "char_end", "key"))
            found += map(CitedAt, chunks, *values)
        return found

    def spans_of(self, revision: str, chunk_index: int, /) -> list[CitedSpan] | None:
        """Return the references in one passage, in order; ``None`` where it is not stored here."""
        for part in self.segments:
            code = bisect_left(part.revisions, revision)
            if code == len(part.revisions) or part.revisions[code] != revision:
                continue
            chunk = int(part.starts[code]) + chunk_index
            rows = part.tables["citations"]
            low, high = np.searchsorted(as_numpy(rows["chunk"]), [chunk, chunk + 1])
            here = rows.slice(int(low), int(high - low))
            return [CitedSpan(*row) for row in zip(*_values(here), strict=True)]
        return None


def _values(rows: pa.Table) -> list[list[Any]]:
    names = ("char_start", "char_end", "type", "key", "name", "resolved", "confidence")
    return [rows[name].to_pylist() for name in names]


def distinctive(name: str, /) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words of both parties of a case that tell it from others, in small letters.

    Of a case with one party ("In re Enron Corp."), the second is empty.

    Examples
    --------
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
    """Return the words of a party's name that tell it from others, in small letters."""
    words = (w.strip("'\u2019.-") for w in _WORD.findall(party.lower().replace("\u2019", "'")))
    return tuple(w for w in words if w and w not in _GENERIC)


def same_word(one: str, other: str, /) -> bool:
    """Return whether two words of names are one, as written out or as lawyers abbreviate it.

    Examples
    --------
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


# The authorities that a passage cites, in words.

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
    """Reads what a passage cites when it is first called; a pickled copy contains the names."""

    known: Callable[[], Cited]
    snapshot: Snapshot
    index: Index
    place: Place
    text: str

    def __call__(self) -> tuple[str, ...]:
        """Return the names."""
        data, at = self.index.segments[self.place[0]].data, self.place[1]
        revision = data.revisions[int(data.column("revision")[at])]
        spans = self.known().spans_of(revision, int(data.column("chunk_index")[at]))
        if spans is None:
            # The graph has not caught up with it, as after an import: the row itself tells.
            row = int(data.column("row_id")[at])
            stored = self.snapshot.take([row], ["citations"])["citations"][0].as_py() or ()
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
