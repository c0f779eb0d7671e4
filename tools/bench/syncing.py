"""Files per second of a sync: the first one, an unchanged folder, one in a hundred changed, moved.

Run it with ``python -m bench.syncing --files 10000 [--no-model]``.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.license import UNLIMITED

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection
    from casetrack.base.records.sync import SyncReport

_PER_FOLDER = 200
_WORDS = (
    "notice period rent deposit landlord tenant premises payment quarter clause annex party "
    "termination signature schedule delivery goods warranty liability damages"
).split()
_SETTLING_SECONDS = 2.5


def make_files(folder: Path, count: int, /) -> list[Path]:
    """Write small text files, each with another text; returns their paths."""
    rng, paths = random.Random(7), []
    for number in range(count):
        path = folder / f"{number // _PER_FOLDER:03d}" / f"letter {number:06d}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        words = " ".join(rng.choices(_WORDS, k=60))
        path.write_text(f"Letter number {number}. {words}.\n", encoding="utf-8")
        paths.append(path)
    return paths


def timed(title: str, files: int, collection: Collection, folder: Path, /) -> SyncReport:
    """Sync, and print how long it took."""
    started = time.perf_counter()
    report = collection.sync(folder, remove_deleted=True)
    seconds = time.perf_counter() - started
    counts = ", ".join(f"{n:,} {k}" for k, n in report.as_dict()["counts"].items() if n)
    print(
        f"{title:<14} {seconds:8.2f} s  {files / seconds:10,.0f} files/s  "
        f"({counts or 'nothing to do'}; {report.hashed:,} read to compare)",
        flush=True,
    )
    return report


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--no-model", action="store_true", help="words only, nothing is embedded")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        if options.no_model:
            os.environ["CASETRACK_MODELS"] = str(home / "no-models")
        paths = make_files(home / "files", options.files)
        collection = Library(load_settings(home / "data"), tier=UNLIMITED).create("Bench")
        sync: Callable[[str], SyncReport] = lambda title: timed(  # noqa: E731
            title, options.files, collection, home / "files"
        )
        time.sleep(_SETTLING_SECONDS)
        sync("first")
        sync("unchanged")
        some = random.Random(1).sample(paths, 2 * max(1, options.files // 100))
        for path in some[::2]:
            path.write_text(path.read_text(encoding="utf-8") + "One line more.\n")
        time.sleep(_SETTLING_SECONDS)
        sync("1 % changed")
        for path in some[1::2]:
            path.rename(path.with_name(f"moved {path.name}"))
        sync("1 % moved")
        sync("unchanged")


if __name__ == "__main__":
    main()
