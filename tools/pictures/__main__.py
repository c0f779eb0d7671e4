"""Make the pictures of the README and of docs: ``just release pictures``.

The sample case file is added once to a temporary folder. ``--only NAME`` makes one picture and may
be repeated; ``--out FOLDER`` is the target, with the folders of docs.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pictures import briefing, how_to, tour, window
from pictures.studio import CHECKOUT, open_studio

if TYPE_CHECKING:
    from collections.abc import Sequence

PICTURES = {**tour.PICTURES, **briefing.PICTURES, **how_to.PICTURES, **window.PICTURES}
"""Function of each picture, by its file below docs."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the pictures that are asked for, and print their names and sizes; return 0."""
    parser = argparse.ArgumentParser(prog="python -m pictures", description=__doc__)
    names = f"one of {', '.join(PICTURES)}"
    parser.add_argument("--only", choices=PICTURES, action="append", metavar="NAME", help=names)
    parser.add_argument("--out", type=Path, default=CHECKOUT / "docs", metavar="FOLDER")
    asked = parser.parse_args(arguments)
    with open_studio() as studio:
        for name in asked.only or PICTURES:
            made = asked.out / name
            made.parent.mkdir(parents=True, exist_ok=True)
            made.write_bytes(PICTURES[name](studio))
            print(f"{name}  {made.stat().st_size / 1000:.0f} kB", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
