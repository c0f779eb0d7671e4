"""Documents that are versions of each other, and exact copies."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from casetrack.base.records.graph import Edge
from casetrack.graph.identity.mails import FORMATS as MAIL_FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.base.records import Document
    from casetrack.graph.relations.leads import Leads
    from casetrack.graph.relations.titles import Title

_CLOSE = 0.9
_SHARE_MARKED, _SHARE_SAME_NAME, _SHARE_OTHER_DATE = 0.3, 0.5, 0.7
"""How much of the words must agree: most where only the date in the names differs, as it does
between the minutes of two meetings."""
_LOOK_BACK = 3
_CHUNKS = 60
_SHINGLE = 5
_FINAL = (1 << 20,)


def version_edges(leads: Leads, /) -> list[Edge]:
    """Return ``version`` edges, from the earlier document to the next one of its chain.

    Two documents are versions of each other where their names (or titles, one of which must say so)
    differ in nothing but marks of a version, dates and the ending, and their content agrees. Of two
    with such a mark, the vectors of the documents have a cosine of at least 0.9 or 30 % of the runs
    of five words are the same; of two without one 50 %, and where the dates in the names differ
    70 %. The weight is the greater of both numbers.

    The earlier one is that with the smaller version number, else the earlier date in the name, else
    the earlier date that the document gives itself, else the older file.

    Exact copies are joined too, with weight 1 and a count of 0; the first of them stands for the
    others in a chain.
    """
    edges, stand_in = _copies(leads)
    texts = _Texts(leads)
    for group in _groups(leads, stand_in):
        chain = _ordered(leads, group)
        for at, (later, title) in enumerate(chain):
            for earlier, other in reversed(chain[max(0, at - _LOOK_BACK) : at]):
                weight = _likeness(leads, texts, (earlier, other), (later, title))
                if weight:
                    key = (leads.id(earlier), leads.id(later))
                    back = (key[1], key[0])
                    if key not in edges and back not in edges:
                        shown = leads.first_chunks(earlier, later)
                        edges[key] = Edge(*key, "version", weight, 1, shown)
                    break
    order = leads.position
    return [edges[key] for key in sorted(edges, key=lambda k: (order[k[0]], order[k[1]]))]


def _copies(leads: Leads) -> tuple[dict[tuple[str, str], Edge], list[int]]:
    """Return edges between copies, and for each document the one that stands for it."""
    same: dict[str, list[int]] = defaultdict(list)
    for i, document in enumerate(leads.documents):
        # Copies of a mail are told by what they say: their files differ in the folder they lie in.
        if document.format not in MAIL_FORMATS:
            same[document.file_hash].append(i)
    edges: dict[tuple[str, str], Edge] = {}
    stand_in = list(range(len(leads.documents)))
    for group in same.values():
        chain = sorted(group, key=lambda i: _age(leads.documents[i]))
        for i in chain:
            stand_in[i] = chain[0]
        for earlier, later in pairwise(chain):
            key = (leads.id(earlier), leads.id(later))
            shown = leads.first_chunks(earlier, later)
            edges[key] = Edge(*key, "version", 1.0, 0, shown)
    return edges, stand_in


def _groups(leads: Leads, stand_in: list[int]) -> Iterator[list[tuple[int, Title]]]:
    by_name: dict[object, dict[int, Title]] = defaultdict(dict)
    by_title: dict[object, dict[int, Title]] = defaultdict(dict)
    for i, document in enumerate(leads.documents):
        if document.format in MAIL_FORMATS:
            continue
        name, *titles = leads.catalogue.titles(i)
        if name.words:
            by_name[name.words, name.identifiers].setdefault(stand_in[i], name)
        for title in titles:
            if title.is_telling and len(title.words) > 1:
                by_title[title.words, title.identifiers].setdefault(stand_in[i], title)
    for group in by_name.values():
        if len(group) > 1:
            yield sorted(group.items(), key=lambda entry: entry[0])
    for group in by_title.values():
        if len(group) > 1 and any(title.marked for title in group.values()):
            yield sorted(group.items(), key=lambda entry: entry[0])


def _ordered(leads: Leads, group: list[tuple[int, Title]]) -> list[tuple[int, Title]]:
    documents = [leads.documents[i] for i, _ in group]
    has_dates = all(title.dates for _, title in group)
    has_written = all(d.content_created_at is not None for d in documents)

    def key(entry: tuple[int, Title]) -> tuple[object, ...]:
        document, title = leads.documents[entry[0]], entry[1]
        written = document.content_created_at
        return (
            title.version or {0: (0,), 1: (1,)}.get(title.stage, _FINAL),
            title.stage,
            min(title.dates) if has_dates else "",
            written.timestamp() if has_written and written is not None else 0.0,
            *_age(document),
        )

    return sorted(group, key=key)


def _likeness(
    leads: Leads, texts: _Texts, one: tuple[int, Title], other: tuple[int, Title]
) -> float:
    """Return how much two possible versions agree; 0 where they are none."""
    is_marked = one[1].marked or other[1].marked
    cosine = leads.cosine(one[0], other[0])
    share = texts.share(one[0], other[0])
    if is_marked:
        agrees = cosine >= _CLOSE or share >= _SHARE_MARKED
    elif one[1].dates != other[1].dates:
        agrees = share >= _SHARE_OTHER_DATE
    else:
        agrees = share >= _SHARE_SAME_NAME
    return min(max(share, cosine), 1.0) if agrees else 0.0


class _Texts:
    """Runs of five words of documents, read when first asked for."""

    def __init__(self, leads: Leads) -> None:
        self._leads = leads
        self._runs: dict[int, frozenset[tuple[str, ...]]] = {}

    def share(self, i: int, j: int) -> float:
        """Return Dice's coefficient of the runs of both."""
        a, b = self._of(i), self._of(j)
        return 2 * len(a & b) / (len(a) + len(b)) if a and b else 0.0

    def _of(self, i: int) -> frozenset[tuple[str, ...]]:
        if i not in self._runs:
            words = re.findall(r"\w+", self._leads.text(i, _CHUNKS).casefold())
            runs = zip(*(words[k:] for k in range(_SHINGLE)), strict=False)
            self._runs[i] = frozenset(runs)
        return self._runs[i]


def _age(document: Document) -> tuple[object, ...]:
    return (document.file_modified_at, document.name, document.path)
