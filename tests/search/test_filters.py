"""A search within several documents, kinds of documents, and times."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest

from casetrack.base.errors import DocumentNotFound, UsageError

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.records import SearchResults

QUESTION = "payment of the contract"


def searched(demo: Collection, **where: object) -> SearchResults:
    return demo.search(QUESTION, limit=50, mode="keyword", **where)


def names_of(results: SearchResults) -> set[str]:
    return {r.provenance.document_name for r in results}


def test_several_documents(demo):
    first, second, third = [d for d in demo.documents() if d.chunk_count][:3]
    results = searched(demo, documents=[first.name, second.document_id, third])
    assert results.searched_documents == 3
    assert results.searched_chunks == sum(d.chunk_count for d in (first, second, third))
    assert names_of(results) <= {first.name, second.name, third.name}
    assert searched(demo, document=first.name).searched_documents == 1
    assert searched(demo, document=first, documents=[second]).searched_documents == 2


@pytest.mark.parametrize("kinds", [["pdf"], "PDF", [".pdf"], ["docx", "contract"], ["contracts"]])
def test_kinds_are_types_and_formats(demo, kinds):
    asked = {kinds} if isinstance(kinds, str) else set(kinds)
    wanted = {k.casefold().strip(".").removesuffix("s") for k in asked}
    left = [d for d in demo.documents() if wanted & {d.format, d.document_type or "other"}]
    results = searched(demo, kinds=kinds)
    assert results.searched_documents == len(left) > 0
    assert names_of(results) <= {d.name for d in left}


@pytest.mark.parametrize(
    ("since", "until"),
    [("2020", None), (None, "2024-06"), ("2020-01", "2030-12-31"), (date(2020, 1, 1), None)],
)
def test_times_are_those_of_the_documents(demo, since, until):
    first = str(since or "")[:10]
    last = f"{until}~" if until else "~"
    left = [d for d in demo.documents() if first <= d.dated_at.date().isoformat() < last]
    results = searched(demo, since=since, until=until)
    assert results.searched_documents == len(left)
    by_file = [d for d in demo.documents() if d.own_date is None]
    assert any(str(len(by_file)) in note for note in results.notes) == bool(by_file)


def test_all_of_a_filter_must_hold(demo, messages):
    pdf = next(d for d in demo.documents() if d.format == "pdf")
    assert searched(demo, documents=[pdf], kinds="pdf").searched_documents == 1
    nothing = searched(demo, documents=[pdf], kinds="docx")
    assert (len(nothing), nothing.searched_documents, nothing.searched_chunks) == (0, 0, 0)
    messages("\n".join(nothing.notes))


@pytest.mark.parametrize(
    ("where", "error", "named"),
    [
        ({"documents": ["nowhere-at-all.pdf"]}, DocumentNotFound, "nowhere-at-all"),
        ({"kinds": ["contrat"]}, UsageError, "(?s)contrat.*contract"),
        ({"kinds": ["poem"]}, UsageError, "poem"),
        ({"since": "soon"}, UsageError, "soon"),
        ({"since": "2024", "until": "2023"}, UsageError, "2024.*2023"),
    ],
)
def test_what_is_unknown_is_reported(demo, where, error, named):
    with pytest.raises(error, match=named):
        searched(demo, **where)
