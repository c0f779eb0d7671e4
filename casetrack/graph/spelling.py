"""The form in which names are compared, whatever their case, accents and punctuation."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc


def normalised(names: Any, /) -> pa.Array:
    """Return names without case, diacritics, punctuation: single words between single blanks.

    ``&`` becomes *and*, dots after letters go (B.V. is bv), a possessive *s* goes, letters and
    figures part (ISO9001 is iso 9001).
    """
    text = pc.utf8_normalize(names, form="NFKD")
    text = pc.utf8_lower(text)
    for pattern, replacement in (
        (r"\p{Mn}+", ""),
        ("ß", "ss"),
        ("&", " and "),
        (r"['’]s\b", ""),
        (r"(\p{L})[.'’]", r"\1"),
        (r"[^\p{L}\p{N}]+", " "),
        (r"(\p{L})(\p{N})", r"\1 \2"),
        (r"(\p{N})(\p{L})", r"\1 \2"),
    ):
        text = pc.replace_substring_regex(text, pattern, replacement)
    text = pc.utf8_trim_whitespace(text)
    return text.combine_chunks() if isinstance(text, pa.ChunkedArray) else text
