"""Words of a document at their exact place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.records.passages import passage_html

if TYPE_CHECKING:
    from casetrack.provenance import Provenance


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a document at their exact place.

    Attributes
    ----------
    text
        The words themselves.
    snippet
        The words with some of what stands around them, about 200 characters, on whole words.
    snippet_start
        Where *text* begins in *snippet*.
    char_start, char_end
        Place of *text* in the text of its chunk, code points, half-open.
    provenance
        Where the words stand: that of the chunk, narrowed to their paragraphs, lines, boxes and
        characters.
    """

    text: str
    snippet: str
    snippet_start: int
    char_start: int
    char_end: int
    provenance: Provenance

    @property
    def chunk_id(self) -> str:
        """Id of the chunk that holds the words."""
        return self.provenance.chunk_id

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.provenance.cite()

    def _repr_html_(self) -> str:
        return passage_html(self.provenance, self.snippet, None)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "text": self.text,
            "snippet": self.snippet,
            "chunk_char_start": self.char_start,
            "chunk_char_end": self.char_end,
            "citation": self.provenance.cite(),
            "citation_short": self.provenance.cite_short(),
            "source": self.provenance.source(),
        }
