"""What the scores and rules of names hand to one another: a run of words and what it names."""

from __future__ import annotations

from dataclasses import dataclass

FROM_FORM = -0.48
"""Score of a company that only its legal form gives away, or of a public body found by its words:
log of 0.62, as 32 of 52 such runs of companies in the training texts are names just as marked."""


@dataclass(frozen=True, slots=True)
class Place:
    """A name: its first word, the word after its last one, what it names, its log probability."""

    first: int
    after: int
    kind: str
    sure: float
