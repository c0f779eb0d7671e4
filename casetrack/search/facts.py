"""What filters ask of the documents of one state, column by column: thousands at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.base import names
from casetrack.base.errors import UsageError
from casetrack.base.records.documents import FILES, own_moment
from casetrack.base.years import recorded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from numpy.typing import NDArray

    from casetrack.store.workspace import State

_OTHER = "other"


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts of all documents, in the order of the ledger; texts are empty where there is none.

    Attributes
    ----------
    ids
        Of the documents.
    types, formats
        Kinds of documents.
    sources, source_kinds
        Such as ``git:platform`` and ``git``.
    called
        What the source calls it, or else the path of its file; with slashes.
    languages, code_languages
        Of the text, and of programming.
    days
        ``YYYY-MM-DD``; see :attr:`casetrack.base.records.Document.dated_at`.
    by_file
        Whether nothing but the file tells the date.
    """

    ids: NDArray[np.object_]
    types: NDArray[np.str_]
    formats: NDArray[np.str_]
    sources: NDArray[np.str_]
    source_kinds: NDArray[np.str_]
    called: list[str] = field(repr=False)
    languages: NDArray[np.str_]
    code_languages: NDArray[np.str_]
    days: NDArray[np.str_]
    by_file: NDArray[np.bool_]
    _places: dict[str, int] = field(repr=False)

    def place(self, document_id: str, /) -> int:
        """Return the position of a document."""
        return self._places[document_id]

    def fit(self, patterns: tuple[str, ...], /) -> NDArray[np.bool_]:
        """Return which documents lie where patterns say; see the attribute ``paths`` of a filter.

        Raises
        ------
        UsageError
            One of them is no pattern.
        """
        fits = _matcher(patterns)
        return np.fromiter(map(fits, self.called), dtype=np.bool_, count=len(self.called))


def facts_of(state: State, /) -> Facts:
    """Return the facts of a state's documents; kept with :meth:`State.once`."""
    table = state.snapshot.documents.table

    def column(name: str) -> list[Any]:
        values: list[Any] = table[name].to_pylist()
        return values

    ids = column("document_id")
    sources = [source or FILES for source in column("source")]
    properties = [{p["name"]: p["value"] for p in found or ()} for found in column("properties")]
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
            found.get("language", "") if kind == "code" else ""
            for kind, found in zip(column("format"), properties, strict=True)
        ),
        days=_texts(day.date().isoformat() for day in dates),
        by_file=np.array([day is None for day in own], dtype=np.bool_),
        _places={document: place for place, document in enumerate(ids)},
    )


def _texts(values: Any) -> NDArray[np.str_]:
    return np.array(list(values), dtype=np.str_)


def _matcher(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Return what tells whether a path fits.

    Raises
    ------
    UsageError
        One of them is no pattern.
    """
    from pathspec import GitIgnoreSpec

    lines = ["*"] if patterns and all(p.lstrip().startswith("!") for p in patterns) else []
    for pattern in patterns:
        text = pattern.strip().replace("\\", "/")
        sign, text = ("!", text[1:]) if text.startswith("!") else ("", text)
        try:
            if not text.strip("/ ") or text.startswith("#"):
                raise ValueError(text)
            # As a person means it: `docs/*.md` in whatever folder `docs` lies.
            lines.append(f"{sign}{text}" if text.startswith("/") else f"{sign}**/{text}")
            GitIgnoreSpec.from_lines(lines)
        except ValueError as error:
            raise UsageError(
                f'"{names.shown(pattern)}" is no pattern of paths.',
                hint='Such as "docs/**", "*.md" or "!tests/".',
            ) from error
    return GitIgnoreSpec.from_lines(lines).match_file
