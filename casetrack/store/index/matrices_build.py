"""Locating token matrices: ``python -m casetrack.store.index.matrices_build``.

It blocks neither searches nor ingests: it takes only its own lock, reads immutable files, and
publishes each finished file in one step. If killed, it leaves at most a temporary file, which the
next writer removes.
"""

from __future__ import annotations

import contextlib
import logging
import sys
from pathlib import Path

from casetrack.base.errors import CaseTrackError
from casetrack.store.data_files import data_files, locate
from casetrack.store.datasets import CHUNKS, Snapshot, open_dataset
from casetrack.store.index.arrays import is_whole, save_arrays
from casetrack.store.index.background import lower_priority
from casetrack.store.index.matrices import COLUMN, LEAST_ROWS, home_of, kept_at
from casetrack.store.lock import try_lock

_log = logging.getLogger(__name__)


def build_all(folder: Path, /) -> int:
    """Locate the matrices in new data files, and drop removed files; return the number of files."""
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
        # The file was merged meanwhile, or the disk is full: Lance reads its matrices.
        _log.warning(
            "The positions of the token matrices of %s cannot be stored: %s", folder, error
        )
    return made


def locate_few(folder: Path, snapshot: Snapshot, /) -> None:
    """Locate the matrices of a small collection now; larger ones are located in the background."""
    missing = [f for f in snapshot.token_files if not kept_at(home_of(folder), f).exists()]
    if missing and sum(file.rows for file in missing) < LEAST_ROWS:
        build_all(folder)


def main() -> None:
    """Locate the matrices of the collection whose folder is named on the command line."""
    lower_priority()
    build_all(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
