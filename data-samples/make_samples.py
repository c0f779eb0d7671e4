"""Makes the sample case file of CaseTrack, or checks the one that is committed.

``python data-samples/make_samples.py`` writes ``data-samples/files`` and the case for lawyers,
``data-samples/case``, anew. With ``--check`` it
changes nothing; it fails if the committed files differ from what the texts give, or if an answer
of ``golden.jsonl`` is not where it says.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from _make.build import build
from _make.case import build_case
from _make.check import check

HERE = Path(__file__).parent


def main() -> int:
    """Run the script; the exit status is 0 when all is well and 1 when a check failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--check", action="store_true", help="verify the committed files and golden.jsonl"
    )
    arguments = parser.parse_args()
    if arguments.check:
        faults = check(HERE)
        for fault in faults:
            print(fault, file=sys.stderr)
        print("all is well" if not faults else f"{len(faults)} faults")
        return 1 if faults else 0
    for name, write in (("files", build), ("case", build_case)):
        folder = HERE / name
        if folder.exists():
            shutil.rmtree(folder)
        made = write(folder)
        size = sum(path.stat().st_size for path in made)
        print(f"{len(made)} files, {size / 1000:.0f} kB, in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
