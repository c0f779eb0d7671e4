"""Which documents are what is cited: an opinion by its own citations, a paper by its docket entry.

Exactly one fits, or none is meant: of two documents with one docket number neither is guessed.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from casetrack.extract.references.matches import slug

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from casetrack.records import Document


def sources_by_key(documents: Iterable[Document], /) -> dict[str, tuple[Document, ...]]:
    """Return by the key of a reference the documents that may be meant, in their order.

    Keys are those of citations: ``case:509-us-579``, ``record:dkt-12``, ``record:ex-a``,
    ``record:dep-smith``, ``record:compl``.
    """
    found: dict[str, list[Document]] = defaultdict(list)
    for document in documents:
        for key in dict.fromkeys(keys_of(document)):
            found[key].append(document)
    return {key: tuple(fits) for key, fits in found.items()}


def keys_of(document: Document, /) -> Iterator[str]:
    """Yield the keys by which a document may be cited, as its own columns tell."""
    for citation in document.own_citations or ():
        yield "case:" + slug(citation.replace(".", ""))
    if document.docket_entry is not None:
        yield "record:" + slug("dkt", document.docket_entry)
    if document.exhibit is not None:
        yield "record:" + slug("ex", document.exhibit)
    if document.witness is not None and document.legal_type == "deposition":
        yield "record:" + slug("dep", document.witness.split()[-1])
    if document.legal_type == "complaint":
        yield "record:compl"
    if document.legal_detail == "transcript":
        yield "record:tr"


def one_of(sources: tuple[Document, ...], /) -> Document | None:
    """Return the document that is meant where exactly one fits; copies of one file count once."""
    if len({document.file_hash for document in sources}) == 1:
        return sources[0]
    return None
