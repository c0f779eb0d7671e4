"""Titles and forms of address before names of persons."""

from __future__ import annotations

from typing import Final

from casetrack.base.words import WordLists

TITLES: Final = WordLists(__file__)
"""Lists of titles: ``address`` (Mr, Mrs, Ms), ``academic``, ``knights``, ``peers``, ..."""


def title_words(*lists: str) -> frozenset[str]:
    """Return the titles of lists in lower case."""
    return frozenset(title.lower() for title in TITLES.words(*lists))


def any_title(*lists: str) -> str:
    """Return the titles of lists as alternatives of a regular expression."""
    return "|".join(TITLES.words(*lists))
