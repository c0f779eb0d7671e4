"""Finds the document that a golden file names: by id, name, path, or the end of its path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base import names
from casetrack.base.errors import AmbiguousName, DocumentNotFound

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.base.records import Document


class DocumentNames:
    """The documents of a collection by what a person may call them.

    A golden file should work on every machine, so the end of a path is enough
    (``Contracts/lease.pdf``), with either kind of slash and in any letter case.
    """

    def __init__(self, documents: Iterable[Document], /) -> None:
        self._documents = {d.document_id: d for d in documents}
        self._by_last_part: dict[str, list[tuple[str, Document]]] = {}
        for document in self._documents.values():
            for known in {document.name, document.path}:
                path = _plain(known)
                last = path.rpartition("/")[2]
                self._by_last_part.setdefault(last, []).append((path, document))

    @property
    def count(self) -> int:
        """Number of documents."""
        return len(self._documents)

    def pages(self, document_id: str, /) -> int:
        """Return how many pages a document has."""
        return self._documents[document_id].page_count

    def find(self, asked: str, /) -> Document:
        """Return the document that is called so.

        Raises
        ------
        DocumentNotFound, AmbiguousName
            None is called so (near names are suggested), or several are.
        """
        if asked in self._documents:
            return self._documents[asked]
        path = _plain(asked)
        same = self._by_last_part.get(path.rpartition("/")[2], [])
        fits = {d.document_id: d for known, d in same if f"/{known}".endswith(f"/{path}")}
        if len(fits) > 1:
            exact = {i: d for i, d in fits.items() if asked in {d.name, d.path}}
            fits = exact if len(exact) == 1 else fits
        if not fits:
            entries = [names.Entry(d.document_id, d.name) for d in self._documents.values()]
            raise DocumentNotFound(asked, names.near(asked, entries))
        if len(fits) > 1:
            raise AmbiguousName("document", asked, [(d.path, i) for i, d in fits.items()])
        return next(iter(fits.values()))


def _plain(path: str) -> str:
    return path.strip().replace("\\", "/").strip("/").casefold()
