"""A process that imports everything for a statement, waits for its arguments, and runs them."""

from __future__ import annotations

import importlib
import json
import os
import runpy
import sys
import threading

_MODULES = (
    *("duckdb", "lance", "casetrack.faces.cli.main", "casetrack.api.collection.collection"),
    *("casetrack.search.query.run", "casetrack.store.sql.guard", "casetrack.ingest.steps.words"),
)
_IDLE_SECONDS = 600


def main() -> None:
    """Read the arguments of the command as a JSON list from the input, and run it.

    Ends with the input, which the starting process holds open, or after ten minutes.
    """
    for name in _MODULES:
        importlib.import_module(name)
    end = threading.Timer(_IDLE_SECONDS, os._exit, (0,))
    end.daemon = True
    end.start()
    line = sys.stdin.readline()
    end.cancel()
    if line:
        sys.argv[1:] = json.loads(line)
        runpy.run_module("casetrack", run_name="__main__")


if __name__ == "__main__":
    main()
