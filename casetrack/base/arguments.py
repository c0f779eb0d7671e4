"""Values of arguments: names, ids and objects that refer to documents, passages and days."""

from __future__ import annotations

import difflib
import math
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeGuard, TypeVar

from casetrack.base.dataclass import dataclass, field, fields, replace
from casetrack.base.errors import AmbiguousName, UsageError
from casetrack.base.records import Chunk, Document

if TYPE_CHECKING:
    from casetrack.base.provenance import Provenance
    from casetrack.base.records.graph import Quote

# Lookup by id, start of an id or name; suggestions of similar names.

ID_PREFIX = 8
"""Signs of an id that are enough to name a thing by it."""
_SHORTEST_PART = 3
"""Letters of a part of a name; shorter ones occur in nearly every name."""
_LIKE_WORDS = 8
_SHOWN = 80
T = TypeVar("T")
N = TypeVar("N", int, float)
S = TypeVar("S", bound=str)
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that can be named: its id, its name, and other exact names such as a path."""

    id: str
    name: str
    others: tuple[str, ...] = ()


def find(asked: str, entries: Sequence[Entry], /, *, kind: str) -> int | None:
    """Return the position of the entry that *asked* names, or ``None``.

    Exact ids and names win over the start of an id, which wins over a name in other letter case.
    Raises ``AmbiguousName``: several entries match equally well.
    """
    text = asked.strip()
    folded = text.casefold()
    tests = (
        lambda e: e.id == text,
        lambda e: text in (e.name, *e.others),
        lambda e: len(text) >= ID_PREFIX and e.id.startswith(text.lower()),
        lambda e: e.name.casefold() == folded,
    )
    for test in tests:
        fits = [i for i, entry in enumerate(entries) if test(entry)]
        if len(fits) == 1:
            return fits[0]
        if fits:
            raise AmbiguousName(kind, asked, [(entries[i].name, entries[i].id) for i in fits])
    return None


def find_part(asked: str, entries: Sequence[Entry], /) -> int | None:
    """Return the position of the only entry whose name contains all words of *asked*."""
    words = _words(asked)
    if sum(map(len, words)) < _SHORTEST_PART:
        return None
    names = (entry.name.casefold() for entry in entries)
    fits = [i for i, name in enumerate(names) if all(word in name for word in words)]
    return fits[0] if len(fits) == 1 else None


def near(asked: str, entries: Sequence[Entry], /, *, limit: int = 3) -> list[tuple[str, str]]:
    """Return ``(name, id)`` of entries with a similar name or similar words, best first."""
    folded = asked.strip().casefold()
    known = {word for entry in entries for word in _words(entry.name)}
    alike = [
        {w: _ratio(word, w) for w in difflib.get_close_matches(word, known, _LIKE_WORDS, 0.7)}
        for word in _words(asked)
        if len(word) > _SHORTEST_PART
    ]
    scored = []
    for entry in entries:
        name = entry.name.casefold()
        words = _words(name) if alike else []
        ratios = [max((ratios.get(word, 0.0) for word in words), default=0.0) for ratios in alike]
        ratio = max(_ratio(folded, name), sum(ratios) / max(1, len(ratios)))
        if folded and (folded in name or name in folded):
            ratio += 0.5
        if ratio >= 0.6:
            scored.append((-ratio, entry.name, entry.id))
    return [(name, entry_id) for _, name, entry_id in sorted(scored)[:limit]]


def _words(name: str) -> list[str]:
    return re.findall(r"[^\W_]+", name.casefold())


def _ratio(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()


def suggest(name: str, known: Iterable[str], /) -> str:
    """Return a question with the most similar known name, or ""."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def shown(text: str, /) -> str:
    """Return the user's text as one line, short enough for a message."""
    line = _CONTROL.sub(" ", text).strip()
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1].rstrip() + "…"


def within(name: str, value: N, low: float, high: float | None = None, /) -> N:
    """Return *value*; raise ``UsageError`` if it is not in ``low..high``."""
    if not low <= value <= (math.inf if high is None else high):
        span = f"{low:,} or more" if high is None else f"between {low:,} and {high:,}"
        raise UsageError.of((name,), f"is {value}; it must be {span}")
    return value


def one_of(name: str, value: str, allowed: Iterable[S], /) -> S:
    """Return *value*; raise ``UsageError`` if it is not one of *allowed*."""
    for each in allowed:
        if each == value:
            return each
    what = f'is "{shown(str(value))}", which is not known'
    raise UsageError.of((name,), what, hint=f"Use one of: {', '.join(allowed)}.")


