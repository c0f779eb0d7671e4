"""The form in which names are compared: without case, accents and punctuation."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc


def normalised(names: Any, /) -> pa.Array:
    """Return names without case, diacritics and punctuation; words are separated by one blank.

    ``&`` becomes *and*, dots after letters are removed (B.V. is bv), a possessive *s* is removed,
    letters and figures are separated (ISO9001 is iso 9001).
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
