"""Answers as text: one form, styled on the command line and plain for AI programs."""

from casetrack.api.text import documents, graph, work
from casetrack.api.text.form import (
    Line,
    Lines,
    entries_of,
    entry_of,
    head_of,
    inside,
    line,
    lines_of,
    next_step,
    numbered,
    quote,
    rest_of,
)