def require_pages(document: Document, first: int, last: int, /) -> None:
    """Raise ``UsageError`` if the document does not have these pages."""
    if not 1 <= first <= last <= document.page_count:
        which = f"page {first}" if first == last else f"pages {first} to {last}"
        hint = f"Its pages are 1 to {document.page_count}"
        hint += "." if first == last else ", in ascending order."
        raise UsageError(f'"{document.name}" has no {which}.', hint=hint)


def in_order(first: tuple[str, Any], last: tuple[str, Any], than: str, /) -> None:
    """Raise ``UsageError`` if *first* is above *last*; *than* is the text: "is later than"."""
    if first[1] is not None and last[1] is not None and first[1] > last[1]:
        raise UsageError.of(first, than, last, hint="Swap the two values.")


@dataclass(frozen=True, slots=True)
class ShortIds:
    """Shortest unambiguous prefixes of ids, at least 8 characters."""

    # Prefixes that several ids share, with these ids.
    crowded: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # Prefixes that are also names of documents; names take precedence over ids.
    taken: frozenset[str] = frozenset()

    @classmethod
    def among(cls, ids: Iterable[str], /, *, taken: Iterable[str] = ()) -> ShortIds:
        """Return the short forms of *ids* that differ from the names *taken*."""
        begin: dict[str, list[str]] = defaultdict(list)
        for each in ids:
            begin[each[:ID_PREFIX]].append(each)
        shared = {start: members for start, members in begin.items() if len(members) > 1}
        return cls(shared, frozenset(n for n in taken if n in begin))

    def of(self, full: str, /) -> str:
        """Return the shortest beginning of an id, of at least 8 signs, that means it alone."""
        size = ID_PREFIX
        if full[:size] in self.taken:
            return full
        for other in self.crowded.get(full[:size], ()):
            while other != full and other[:size] == full[:size]:
                size += 1
        return full[:size]


class Sourced(Protocol):
    """Something with its source: a result of a search, a chunk, a quote, a page."""

    @property
    def provenance(self) -> Provenance:
        """The source of the text."""


class Quoted(Protocol):
    """Something that quotes: a mention, an event, an amount, a citation."""

    @property
    def quote(self) -> Quote:
        """The words."""


class Passage(Protocol):
    """Something about a chunk: a similar or a related one, an encounter."""

    @property
    def chunk(self) -> Chunk:
        """The chunk."""


class PassageRow(Protocol):
    """A row that names its chunk, such as one of a data frame or of an answer of SQL."""

    @property
    def chunk_id(self) -> Any:
        """The id of the chunk."""


class DocumentRow(Protocol):
    """A row that names its document, such as one of a data frame or of an answer of SQL."""

    @property
    def document_id(self) -> Any:
        """The id of the document."""


DocumentRef: TypeAlias = "str | os.PathLike[str] | Document | DocumentRow | Mapping[str, Any]"
"""A document: its name, path or id, or the document itself, or a row with ``document_id``."""
PassageRef: TypeAlias = "str | Sourced | Quoted | Passage | PassageRow | Mapping[str, Any]"
"""A passage: the id of its chunk, an object with a source or chunk, or a row with ``chunk_id``."""


def require_text(name: object, /) -> None:
    """Raise ``UsageError`` unless *name* is a text."""
    if not isinstance(name, str):
        raise UsageError(
            f"A collection must be given by its name or id, not by {_kind(name)}.",
            hint="The argument `data_dir` selects the data folder.",
        )


def document_name(document: DocumentRef, /) -> str:
    """Return the text to look up a document by: its id, name or path.

    Raises ``UsageError``: *document* does not refer to a document.
    """
    if isinstance(document, Document):
        return document.document_id
    if isinstance(document, str):
        return document
    if (document_id := row_id(document, "document_id")) is not None:
        return document_id
    if isinstance(document, os.PathLike):
        path = Path(document)
        return path.name if len(path.parts) == 1 else str(path.expanduser().absolute())
    raise UsageError(
        f"A document must be given by its name, path or id, not by {_kind(document)}.",
        hint='For example "Lease.pdf", or an item of collection.documents().',
    )


