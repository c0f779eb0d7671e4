"""Planted faults and kills: a small data folder, the faults, and the judge of the result."""
