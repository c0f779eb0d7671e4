"""``python -m release.bundle``: write the MCP bundle."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from casetrack.base.editions import LEGAL
from casetrack.base.registry import registered
from release.bundle.build import BundleError, build


def main(argv: list[str] | None = None, /) -> int:
    """Write the bundle and print its path; the exit code is 1 on a failure."""
    parser = argparse.ArgumentParser("python -m release.bundle", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("dist"), help="folder; dist by default")
    parser.add_argument("--edition", choices=[LEGAL], help="edition; by default any collection")
    given = parser.parse_args(argv)
    folder: Path = given.out
    try:
        bundle = build(
            folder, served=registered("served")[given.edition]() if given.edition else None
        )
    except BundleError as error:
        sys.stderr.write(f"Error: {error.message}\n\n{error.hint}\n")
        return 1
    sys.stdout.write(
        f"{bundle.path}: {bundle.files} files, {bundle.size:,} bytes\nSHA-256 {bundle.sha256}\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
