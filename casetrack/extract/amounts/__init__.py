"""Amounts: sums of money, percentages and quantities with units, each with its exact place."""

from __future__ import annotations

from casetrack.extract.amounts.find import find_amounts

VERSION = 6
"""Increase with every change of the results."""

__all__ = ["VERSION", "find_amounts"]
