"""Measurements: speed, memory and disk on this machine, beside named peers."""
