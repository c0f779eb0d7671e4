"""Answers as text: one form, which the command line styles and AI programs get plain."""

from casetrack.api.text import graph  # noqa: F401 - it declares the texts of what the map answers
from casetrack.api.text.form import (
    Line,
    Lines,
    entries_of,
    entry_of,
    head_of,
    inside,
    line,
    lines_of,
    numbered,
    quote,
)

__all__ = [
    "Line",
    "Lines",
    "entries_of",
    "entry_of",
    "head_of",
    "inside",
    "line",
    "lines_of",
    "numbered",
    "quote",
]
