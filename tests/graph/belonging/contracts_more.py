"""More contracts, of other trades and countries, with other terms for amendments."""

from __future__ import annotations

from pathlib import Path

from graph.belonging.measure import read_papers

TYPES = ("amends", "restates", "supplements", "schedule_of", "exhibit_of", "made_under")
FILES, EDGES = read_papers(Path(__file__).with_suffix(".txt"))
