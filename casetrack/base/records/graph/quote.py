"""Words of a document at their exact place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from casetrack.base.provenance import Provenance
from casetrack.base.records.passages import passage_html
from casetrack.base.records.shape import HIDDEN, Record, Told

SNIPPET_CHARS = 200
"""About so long is a quote with what stands around it."""
_SENTENCE_END = re.compile(r"""[.!?\u3002\uff01\uff1f][\s)\]"'\u2019\u201d\u00bb]*$""")


@dataclass(frozen=True, slots=True)
class Quote(Record):
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
    snippet_start: Annotated[int, HIDDEN]
    char_start: Annotated[int, Told(name="chunk_char_start", row=False)]
    char_end: Annotated[int, Told(name="chunk_char_end", row=False)]
    provenance: Provenance

    @property
    def chunk_id(self) -> str:
        """Id of the chunk that holds the words."""
        return self.provenance.chunk_id

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.provenance.cite()

    @property
    def cut_ends(self) -> tuple[bool, bool]:
        """Whether the snippet begins, and ends, where its passage goes on.

        How long the passage is a quote does not tell: a snippet that has little behind its words
        has come to the end of the passage, and one that ends with a sentence reads as whole.
        """
        after = self.snippet[self.snippet_start + len(self.text) :]
        room = max(0, SNIPPET_CHARS - len(self.text)) // 2
        is_whole = len(after) < room // 2 or _SENTENCE_END.search(self.snippet) is not None
        return self.char_start > self.snippet_start, not is_whole

    def _repr_html_(self) -> str:
        return passage_html(self.provenance, self.snippet, None)
