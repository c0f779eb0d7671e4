"""Contracts without line breaks, as in text extracted from some PDF files.

One has a blank for its date; one amendment is of another contract of one of its parties.
"""

from __future__ import annotations

from pathlib import Path

from graph.belonging.measure import read_papers

TYPES = ("amends", "restates", "supplements", "schedule_of", "exhibit_of", "made_under", "bills")
_TERMS = (
    " 1. Services. The provider shall serve. 2. Fees. Fees are due. 3. Term. Three years. 4. Law."
)
FILES, EDGES = read_papers(Path(__file__).with_suffix(".txt"), _TERMS)