def passage_id(place: PassageRef, /) -> str:
    """Return the id of the chunk that contains a passage.

    Raises ``UsageError``: *place* does not refer to a passage.
    """
    if isinstance(place, str):
        return place
    if (chunk_id := row_id(place, "chunk_id")) is not None:
        return chunk_id
    owner: Any = place
    for name in ("quote", "chunk"):
        owner = getattr(owner, name, owner)
    source: Provenance | None = getattr(owner, "provenance", None)
    if source is None:
        raise UsageError(
            f"A passage cannot be given by {_kind(place)}.",
            hint="Pass a search result, a chunk, a mention, an event or an amount, the id of a "
            "chunk, or a row with a column chunk_id; or a document with its page.",
        )
    return source.chunk_id


def row_id(row: object, column: str, /) -> str | None:
    """Return the id in a column of a mapping or in an attribute of a row object, or ``None``."""
    value = row.get(column) if isinstance(row, Mapping) else getattr(row, column, None)
    return value if isinstance(value, str) else None


def is_document(place: object, /) -> TypeGuard[DocumentRef]:
    """Return whether something names a document, or is one, and is no passage of one."""
    if isinstance(place, (str, os.PathLike, Document)):
        return True
    return row_id(place, "document_id") is not None and row_id(place, "chunk_id") is None


def as_documents(given: Iterable[DocumentRef] | DocumentRef | None, /) -> list[DocumentRef]:
    """Return one or many documents as a list; empty for ``None``."""
    if given is None:
        return []
    return [given] if is_document(given) else list(given)  # type: ignore[arg-type]


def day_text(day: str | date | None, /) -> str | None:
    """Return a day as text; of a moment its own date, whatever its time zone."""
    if isinstance(day, datetime):
        return day.date().isoformat()
    return day.isoformat() if isinstance(day, date) else day


def as_list(given: Iterable[str] | str, /) -> tuple[str, ...]:
    """Return all of them; a single text is one, not its letters."""
    return (given,) if isinstance(given, str) else tuple(given)


def as_paths(given: Any, /) -> list[str | Path]:
    """Return the paths of files and folders, one or many.

    Raises ``UsageError``: a value is not a path, or is empty.
    """
    one = isinstance(given, (str, os.PathLike))
    try:
        paths = [given] if one else list(given)
    except TypeError:
        paths = [given]
    for path in [given] if isinstance(given, bytes) else paths:
        if not isinstance(path, (str, os.PathLike)):
            raise UsageError(
                f"A file or folder must be given by its path, not by {_kind(path)}.",
                hint='Give a path such as "~/Contracts", or a list of paths.',
            )
        if not str(path).strip():
            raise UsageError(
                "The path of a file or folder is empty.",
                hint='Give a path such as "~/Contracts"; "." is the current folder.',
            )
    return [path if isinstance(path, str) else Path(path) for path in paths]


def _kind(thing: object) -> str:
    """Return the type of a value with its article, such as ``an int``."""
    if thing is None:
        return "None"
    name = type(thing).__name__
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"


# Limits of a search.


@dataclass(frozen=True, slots=True)
class Filter:
    """Documents to search; a document must satisfy every given field."""

    # One document or several, each by name, path, id or object.
    documents: Iterable[DocumentRef] | DocumentRef | None = None
    kinds: Iterable[str] | str | None = None  # document types or file formats, any of them
    # since, until: first and last day, as a date or text such as `2024-03-12`, `2024-03` or `2024`;
    # only the day of a moment such as `2024-03-12T10:30:00Z` counts.
    since: str | date | None = None
    until: str | date | None = None
    # Sources (`git:platform`) or their kinds (`git`), any of them; `filesystem` for files that the
    # user added by path.
    sources: Iterable[str] | str | None = None
    # Patterns as in `.gitignore` (`docs/**`, `*.md`, `!tests/`); the last match decides. Each may
    # begin at any folder; a pattern with an initial slash, only at the first.
    paths: Iterable[str] | str | None = None
    # Codes (`de`) or English names (`German`), `Python` for source code, any of them.
    languages: Iterable[str] | str | None = None
    # Ids of the view `entities`, such as `person:ann-lee`; a passage must mention all.
    mentions: Iterable[str] | str | None = None

    def asked(self) -> dict[str, Any]:
        """Return it as arguments of a search, by their names."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def fixed(self) -> Filter:
        """Return a copy with iterators and lists replaced by tuples."""

        def fixed(given: Iterable[str] | str | None) -> tuple[str, ...] | None:
            return None if given is None else as_list(given)

        return replace(
            self,
            kinds=fixed(self.kinds),
            sources=fixed(self.sources),
            paths=fixed(self.paths),
            languages=fixed(self.languages),
            mentions=fixed(self.mentions),
        )
