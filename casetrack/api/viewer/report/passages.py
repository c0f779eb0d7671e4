"""The cited passages of a report: a link at each statement, and the whole passage."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.api.viewer.page import METHODS, OVER
from casetrack.api.viewer.quotes import Place, pieces, place_of
from casetrack.api.viewer.symbols import ENGLISH, Words, shortened
from casetrack.api.viewer.templating import rendered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.api.viewer.report.pictures import Pictures
    from casetrack.base.records import Chunk
    from casetrack.base.records.graph import Quote

_AROUND = 900
"""Characters of a passage on each side of its quote, without a picture of the page."""
_LONGEST_NAME = 200


@dataclass(slots=True)
class Passages:
    """Numbers the passages in the order of their first citation.

    *collection* is a name, for the commands that are shown.
    """

    collection: str
    _numbers: dict[Place, int] = field(default_factory=dict, init=False)
    _quotes: list[Quote] = field(default_factory=list, init=False)
    _turns: list[tuple[int, int]] = field(default_factory=list, init=False)
    _section: int = field(default=0, init=False)
    _turn: int = field(default=0, init=False)

    def start_section(self) -> None:
        """Start a section: the first passages of each section get pictures first."""
        self._section += 1
        self._turn = 0

    def number(self, quote: Quote, /) -> int:
        """Return the number of a passage; a new one gets the next number."""
        number = self._numbers.setdefault(place_of(quote), len(self._quotes) + 1)
        if number > len(self._quotes):
            self._quotes.append(quote)
            self._turns.append((self._turn, self._section))
        self._turn += 1
        return number

    def short(self, quote: Quote, /) -> str:
        """Return the short citation of a passage."""
        short = shortened(quote.provenance.cite_short(), _LONGEST_NAME)
        # The page number stays on the line of the word before it.
        return "\u00a0".join(short.rsplit(" ", 1))

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """All passages so far, by number."""
        return tuple(self._quotes)

    def by_weight(self) -> list[Quote]:
        """Return the passages in the order of drawing: section by section in turn."""
        order = sorted(range(len(self._quotes)), key=lambda n: (self._turns[n], n))
        return [self._quotes[n] for n in order]

    def articles(
        self, chunks: Mapping[str, Chunk], pictures: Pictures, words: Words = ENGLISH, /
    ) -> str:
        """Return every passage in full as HTML; only the quote if *chunks* lacks the passage."""
        return rendered(
            "passages.html",
            Path(__file__).parent,
            quotes=self._quotes,
            words=words,
            pictures=pictures,
            names={key: f"page-{n}" for n, key in enumerate(pictures.pages, 1)},
            methods=METHODS,
            collection=shlex.quote(self.collection),
            around=lambda quote: _around(quote, chunks.get(quote.chunk_id)),
            pieces=pieces,
            most=_LONGEST_NAME,
            over=OVER,
        )


def _around(quote: Quote, chunk: Chunk | None) -> tuple[str, str, str] | None:
    """Return the words of a quote between the text of the passage before and after them."""
    if chunk is None:
        return None
    text, start, end = chunk.text, quote.char_start, quote.char_end
    low, high = max(0, start - _AROUND), min(len(text), end + _AROUND)
    before = ("\u2026 " if low else "") + text[low:start]
    return before, text[start:end], text[end:high] + (" \u2026" if high < len(text) else "")
