"""Filters of a search: documents, kinds, sources, paths, languages, dates and mentions.

Documents are given by name, path or id. A kind is a document type (contract, report, ...) or a
format (pdf, docx, ...). A source is written as its collection shows it (``git:platform``), or by
its kind (``git``). A path is a pattern as in ``.gitignore`` that may start at any folder, applied
to the source's name of a document or else the path of its file. A language is the code or English
name of the main language of the text; for source code also the programming language. The date of a
document is :attr:`dated_at`: the last change in its source, else the date it states, else that of
the file. A filter by mentions selects passages.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.base import arguments
from casetrack.base.arguments import Filter, as_documents, as_list, day_text
from casetrack.base.dataclass import dataclass, field
from casetrack.base.errors import See, UsageError
from casetrack.base.records import DOCUMENT_TYPES
from casetrack.base.records.documents import FILES, own_moment
from casetrack.base.years import recorded
from casetrack.extract.language import called
from casetrack.graph.opened import graph_of
from casetrack.store.index.scope import scope_of, scope_of_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import date, datetime

    from numpy.typing import NDArray

    from casetrack.store.index.index import Index
    from casetrack.store.index.scope import Scope
    from casetrack.store.workspace import State

    Mask = NDArray[np.bool_]

# Facts for filters as columns over the documents of one state: thousands at a time.

_OTHER = "other"


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts of all documents, in ledger order; texts are empty if unknown."""

    ids: NDArray[np.object_]
    types: NDArray[np.str_]
    formats: NDArray[np.str_]
    # Such as ``git:platform`` and ``git``.
    sources: NDArray[np.str_]
    source_kinds: NDArray[np.str_]
    # The source's name of the document, or the path of its file; with slashes.
    called: list[str] = field(repr=False)
    # Of the text, and of programming.
    languages: NDArray[np.str_]
    code_languages: NDArray[np.str_]
    days: NDArray[np.str_]  # ``YYYY-MM-DD``; see :attr:`casetrack.base.records.Document.dated_at`
    by_file: NDArray[np.bool_]  # Whether the date is only that of the file
    _places: dict[str, int] = field(repr=False)

    def place(self, document_id: str, /) -> int:
        """Return the position of a document."""
        return self._places[document_id]

    def fit(self, patterns: tuple[str, ...], /) -> NDArray[np.bool_]:
        """Return which documents match path patterns; see the attribute ``paths`` of a filter."""
        fits = _matcher(patterns)
        return np.fromiter(map(fits, self.called), dtype=np.bool_, count=len(self.called))


def facts_of(state: State, /) -> Facts:
    """Return the facts of a state's documents; kept with :meth:`State.once`."""
    table = state.snapshot.documents.table

    def column(name: str) -> list[Any]:
        return list(table[name].to_pylist())

    ids = column("document_id")
    sources = [source or FILES for source in column("source")]
    properties = [{p["name"]: p["value"] for p in pairs or ()} for pairs in column("properties")]
    written = map(column, ("content_created_at", "content_modified_at"))
    own = list(map(own_moment, column("source_updated_at"), properties, *written))
    files = zip(own, column("file_modified_at"), column("ingested_at"), strict=True)
    dates: list[datetime] = [day or recorded(file) or added for day, file, added in files]
    named = zip(column("source_id"), column("path"), strict=True)
    return Facts(
        ids=np.array(ids, dtype=np.object_),
        types=_texts(kind or _OTHER for kind in column("document_type")),
        formats=_texts(kind.casefold() for kind in column("format")),
        sources=_texts(sources),
        source_kinds=_texts(source.partition(":")[0] for source in sources),
        called=[(source_id or path).replace("\\", "/").lstrip("/") for source_id, path in named],
        languages=_texts(language or "" for language in column("language")),
        code_languages=_texts(
            pairs.get("language", "") if kind == "code" else ""
            for kind, pairs in zip(column("format"), properties, strict=True)
        ),
        days=_texts(day.date().isoformat() for day in dates),
        by_file=np.array([day is None for day in own], dtype=np.bool_),
        _places={document: place for place, document in enumerate(ids)},
    )


def _texts(values: Any) -> NDArray[np.str_]:
    return np.array(list(values), dtype=np.str_)


