"""Everyday words that documents say in another word: a lawyer is counsel, a deal an agreement.

They tell whether a passage speaks of what is asked, and nothing else: for ranking they were too
loose. A related word is none of them: a photo is no video, and a warrant no option.
"""

from __future__ import annotations

import functools
from importlib import resources
from typing import TYPE_CHECKING

from casetrack.search.question.words import stems_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Names = tuple[tuple[str, ...], ...]
"""Other names, each as its index terms."""
_BEGINNING = 2
"""So many letters of a word stand in all its forms."""


@functools.lru_cache(maxsize=4096)
def synonyms_of(term: str, /) -> Names:
    """Return other words for a word, mostly none.

    Parameters
    ----------
    term
        The word as an index term.
    """
    # Stems are costly: only words that begin as this one does are looked at.
    near = _groups().get(term[:_BEGINNING], ())
    groups = dict.fromkeys(group for name, group in near if stems_of(name) == (term,))
    names = dict.fromkeys(terms for group in groups for name in group if (terms := stems_of(name)))
    return tuple(name for name in names if name != (term,))


@functools.cache
def _groups() -> Mapping[str, Sequence[tuple[str, tuple[str, ...]]]]:
    """Return the single words by how they begin, each with the group that it stands in."""
    text = resources.files("casetrack.search").joinpath("synonyms.txt").read_text("utf-8")
    found: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            group = tuple(line.split(", "))
            for name in group:
                if " " not in name:
                    found.setdefault(name[:_BEGINNING], []).append((name, group))
    return found
