"""What a search looks at: documents that are named, of a kind, of a source, of a time; mentions.

Documents are given by name, path or id. A kind is a type of document (contract, report, ...) or a
format (pdf, docx, ...). A source is written as its collection shows it (``git:platform``), or by
its kind alone (``git``). A path is a pattern as in ``.gitignore`` that may begin at any folder: of
what its source calls a document, or else of the path of its file. A language is the code of the
one that most of its text is in, or its English name; of source code also that of programming. The
date of a document is :attr:`dated_at`: when its source last changed it,
or else its own account, or else that of the file. What is mentioned narrows further, to passages.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from casetrack.base import names
from casetrack.base.arguments import as_documents, day_text, several
from casetrack.base.errors import UsageError
from casetrack.base.filters import Filter
from casetrack.base.records import DOCUMENT_TYPES
from casetrack.extract.language import called
from casetrack.extract.typed_dates import day_span
from casetrack.graph.opened import graph_of
from casetrack.search.facts import Facts, facts_of
from casetrack.store.index.scope import scope_of, scope_of_rows
from casetrack.store.sql.connection import sql_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date

    from numpy.typing import NDArray

    from casetrack.store.index.index import Index
    from casetrack.store.index.scope import Scope
    from casetrack.store.workspace import State

    Mask = NDArray[np.bool_]

_KEPT = 64
"""Filters whose documents are known, for each state."""
_TIME_OF_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}\S*")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The documents that a filter leaves.

    Attributes
    ----------
    documents
        Their ids; ``None`` where there is no filter.
    notes
        What the user should know of the choice.
    rows
        Per segment of the index the rows of the passages that are left; ``None`` where they are
        all of the documents.
    """

    documents: frozenset[str] | None
    notes: tuple[str, ...] = ()
    rows: tuple[Mask, ...] | None = field(default=None, repr=False, compare=False)

    @property
    def only(self) -> str | None:
        """The one document that is left, where it is only one."""
        return next(iter(self.documents)) if self.documents and len(self.documents) == 1 else None

    def scope(self, index: Index, /) -> Scope:
        """Return the passages that are left, in the index of the same state."""
        if self.rows is None:
            return scope_of(index, self.documents)
        return scope_of_rows(index, self.rows, self.documents)


def choose(state: State, wanted: Filter, /) -> Chosen:
    """Return the documents of a collection that a filter leaves.

    Raises
    ------
    DocumentNotFound, AmbiguousName
        There is no such document (near names are suggested), or several bear the name.
    UsageError
        There is no such kind, source or language, a date or a pattern cannot be read, or the first
        day comes after the last.
    """
    wanted = wanted.fixed()
    if wanted == Filter():
        return Chosen(None)
    if wanted.documents is not None:
        return _choose(state, wanted)
    # A person asks one thing after the other of the same documents.
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
    notes, told = list[str](), list[str]()

    def keep(passes: Mask, said: str) -> None:
        np.logical_and(left, passes, out=left)
        told.append(f"{int(left.sum()):,} {said}")

    if wanted.documents is not None:
        named = [state.document(each).document_id for each in as_documents(wanted.documents)]
        passes = np.zeros(len(left), dtype=np.bool_)
        passes[[facts.place(document) for document in named]] = True
        keep(passes, "named")
    for given, column in _columns(wanted, facts):
        found = column.known(several(given))
        keep(column.among(found), f"{column.said} {' or '.join(sorted(found))}")
    if wanted.paths is not None:
        patterns = several(wanted.paths)
        keep(facts.fit(patterns), f"under {' or '.join(patterns)}")
    if wanted.since is not None or wanted.until is not None:
        first, last, days = _within(wanted.since, wanted.until)
        if by_file := int(np.count_nonzero(left & facts.by_file)):
            notes.append(
                f"{by_file:,} of {int(left.sum()):,} documents tell no date of their own; the date "
                "of their file counted."
            )
        keep((facts.days >= first) & (facts.days <= last), days)
    if not left.any() and len(left):
        notes.append(
            f"No document passes the filter: {', of these '.join(told)}. Leave a part of it out; "
            "`casetrack documents` shows what is there."
        )
    chosen = Chosen(frozenset(facts.ids[left].tolist()), tuple(notes))
    return _mentioning(state, several(wanted.mentions), chosen) if wanted.mentions else chosen


def _mentioning(state: State, entities: Sequence[str], chosen: Chosen) -> Chosen:
    """Return what is left where passages must mention some entities, too."""
    found = graph_of(state).sql(sql_text("mentioning"), {"entity_ids": sorted(set(entities))})
    documents = chosen.documents or frozenset()
    kept = [
        (chunk, document)
        for chunk, document in zip(*map(list, found.to_pydict().values()), strict=True)
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
    """A fact by which documents are chosen: each document has one or two values of it.

    Attributes
    ----------
    what, said
        How an unknown one and a chosen one are told.
    values
        One array per value that a document has, text; empty where it has none.
    always
        Values that may be asked for although no document has them.
    forms
        Other ways to write a value, in small letters.
    listed
        How many of the values of a document are listed where one is unknown.
    """

    what: str
    said: str
    plural: str
    values: Sequence[NDArray[np.str_]]
    always: Sequence[str] = ()
    forms: dict[str, str] | None = None
    listed: int = 2

    def among(self, wanted: frozenset[str]) -> Mask:
        """Return which documents have one of some values."""
        found: Mask = np.isin(self.values[0], list(wanted))
        for more in self.values[1:]:
            found |= np.isin(more, list(wanted))
        return found

    def known(self, asked: Iterable[str]) -> frozenset[str]:
        """Return values as they are written here.

        Raises
        ------
        UsageError
            One of them is unknown.
        """
        here = Counter(v for column in self.values for v in column.tolist() if v)
        written = {v.casefold(): v for v in (*self.always, *here)}
        forms = written | {k: v for k, v in (self.forms or {}).items() if v in here}
        found = set[str]()
        for each in asked:
            text = each.strip().casefold().removeprefix(".")
            value = forms.get(text) or forms.get(text.removesuffix("s"))
            if value is None:
                near = names.near(text, [names.Entry(k, v) for k, v in sorted(written.items())])
                meant = f" Did you mean {' or '.join(n for n, _ in near)}?" if near else ""
                some = Counter(v for c in self.values[: self.listed] for v in c.tolist() if v)
                listed = ", ".join(k for k, _ in some.most_common()) or "none"
                raise UsageError(
                    f'Unknown {self.what} "{names.shown(each)}".{meant}',
                    hint=f"{self.plural} in this collection: {listed}.",
                )
            found.add(value)
        return frozenset(found)


def _columns(wanted: Filter, facts: Facts) -> Iterable[tuple[Iterable[str] | str, _Column]]:
    """Yield what is asked of facts with few values, and these facts."""
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
    """Return the first and the last day, and the span of time in words."""
    start, end = (_day(day_text(day)) for day in (since, until))
    first = day_span(start)[0] if start is not None else ""
    last = day_span(end)[1] if end is not None else "9999-12-31"
    if first > last:
        raise UsageError(
            f"No day is after {first} and before {last}.", hint="Exchange since and until."
        )
    words = [f"since {first}"] * (start is not None) + [f"until {last}"] * (end is not None)
    return first, last, " and ".join(words)


def _day(typed: str | None) -> str | None:
    """Return the day of a moment that is written out, as programs write it."""
    moment = None if typed is None else _TIME_OF_DAY.fullmatch(typed.strip())
    return moment[1] if moment else typed
