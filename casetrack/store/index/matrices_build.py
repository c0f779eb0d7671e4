"""Finds where token matrices lie: ``python -m casetrack.store.index.matrices_build``.

Runs beside searching and ingesting and holds neither up: it takes no lock but its own, reads files
that never change, and puts each finished file in place in one step. Killed at any moment, it leaves
at most a temporary file, which the next writer removes.
"""

from __future__ import annotations

import contextlib
import logging
import sys
from pathlib import Path

from casetrack.base.errors import CaseTrackError
from casetrack.store.data_files import data_files, locate
from casetrack.store.datasets import CHUNKS, open_dataset
from casetrack.store.index.arrays import is_whole, save_arrays
from casetrack.store.index.background import step_back
from casetrack.store.index.matrices import COLUMN, home_of, kept_at
from casetrack.store.lock import try_lock

_log = logging.getLogger(__name__)


def build_all(folder: Path, /) -> int:
    """Find the places in all data files of a collection that have none yet; forget those gone.

    Parameters
    ----------
    folder
        The collection's folder.

    Returns
    -------
    int
        Files that were looked through; 0 also where another process is at it, or the collection is
        gone.
    """
    home, made = home_of(folder), 0
    try:
        files = data_files(open_dataset(folder, CHUNKS), COLUMN)
        home.mkdir(parents=True, exist_ok=True)
        with try_lock(home / ".lock") as locked:
            if not locked:
                return 0
            for file in files:
                if not is_whole(kept_at(home, file)):
                    save_arrays(kept_at(home, file), locate(file, COLUMN)._asdict())
                    made += 1
            for gone in set(home.glob("*.bin")) - {kept_at(home, file) for file in files}:
                with contextlib.suppress(OSError):
                    gone.unlink()
    except (OSError, ValueError, CaseTrackError) as error:
        # Merged with others meanwhile, or the disk is full: Lance is asked for them.
        _log.warning("Where the token matrices of %s lie cannot be noted: %s", folder, error)
    return made


def main() -> None:
    """Do it for the collection whose folder is named on the command line."""
    step_back()
    build_all(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
