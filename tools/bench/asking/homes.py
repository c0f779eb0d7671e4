"""The data folders that tasks are asked over, made by the program that is measured.

``case`` holds nothing but the sample case file; ``shelf`` holds it beside contracts of the user's
own choice and a third collection, two versions of a letting, written here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SAMPLES = Path(__file__).resolve().parents[3] / "data-samples" / "files"
CASE, CONTRACTS, LETTINGS = "Stanwick Bridge", "Contracts", "Lettings"

_LEASE = """\
Agreement to let

1. The landlord lets the warehouse at 14 Quern Lane, Aldermere, to Pennant Joinery.

2. The rent is {rent} a month, due on the first working day.

3. The tenant may sublet a part of the warehouse with the landlord's written consent.

4. Either side may end the letting by {notice} months' notice to the end of a quarter.

5. The landlord keeps the roof and the outer walls in repair.{more}
"""
_FINAL = "\n\n6. The tenant insures the goods stored there against fire and water."
LETTINGS_FILES = {
    "Letting Quern Lane v1.txt": _LEASE.format(rent="£2,150", notice="three", more=""),
    "Letting Quern Lane v2.txt": _LEASE.format(rent="£2,390", notice="six", more=_FINAL),
}
NEW_FILE = "Boiler Inspection.txt"
_INSPECTION = (
    "Boiler inspection\n\nThe inspector, Mr Ruan Tolley, found the safety valve stuck on "
    "3 June 2025 and shut the boiler down until it is replaced.\n"
)
"""A file that no collection holds yet."""


def make(program: Sequence[str], work: Path, contracts: Path | None, models: Path, /) -> None:
    """Make what is missing of the data folders below *work*.

    Raises
    ------
    subprocess.CalledProcessError
        The program could not take the files in.
    """
    files = work / "files"
    if not (work / "case").is_dir():
        shutil.copytree(SAMPLES, files / "case", dirs_exist_ok=True)
        (files / NEW_FILE).write_text(_INSPECTION, encoding="utf-8")
        _take_in(program, work / "case.part", files / "case", CASE, models)
        (work / "case.part").rename(work / "case")
    if contracts is not None and not (work / "shelf").is_dir():
        part = work / "shelf.part"
        shutil.copytree(work / "case", part, dirs_exist_ok=True)
        (files / "lettings").mkdir(exist_ok=True)
        for name, text in LETTINGS_FILES.items():
            (files / "lettings" / name).write_text(text, encoding="utf-8")
        _take_in(program, part, files / "lettings", LETTINGS, models)
        _take_in(program, part, contracts, CONTRACTS, models)
        part.rename(work / "shelf")


def _take_in(
    program: Sequence[str], home: Path, folder: Path, collection: str, models: Path
) -> None:
    home.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [*program, "ingest", str(folder), "--create", "-c", collection],
        check=True,
        cwd=home,
        env=os.environ | {"CASETRACK_HOME": str(home), "CASETRACK_MODELS": str(models)},
        stdout=subprocess.DEVNULL,
    )
