"""Step ``language``: the main language of every page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from casetrack.ingest.steps.base import Contract, parameter
from casetrack.ingest.steps.failures import attempt

if TYPE_CHECKING:
    from casetrack.ingest.steps.base import Batches

_SAMPLE_CHARS = 3000
"""More text does not change the answer, and costs time on a page of a million characters."""


@dataclass(frozen=True, slots=True)
class LanguageStep:
    """Tells the main language of every page by character statistics."""

    min_letters: int = parameter(
        40, "Fewest letters of a page; with fewer, its language is not told."
    )
    contract = Contract("language", 1, "pages", "pages", ("text",), ("language",))

    @property
    def fingerprint(self) -> str:
        """The parameter."""
        return str(self.min_letters)

    def __call__(self, batches: Batches, /) -> Batches:
        """Add the column to every batch."""
        for batch in batches:
            found = [
                attempt("language", partial(detect_language, text, self.min_letters), None)
                for text in batch["text"].to_pylist()
            ]
            yield batch.append_column("language", pa.array(found, pa.string()))


def detect_language(text: str, min_letters: int = 40, /) -> str | None:
    """Return the ISO 639-1 code of the text's main language, or ``None`` for too few letters."""
    sample = text[:_SAMPLE_CHARS]
    if sum(c.isalpha() for c in sample) < min_letters:
        return None
    import py3langid

    return str(py3langid.classify(sample)[0])