def _matcher(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Return a function that matches paths; ``UsageError`` if a pattern is invalid."""
    from pathspec import GitIgnoreSpec

    lines = ["*"] if patterns and all(p.lstrip().startswith("!") for p in patterns) else []
    for pattern in patterns:
        text = pattern.strip().replace("\\", "/")
        sign, text = ("!", text[1:]) if text.startswith("!") else ("", text)
        try:
            if not text.strip("/ ") or text.startswith("#"):
                raise ValueError(text)
            # As users mean it: `docs/*.md` in any folder that contains `docs`.
            lines.append(f"{sign}{text}" if text.startswith("/") else f"{sign}**/{text}")
            GitIgnoreSpec.from_lines(lines)
        except ValueError as error:
            raise UsageError(
                f'"{arguments.shown(pattern)}" is not a path pattern.',
                hint='Examples: "docs/**", "*.md", "!tests/".',
            ) from error
    return GitIgnoreSpec.from_lines(lines).match_file


_KEPT = 64
"""Maximum number of filters with cached documents, for each state."""
_TIME_OF_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}\S*")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The documents that pass a filter."""

    documents: frozenset[str] | None  # Their ids; ``None`` without a filter
    notes: tuple[str, ...] = ()
    # Per segment of the index the rows of the remaining passages; ``None`` for all passages of the
    # documents.
    rows: tuple[Mask, ...] | None = field(default=None, repr=False, compare=False)

    @property
    def only(self) -> str | None:
        """The only remaining document, or ``None``."""
        return next(iter(self.documents)) if self.documents and len(self.documents) == 1 else None

    def scope(self, index: Index, /) -> Scope:
        """Return the remaining passages in the index of the same state."""
        if self.rows is None:
            return scope_of(index, self.documents)
        return scope_of_rows(index, self.rows, self.documents)


def choose(state: State, wanted: Filter, /) -> Chosen:
    """Return the documents of a collection that pass a filter.

    Raises ``DocumentNotFound`` (with similar names) or ``AmbiguousName`` for the name of a
    document, and ``UsageError`` for an unknown kind, source or language, an invalid date or
    pattern, or a first day later than the last.
    """
    wanted = wanted.fixed()
    if wanted == Filter():
        return Chosen(None)
    if wanted.documents is not None:
        return _choose(state, wanted)
    # Users ask several questions about the same documents.
    known = state.once(_known)
    if wanted not in known:
        if len(known) >= _KEPT:
            known.clear()
        known[wanted] = _choose(state, wanted)
    return known[wanted]


def _known(_: State) -> dict[Filter, Chosen]:
    return {}


def _choose(state: State, wanted: Filter) -> Chosen:
    facts = state.once(facts_of)
    left = np.ones(len(facts.ids), dtype=np.bool_)
    notes, steps = list[str](), list[str]()

    def keep(passes: Mask, label: str) -> None:
        np.logical_and(left, passes, out=left)
        steps.append(f"{int(left.sum()):,} {label}")

    if wanted.documents is not None:
        named = [state.document(each).document_id for each in as_documents(wanted.documents)]
        passes = np.zeros(len(left), dtype=np.bool_)
        passes[[facts.place(document) for document in named]] = True
        keep(passes, "named")
    for given, column in _columns(wanted, facts):
        known = column.known(as_list(given))
        keep(column.among(known), f"{column.said} {' or '.join(sorted(known))}")
    if wanted.paths is not None:
        patterns = as_list(wanted.paths)
        keep(facts.fit(patterns), f"under {' or '.join(patterns)}")
    if wanted.since is not None or wanted.until is not None:
        first, last, days = _within(wanted.since, wanted.until)
        if by_file := int(np.count_nonzero(left & facts.by_file)):
            notes.append(
                f"{by_file:,} of {int(left.sum()):,} documents state no date; the date of their "
                "file was used."
            )
        keep((facts.days >= first) & (facts.days <= last), days)
    if not left.any() and len(left):
        notes.append(
            f"No document passes the filter: {', of these '.join(steps)}. Remove a condition; "
            f"{See('documents')} lists the documents."
        )
    chosen = Chosen(frozenset(facts.ids[left].tolist()), tuple(notes))
    return _mentioning(state, as_list(wanted.mentions), chosen) if wanted.mentions else chosen


def _mentioning(state: State, entities: Sequence[str], chosen: Chosen) -> Chosen:
    """Return the remaining documents and passages that also mention entities."""
    from casetrack.store.sql.connection import sql_text

    table = graph_of(state).sql(sql_text("mentioning"), {"entity_ids": sorted(set(entities))})
    documents = chosen.documents or frozenset()
    kept = [
        (chunk, document)
        for chunk, document in zip(*map(list, table.to_pydict().values()), strict=True)
        if document in documents
    ]
    rows = [np.zeros(part.data.size, dtype=np.bool_) for part in state.index.segments]
    for number, row in state.index.places([chunk for chunk, _ in kept]).values():
        rows[number][row] = True
    notes = chosen.notes
    if documents and not kept:
        notes = (*notes, "No passage of these documents mentions all of them.")
    return Chosen(frozenset(document for _, document in kept), notes, tuple(rows))


@dataclass(frozen=True, slots=True)
class _Column:
    """A fact for filters: each document has one or two values of it."""

    # Names of the fact in the message about an unknown value, and in the note about a filter.
    what: str
    said: str
    plural: str
    # One text array per value; empty texts for documents without it.
    values: Sequence[NDArray[np.str_]]
    always: Sequence[str] = ()  # Values that are accepted even if no document has them
    forms: dict[str, str] | None = None  # Other spellings of values, in lower case
    listed: int = 2  # Number of the arrays whose values are listed in the error message

    def among(self, wanted: frozenset[str]) -> Mask:
        """Return which documents have one of some values."""
        mask: Mask = np.isin(self.values[0], list(wanted))
        for more in self.values[1:]:
            mask |= np.isin(more, list(wanted))
        return mask

    def known(self, asked: Iterable[str]) -> frozenset[str]:
        """Return values in their stored spelling; ``UsageError`` if one is unknown."""
        counts = Counter(v for column in self.values for v in column.tolist() if v)
        written = {v.casefold(): v for v in (*self.always, *counts)}
        forms = written | {k: v for k, v in (self.forms or {}).items() if v in counts}
        values = set[str]()
        for each in asked:
            text = each.strip().casefold().removeprefix(".")
            value = forms.get(text) or forms.get(text.removesuffix("s"))
            if value is None:
                near = arguments.near(
                    text, [arguments.Entry(k, v) for k, v in sorted(written.items())]
                )
                meant = f" Did you mean {' or '.join(n for n, _ in near)}?" if near else ""
                some = Counter(v for c in self.values[: self.listed] for v in c.tolist() if v)
                listed = ", ".join(k for k, _ in some.most_common()) or "none"
                raise UsageError(
                    f'Unknown {self.what} "{arguments.shown(each)}".{meant}',
                    hint=f"{self.plural} in this collection: {listed}.",
                )
            values.add(value)
        return frozenset(values)


def _columns(wanted: Filter, facts: Facts) -> Iterable[tuple[Iterable[str] | str, _Column]]:
    """Yield the filters on facts with few values, and these facts."""
    if wanted.kinds is not None:
        column = _Column(
            "kind of document", "of the kind", "Kinds", (facts.types, facts.formats), DOCUMENT_TYPES
        )
        yield wanted.kinds, column
    if wanted.sources is not None:
        yield (
            wanted.sources,
            _Column("source", "from", "Sources", (facts.sources, facts.source_kinds), listed=1),
        )
    if wanted.languages is not None:
        values = (facts.languages, facts.code_languages)
        forms = {called(v).casefold(): v for v in np.unique(facts.languages).tolist() if v}
        yield wanted.languages, _Column("language", "in", "Languages", values, (), forms)


def _within(since: str | date | None, until: str | date | None) -> tuple[str, str, str]:
    """Return the first and the last day, and a description of the period."""
    from casetrack.extract.days import day_span

    start, end = (_day(day_text(day)) for day in (since, until))
    first = day_span(start)[0] if start is not None else ""
    last = day_span(end)[1] if end is not None else "9999-12-31"
    arguments.in_order(("since", first), ("until", last), "is later than")
    words = [f"since {first}"] * (start is not None) + [f"until {last}"] * (end is not None)
    return first, last, " and ".join(words)


def _day(typed: str | None) -> str | None:
    """Return the day of an ISO timestamp; other texts are returned unchanged."""
    moment = None if typed is None else _TIME_OF_DAY.fullmatch(typed.strip())
    return moment[1] if moment else typed
