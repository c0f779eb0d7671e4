"""Numbered things that a question asks for and the documents only have others of.

"Amendment No. 3" is asked for where there are Amendment No. 1 and No. 2, "clause 31.2" where no
clause goes beyond 24: each of the words stands there, and what they name does not.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from casetrack.search.question.words import stems_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.store.index.scope import Scope

_NUMBER = r"(?:No\.?|Nos\.?|Nr\.?|number|#)"
_ASKED = re.compile(
    rf"\b(?P<label>[^\W\d_]{{3,}})(?:\s+(?P<sign>{_NUMBER}))?\s+"
    r"(?P<number>\d{1,3}(?:\.\d{1,3})*)(?![\w%]|[-.,:/]\d)",
    re.IGNORECASE,
)
_PARTS = frozenset("clause section article paragraph sections clauses articles \u00a7".split())
"""Parts of a document stand in it by their number alone."""
_CALLED = frozenset(
    "addendum amendment annex appendix attachment exhibit invoice item lot milestone order phase "
    "protocol question recital rider schedule stage supplement table version volume".split()
)
"""What is called by its number also in small letters."""
_MONTHS = frozenset(
    "january february march april may june july august september october november december".split()
)
_READ = 60
"""A thing of more passages than that has too many numbers to read them all."""
_OTHERS = 2
"""So many other numbers say that it is called by its number; after "No." one does."""


def numbered_elsewhere(scope: Scope, asked: str, /) -> Iterator[str]:
    """Yield what *asked* calls by a number, where the passages of *scope* have other numbers only.

    Nothing is yielded where the passages are too many to be read, or where nothing in them is
    called by its number.
    """
    for match in _ASKED.finditer(asked):
        label, number = match["label"], match["number"]
        lower = label.lower()
        if lower in _PARTS:
            if "." in number and next(scope.holding([number]), None) is None:
                yield match.group()
            continue
        called = match["sign"] or lower in _CALLED or (label[0].isupper() and match.start() > 0)
        if not called or lower in _MONTHS:
            continue
        places = list(itertools.islice(scope.holding(stems_of(label)), _READ + 1))
        if not 0 < len(places) <= _READ:
            continue
        named = re.compile(
            rf"\b{re.escape(label)}s?(?:\s+{_NUMBER})?\s+(?:\d{{1,3}}(?:,| and| to|-|\u2013) ?)*"
            r"(?P<number>\d{1,3}(?:\.\d{1,3})*)(?!\w)",
            re.IGNORECASE,
        )
        texts = scope.index.texts(places).values()
        others = {m["number"] for text in texts for m in named.finditer(text)}
        if number not in others and len(others) >= (1 if match["sign"] else _OTHERS):
            yield match.group()
