"""Measure sealing beside plain copying: ``python -m bench.sealing --mb 512``.

A collection of made-up files is sealed and opened again; each part is told in seconds of the
processor and of the clock, and in MB of plain data a second. Beside it: reading the
same files and writing them as one, which is what no encryption at all would cost.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.crypt.secret import COST, Secret

MB = 1_000_000
PIECE = 8 * MB
PHRASE = "correct horse battery staple"


def main() -> None:
    """Run it and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mb", type=int, default=512, help="plain data of the collection")
    parser.add_argument("--folder", type=Path, help="where to work; by default a temporary folder")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sealing-", dir=asked.folder) as home:
        _measure(Path(home), asked.mb)


def _measure(home: Path, size: int) -> None:
    library = Library(load_settings(home / "data"))
    collection = library.create("Mill")
    copies = collection.folder / "originals" / "made-up"
    copies.mkdir(parents=True)
    for number in range(size * MB // PIECE):
        (copies / f"{number:05d}.bin").write_bytes(os.urandom(PIECE))
    collection.admin.close()
    plain = sum(p.stat().st_size for p in collection.folder.rglob("*") if p.is_file()) / MB
    begun = time.process_time()
    Secret.of(PHRASE).key(bytes(16), COST)
    print(f"one guess of a passphrase: {time.process_time() - begun:.2f} s of the processor\n")
    print("| what | processor s | MB per processor s | clock s |\n|---|---|---|---|")

    def told(what: str, begun: tuple[float, float]) -> None:
        used, passed = time.process_time() - begun[0], time.monotonic() - begun[1]
        print(f"| {what} | {used:.2f} | {plain / used:,.0f} | {passed:.2f} |", flush=True)

    begun_at = time.process_time(), time.monotonic()
    with (home / "plain").open("wb") as sink:
        for path in sorted(copies.iterdir()):
            sink.write(path.read_bytes())
        sink.flush()
        os.fsync(sink.fileno())
    told("plain: read all, write one file", begun_at)
    (home / "plain").unlink()

    begun_at = time.process_time(), time.monotonic()
    parts: list[tuple[str, float, float]] = [("", *begun_at)]

    def hear(what: str, _done: int, _total: int) -> None:
        if parts[-1][0] != what:
            parts.append((what, time.process_time(), time.monotonic()))

    report = library.seal("Mill", PHRASE, progress=hear)
    told("seal, all of it", begun_at)
    ends = [*parts[2:], ("", time.process_time(), time.monotonic())]
    for (what, used, passed), (_, later, after) in zip(parts[1:], ends, strict=True):
        spent = max(later - used, 1e-9)
        print(f"|   {what} | {spent:.2f} | {plain / spent:,.0f} | {after - passed:.2f} |")
    begun_at = time.process_time(), time.monotonic()
    library.unseal("Mill", PHRASE)
    told("unseal", begun_at)
    print(f"\nplain {plain:,.1f} MB in {report.files:,} files, sealed {report.bytes / MB:,.1f} MB")


if __name__ == "__main__":
    main()
