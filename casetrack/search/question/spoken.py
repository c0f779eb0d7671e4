"""What the models read of a question: its words, and other names of what it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.search.question.words import stems_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.search.question.vocabularies import Match
    from casetrack.search.question.words import Word

_NAMES, _PARTS, _WITHIN = 2, 3, 1
_WORDS = 24
"""A model's time grows with the words that it reads: these cost 1 ms, and more did not help."""


def with_other_names(asked: str, words: Sequence[Word], named: Sequence[Match], /) -> str:
    """Return what is asked, followed by the first other names, parts and places of its terms.

    Without any it is returned as it stands. *words* are those in which the terms were found.
    """
    others: list[str] = []
    room = _WORDS
    for name in dict.fromkeys(name for match in named for name in _others(words, match)):
        room -= len(name.split())
        if room < 0:
            break
        others.append(name)
    return f"{asked} {'; '.join(others)}" if others else asked


def _others(words: Sequence[Word], match: Match) -> Iterator[str]:
    said = tuple(t for word in words[match.first : match.last] for t in word.terms)
    for term in match.terms:
        yield from [name for name in term.names if stems_of(name) != said][:_NAMES]
        yield from term.parts[:_PARTS]
        yield from term.within[:_WITHIN]
