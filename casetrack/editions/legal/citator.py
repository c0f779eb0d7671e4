"""The citator of a case file: documents that cite an authority, with signal and sentence.

It covers the documents of the case only; it does not show whether a decision is still good law.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

from casetrack.base.arguments import within
from casetrack.base.errors import AuthorityNotCited, AuthorityUnclear, UsageError
from casetrack.editions.legal.extract.citations import citations_notes
from casetrack.editions.legal.operation import EVERY, READS, Arg, operation
from casetrack.editions.legal.records.authorities import Citator, CitingPlace, weight_of
from casetrack.editions.legal.views import legal_tables, pin_of, tables_of, usual_name
from casetrack.graph.opened import graph_of
from casetrack.search.cited import documents_citing, documents_holding, keys_named
from casetrack.search.question.citations import citations_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from casetrack.api.collection import Collection
    from casetrack.base.records.graph import Quote
    from casetrack.editions.legal.views import LegalTables
    from casetrack.store.workspace import State

_CASE = "case:"
ONLY_THIS_FILE = (
    "This covers only the documents of this case file. It does not show later or other decisions "
    "on the authority."
)
_NUMBER = re.compile(r"\d{2,}\w*")


@operation(
    "citator", READS, tool="citator", sets=("search", "map", "legal"), most=EVERY, concise=False
)
def citator(
    collection: Collection,
    authority: Annotated[
        str,
        Arg(
            cli="AUTHORITY",
            note="Case name or short name, reporter, statute, rule or docket entry "
            "(e.g., 'Daubert', '509 U.S. 579', '42 U.S.C. 1983')",
        ),
    ],
    /,
    *,
    limit: Annotated[int | None, Arg(cli="--limit -k N", mcp="-", ge=1, mcp_default=None)] = 30,
) -> Citator:
    """Return the citations of an authority: signal, sentence and place; negative treatment first.

    Documents that may cite it are read on the first request, and the result is cached.

    Parameters
    ----------
    authority
        A case or its short name, a reporter, a statute, a rule, a docket entry, or an id
        (``case:509-us-579``).
    limit
        Maximum number of places.

    Raises
    ------
    UsageError
        *authority* is empty, or *limit* is below 1.
    AuthorityNotCited
        No document cites it.
    AuthorityUnclear
        Several authorities match.
    """
    asked = _checked(authority, limit)
    state = collection.workspace.state()
    keys = keys_named(state, asked)
    may_cite = _may_cite(state, keys)
    graph = graph_of(state)
    tables = tables_of(graph, [d for d in graph.documents if d.document_id in may_cite])
    rows = _citing(tables, keys)
    if not rows:
        # A citation across a page break is only known after a document was read as a whole.
        keys = keys or tuple(key for cited in citations_of(asked) for key in cited.keys) or (asked,)
        tables = legal_tables(graph)
        rows = _citing(tables, keys)
    if not rows:
        raise AuthorityNotCited(asked, collection.info.name)
    key, name, kind = _the_one(asked, rows)
    rows.sort(key=lambda row: -weight_of(row["signal"], row["treatment"]))
    shown = rows[:limit]
    quotes = graph.quotes([(r["chunk_id"], r["char_start"], r["char_end"]) for r in shown])
    parallel = sorted({k for row in rows for k in row["keys"] or ()} - {key})
    source = next((document for row in rows if (document := tables.source(row)) is not None), None)
    return Citator(
        asked=authority,
        authority_id=key,
        name=name,
        kind=kind,
        parallel_ids=tuple(parallel),
        source_document_id=source.document_id if source else None,
        source_document=source.name if source else None,
        total=len(rows),
        document_count=len({row["document_id"] for row in rows}),
        counted=tuple((row["signal"], row["treatment"]) for row in rows),
        places=tuple(_place(row, quote) for row, quote in zip(shown, quotes, strict=True)),
        notes=(ONLY_THIS_FILE, *citations_notes()),
    )


def _checked(authority: object, limit: int | None) -> str:
    if not isinstance(authority, str) or not authority.strip():
        raise UsageError(
            "The authority is empty.",
            hint='Name a case, a reporter citation, a statute or a rule, such as "509 U.S. 579".',
        )
    within("limit", 1 if limit is None else limit, 1)
    return " ".join(authority.split())


def _citing(tables: LegalTables, keys: Sequence[str]) -> list[dict[str, Any]]:
    """Return the resolved citations of one of *keys* or a part of it."""
    return [
        row for row in tables.cites if row["resolved"] and any(_is_same(row, key) for key in keys)
    ]


def _is_same(row: dict[str, Any], key: str) -> bool:
    own = (row["key"], *(row["keys"] or ()))
    if key.startswith(_CASE):
        return key in own
    # A subsection such as 1983(a) is a part of section 1983.
    return any(k == key or k.startswith(f"{key}-") for k in own)


def _may_cite(state: State, keys: Sequence[str]) -> set[str]:
    """Return the ids of the documents that may cite one of *keys*.

    Such a document has a reference with the key in one chunk, or contains all of its numbers.
    """
    ids = documents_citing(state, keys)
    for key in keys:
        terms = [part for part in key.partition(":")[2].split("-") if _NUMBER.fullmatch(part)]
        if terms:
            ids |= documents_holding(state, terms)
    return ids


def _the_one(asked: str, rows: Sequence[dict[str, Any]]) -> tuple[str, str, str]:
    """Return id, name and kind of the cited authority."""
    keys = dict.fromkeys(row["key"] for row in rows)
    best = {key: usual_name([row for row in rows if row["key"] == key]) for key in keys}
    cases = [key for key in best if key.startswith(_CASE)]
    if len(cases) > 1:
        raise AuthorityUnclear(asked, [(best[key][0], key) for key in cases])
    # The shortest key is the law as a whole.
    key = min(best, key=lambda k: (len(k), k))
    return key, *best[key]


def _place(row: dict[str, Any], quote: Quote) -> CitingPlace:
    same = ("signal", "treatment", "form", "sentence", "parenthetical", "confidence", "note")
    return CitingPlace(pin=pin_of(row), quote=quote, **{name: row[name] for name in same})
