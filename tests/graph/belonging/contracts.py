"""Contracts of different kinds, with amendments, restatements, supplements and schedules.

``FILES`` is text by path, ``EDGES`` the relations that a reader would note: source, target, type.
Every other relation of these types is wrong. Many papers have uninformative names, and several
differ from another in one point only: same parties, same title, or same date.
"""

from __future__ import annotations

from pathlib import Path

from graph.belonging.measure import read_papers

TYPES = ("amends", "restates", "supplements", "schedule_of", "exhibit_of", "made_under")
FILES, EDGES = read_papers(Path(__file__).with_suffix(".txt"))
