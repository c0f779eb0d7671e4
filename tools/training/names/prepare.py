"""Fills the cache of states: ``python -m training.names.prepare DATA CACHE [READING ...]``."""

from __future__ import annotations

import sys
from pathlib import Path

from training.names.sources import FILES
from training.names.states import READINGS, items_of

if __name__ == "__main__":
    folder, cache, *chosen = map(Path, sys.argv[1:])
    for reading in [str(c) for c in chosen] or READINGS:
        for source in FILES:
            print(source, reading, len(items_of(folder, source, str(reading), cache)), flush=True)
