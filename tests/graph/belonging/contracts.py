"""Contracts of unlike kinds with what amends, restates, supplements and belongs to them.

``FILES`` is text by path, ``EDGES`` what a reader would note: source, target, type. Whatever else is
found of these types is wrong. Many papers have names that say nothing, and several are like another
one in all but one point: same parties, same title, or same date.
"""

from __future__ import annotations

from pathlib import Path

from graph.belonging.measure import read_papers

TYPES = ("amends", "restates", "supplements", "schedule_of", "exhibit_of", "made_under")
FILES, EDGES = read_papers(Path(__file__).with_suffix(".txt"))
