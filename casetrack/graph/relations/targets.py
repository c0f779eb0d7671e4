"""Which document of the collection a reference means."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from casetrack.graph.relations.catalogue import Catalogue
from casetrack.graph.relations.titles import read_title

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from casetrack.base.records import Document

_BY_SLUG = frozenset({"standard", "regulation", "rule", "constitution", "case"})
_SHORTEST = 4
"""Shorter spellings, such as the bare number of a report, say nothing by themselves."""


def targets(
    references: Iterable[Mapping[str, Any]], documents: Sequence[Document], /
) -> dict[str, str]:
    """Return the id of the document that each reference means, where exactly one fits.

    A document fits by its file name, by a number in its name or title (``TS-2024-0187``), by all
    words of its name or title, or by kind and date ("letter of 21 October 2024"); numbers and dates
    that both have must agree. Of exact copies the one whose own name fits is meant. An exhibit is
    the one file that is named so. A section is never a document. Where two dates would mean one
    undated document, its own account of when it was written decides, else neither is taken.

    Parameters
    ----------
    references
        Rows with ``reference_id``, ``type``, ``name`` and ``spellings``. Ids of exhibits end with
        the id of the document they belong to.
    documents
        All documents.
    """
    catalogue = Catalogue(documents)
    position = {d.document_id: i for i, d in enumerate(documents)}
    found: dict[str, int] = {}
    dates: dict[str, frozenset[str]] = {}
    for row in references:
        texts = [row["name"], *sorted(t for t in row["spellings"] if len(t) >= _SHORTEST)]
        fits = _fits(catalogue, row["type"], row["reference_id"], texts, position)
        if len(fits) == 1:
            found[row["reference_id"]] = fits.pop()
            dates[row["reference_id"]] = read_title(row["name"]).dates
    _settle_dates(found, dates, catalogue, documents)
    return {reference: documents[i].document_id for reference, i in sorted(found.items())}


def _fits(
    catalogue: Catalogue,
    type_: str,
    reference_id: str,
    texts: list[str],
    position: Mapping[str, int],
) -> set[int]:
    if type_ == "section":
        return set()
    if type_ == "exhibit":
        owner = position.get(reference_id.rpartition("@")[2])
        found = {catalogue.by_label(text, owner) for text in texts[:1]}
    elif type_ == "link":
        found = {catalogue.by_name(text) for text in texts}
    elif type_ in _BY_SLUG:
        found = {catalogue.by_slug(text) for text in texts}
    else:
        found = {catalogue.by_name(text) for text in texts} - {None}
        found = found or {catalogue.by_title(text) for text in texts}
    return {i for i in found if i is not None}


def _settle_dates(
    found: dict[str, int],
    dates: Mapping[str, frozenset[str]],
    catalogue: Catalogue,
    documents: Sequence[Document],
) -> None:
    """Leave out references of several dates to one document whose name has no date."""
    dated: dict[int, set[str]] = defaultdict(set)
    for reference, i in found.items():
        if not any(title.dates for title in catalogue.titles(i)):
            dated[i] |= dates[reference]
    for reference, i in list(found.items()):
        if not dates[reference] or len(dated[i]) < 2:
            continue
        written = documents[i].content_created_at
        if written is None or written.date().isoformat() not in dates[reference]:
            del found[reference]
