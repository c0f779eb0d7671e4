"""The citations that eyecite reads, as places of a text with their keys and names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.extract.references.matches import ReferenceMatch, slug

if TYPE_CHECKING:
    from casetrack.extract.references.citations import Citation

_A_YEAR = re.compile(r"(?:19|20)\d\d")


def match_of(citation: Citation, text: str, /) -> ReferenceMatch:
    """Return the place of *citation*, with a key of its own as long as it is not resolved."""
    start, end = citation.start, citation.end
    name = " ".join(text[start:end].split())
    if citation.kind == "law":
        # What a publisher adds in parentheses is no part of the law.
        key = "regulation:" + slug(citation.corrected or name)
        return ReferenceMatch(start, end, "regulation", key, name, 0.95)
    if citation.kind == "journal":
        bare = "." not in citation.written and "year" not in citation.details
        key = "document:" + slug(_plain(citation))
        return ReferenceMatch(start, end, "document", key, name, 0.5 if bare else 0.95)
    if citation.kind == "case":
        key = "case:" + slug(_plain(citation))
        shown = _shown(citation)
        bare = "." not in citation.written and start == citation.core
        # "1 Grant 2" is as often a line of a table as a reporter, volume 1, page 2.
        neutral = _A_YEAR.fullmatch(citation.groups.get("volume") or "")
        doubtful = bare and "year" not in citation.details and not neutral
        confidence = 0.5 if doubtful else 0.97
        return ReferenceMatch(
            start, end, "case", key, shown, confidence, resolved=not citation.ambiguous
        )
    return ReferenceMatch(start, end, "case", "case:" + slug(name), name, 0.4, resolved=False)


def _plain(citation: Citation) -> str:
    return (citation.corrected or citation.written).replace(".", "")


def _shown(citation: Citation) -> str:
    written = " ".join((citation.corrected or citation.written).split())
    if citation.name is not None:
        return f"{citation.name.text}, {written}"
    return written
