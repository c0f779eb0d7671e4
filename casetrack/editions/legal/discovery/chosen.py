"""Which documents of a case are meant, and what a load file told of them."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import UsageError
from casetrack.extract.papers.places import bates_key

if TYPE_CHECKING:
    from collections.abc import Collection as Bag
    from collections.abc import Iterable, Mapping

    from casetrack.base.arguments import DocumentRef
    from casetrack.base.records import Document
    from casetrack.store.workspace import State


def metadata(document: Document, /) -> Mapping[str, Any]:
    """Return what a document's source told of it; empty where it told nothing."""
    return _parsed(document.metadata) if document.metadata else {}


@functools.lru_cache(maxsize=1024)
def _parsed(text: str) -> Mapping[str, Any]:
    found = json.loads(text)
    return found if isinstance(found, dict) else {}


def is_row(document: Document, /) -> bool:
    """Tell whether a document is one of a load file, not something inside one."""
    return document.parent_id is None and "control_number" in metadata(document)


def control_number(document: Document, /) -> str:
    """Return its control number; empty where it has none."""
    return str(metadata(document).get("control_number") or "") if is_row(document) else ""


def named_document(state: State, named: DocumentRef, /) -> Document:
    """Return the document of a control number, a name, a path or an id.

    Raises
    ------
    DocumentNotFound, AmbiguousName
        None fits, or several do.
    """
    if isinstance(named, str):
        wanted = bates_key(named)
        held = state.once(_by_number).get(wanted, ())
        if len(held) == 1:
            return held[0]
    return state.document(named)


def _by_number(state: State) -> dict[str, list[Document]]:
    found: dict[str, list[Document]] = {}
    for document in state.snapshot.documents.values():
        number = control_number(document)
        if number:
            found.setdefault(bates_key(number), []).append(document)
    return found


def chosen_documents(
    state: State,
    /,
    *,
    documents: Iterable[DocumentRef] | None = None,
    production: str | None = None,
    tagged: Bag[str] | None = None,
) -> list[Document]:
    """Return the documents that are meant, in the order of their paths.

    Parameters
    ----------
    documents
        These: names, paths, ids or control numbers.
    production
        Those of a production, ``VOL001`` or ``production:VOL001``.
    tagged
        Ids of those that bear a tag.

    Raises
    ------
    DocumentNotFound, AmbiguousName
        There is no such document, or several bear the name.
    UsageError
        There is no such production.
    """
    every = sorted(state.snapshot.documents.values(), key=lambda d: (d.path, d.document_id))
    if documents is not None:
        found = {d.document_id: d for d in (named_document(state, name) for name in documents)}
        every = sorted(found.values(), key=lambda d: (d.path, d.document_id))
    if production is not None:
        wanted = f"production:{production.removeprefix('production:')}"
        names = {d.source for d in state.snapshot.documents.values() if is_row(d)}
        if wanted not in names:
            known = ", ".join(sorted(str(n).removeprefix("production:") for n in names))
            raise UsageError(
                f"There is no production {production!r} here.",
                hint=f"Known are: {known}."
                if known
                else "Load one with `casetrack discovery load`.",
            )
        every = [d for d in every if d.source == wanted]
    if tagged is not None:
        every = [d for d in every if d.document_id in tagged]
    return every
