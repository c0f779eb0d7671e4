"""Makes the held documents, or checks those that are committed.

``python tools/held/make_held.py`` writes ``files`` anew. With ``--check`` it changes
nothing and fails where a committed file differs from what the texts give.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "data-samples")]

from _held.build import build  # noqa: E402


def main() -> int:
    """Run the script; the exit status is 0 when all is well and 1 when a check failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare with the committed files")
    parser.add_argument("--only", help="make the documents whose name begins so")
    arguments = parser.parse_args()
    if not arguments.check:
        made = build(HERE / "files", arguments.only or "")
        print(f"{len(made)} files, {sum(p.stat().st_size for p in made) / 1000:.0f} kB")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        made = build(Path(folder))
        names = {p.relative_to(folder).as_posix(): p for p in made}
        kept = [p for p in (HERE / "files").rglob("*") if p.is_file()]
        stale = [name for name, path in names.items() if _differs(path, HERE / "files" / name)]
        stale += [n for p in kept if (n := p.relative_to(HERE / "files").as_posix()) not in names]
    for name in stale:
        print(f"{name} is not what the texts give; run {Path(__file__).name}", file=sys.stderr)
    return 1 if stale else 0


def _differs(made: Path, kept: Path) -> bool:
    return not kept.is_file() or made.read_bytes() != kept.read_bytes()


if __name__ == "__main__":
    sys.exit(main())
