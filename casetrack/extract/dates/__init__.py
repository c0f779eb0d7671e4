"""Dates in texts: their positions, values and confidence."""

from __future__ import annotations

from typing import Final

from casetrack.extract.dates.finder import day_order, find_dates, read_date

VERSION: Final = 5
"""Increase with every change of the results."""

__all__ = ["VERSION", "day_order", "find_dates", "read_date"]
