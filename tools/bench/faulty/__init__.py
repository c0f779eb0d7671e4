"""What ``python -m bench.faults`` is made of: a small data folder, faults, and who judges them."""
