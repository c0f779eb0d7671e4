"""Benchmarks of speed, memory and disk on this machine, compared with other engines."""
