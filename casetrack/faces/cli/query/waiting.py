"""A process that waits for ``casetrack query`` commands and runs one after another."""

import importlib
import json
import os
import sys
import threading
from pathlib import Path

from casetrack.base.files import stamp_of
from casetrack.faces.cli.main import main, prepare
from casetrack.faces.cli.state import State

_MODULES = ("duckdb", "lance", "casetrack.faces.cli.query.command", "casetrack.search.query.run")
_IDLE_SECONDS = 600


def serve() -> None:
    """Run a command for each line of the input: JSON of an end mark and of the arguments.

    The first argument is ``--data-dir``. The output of a command ends with its mark and exit code.
    The process ends with its input, which the starting process holds open, after ten idle minutes,
    or with a statement over a limit.
    """
    prepare()
    for name in _MODULES:
        importlib.import_module(name)
    state = stamp = None
    while True:
        end = threading.Timer(_IDLE_SECONDS, os._exit, (0,))
        end.daemon = True
        end.start()
        line = sys.stdin.readline()
        end.cancel()
        if not line:
            return
        mark, *sys.argv[1:] = json.loads(line)
        config = Path(sys.argv[2], "config.toml")
        if state is None or stamp != stamp_of(config):
            stamp, state = stamp_of(config), State()
        code = main(sys.argv[1:], state=state)
        sys.stdout.write(f"{mark}{code:3}")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
