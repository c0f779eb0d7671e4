"""A production set: copies stamped with consecutive Bates numbers."""

from __future__ import annotations

import csv
import itertools
import re
import shutil
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from casetrack.api.text import Lines, line, lines_of
from casetrack.base.arguments import within
from casetrack.base.arrow_values import without_formula
from casetrack.base.errors import FileError, FileNotFound, Opt, UsageError
from casetrack.base.files import sha256_of
from casetrack.base.records.shape import Record
from casetrack.base.records.table import RowList
from casetrack.editions.legal.operation import ADDS, Arg, Passwords, PathRef, Paths, operation
from casetrack.editions.legal.records.load_files import PLACES, Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

# A production set: numbered copies of documents, and a list of their numbers.

ProducedAs = Literal["pages", "native"]


@dataclass(frozen=True, slots=True)
class ProducedFile(Record):
    """A file of a production set."""

    original: str  # Path of the source file, which is not changed
    copy: str  # Path of the stamped PDF
    native: str | None  # Path of the unchanged copy next to a slip sheet
    produced_as: ProducedAs
    first: str  # Bates number of its first page
    last: str  # Bates number of its last page
    pages: int
    sha256: str
    copy_sha256: str


@lines_of.register
def _line(made: ProducedFile) -> Lines:
    span = f"{made.first} to {made.last}" if made.pages > 1 else made.first
    return [line(f"{span}  {Path(made.original).name}")]


MANIFEST = "production.csv"
"""Name of the file in the target folder with the numbers of all files."""
_MAX_DIGITS = 12


@operation("discovery stamp", ADDS, alone=True)
def stamp(
    files: Annotated[Paths, Arg("Files, or folders with all their files, sorted by name.", "FILE")],
    target: Annotated[PathRef, Arg("A new or empty folder.", "--to FOLDER")],
    prefix: Annotated[str, Arg("Prefix of the numbers, such as ABC.", "--prefix TEXT")],
    /,
    *,
    start: Annotated[int, Arg("The first number.", "--start N", ge=1)] = 1,
    digits: Annotated[int, Arg("Digits of a number.", "--digits N", ge=1, le=_MAX_DIGITS)] = 6,
    legend: Annotated[str, Arg("A second stamp, such as CONFIDENTIAL.", "--legend TEXT")] = "",
    place: Annotated[Place, Arg("Preferred place of the number.", "--place")] = PLACES[0],
    passwords: Passwords = (),
    progress: Callable[[int, int], None] | None = None,
) -> RowList[ProducedFile]:
    """Stamp a production set: consecutive numbers on all pages of copies, without gaps.

    PDFs and pictures are stamped on each page. Other files get a slip sheet with one number, and a
    copy named by it. Notes and fields become part of the pages. All files are opened first: if one
    cannot be opened, nothing is written.

    Raises
    ------
    UsageError
        There is no file, a file is named twice, the folder is not empty, the digits are too few, or
        files cannot be opened; the message names all of them.
    """
    paths, folder, tried = [file.resolve() for file in _all(files)], Path(target), tuple(passwords)
    pages = _checked(paths, folder, tried)
    numbers = iter(_numbers(prefix, start, digits, sum(pages)))
    folder.mkdir(parents=True, exist_ok=True)
    report = progress or (lambda _done, _total: None)
    rows: list[ProducedFile] = []
    for done, (file, count) in enumerate(zip(paths, pages, strict=True)):
        report(done, len(paths))
        own = list(itertools.islice(numbers, count))
        rows.append(_produced(file, folder, own, legend, place, tried))
    _write_manifest(folder / MANIFEST, rows)
    report(len(paths), len(paths))
    return RowList(rows, of=ProducedFile)


def _numbers(prefix: str, start: int, digits: int, count: int) -> list[str]:
    """Return consecutive numbers in their stamped form."""
    plain = re.sub(r"[-_ .]", "", prefix)
    if prefix[-1:].isdigit() or (plain and not plain.isalnum()):
        raise UsageError(
            f"“{prefix}” is not a valid prefix.",
            hint="Use letters, such as ABC or ABC-; the last character must not be a digit.",
        )
    within("start", start, 1)
    within("digits", digits, 1, _MAX_DIGITS)
    last = start + count - 1
    if len(str(last)) > digits:
        raise UsageError(
            f"{prefix}{last} has more than {digits} digits.",
            hint=f"Increase {Opt(digits='N')} for the whole set.",
        )
    return [f"{prefix}{number:0{digits}d}" for number in range(start, last + 1)]


def _all(named: Iterable[str | Path]) -> list[Path]:
    paths: list[Path] = []
    for path in map(Path, named):
        paths += sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    return paths


def _checked(files: Sequence[Path], target: Path, passwords: Sequence[str]) -> list[int]:
    """Return the count of numbers for each file, after all checks."""
    from casetrack.editions.legal.paper.letters import open_for_stamping

    if not files:
        raise UsageError("No files were named.", hint="Name files, or a folder with files.")
    twice = next((file for file in files if files.count(file) > 1), None)
    if twice is not None:
        raise UsageError(f"{twice.name} is named twice.", hint="Name each file once.")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(
            f"{target} is not an empty folder.",
            hint="Use a new folder, so that productions are not mixed.",
        )
    counts, failed = [], []
    for file in files:
        try:
            if not file.is_file():
                raise FileNotFound(file)
            if _shows_pages(file):
                with open_for_stamping(file, passwords) as document:
                    counts.append(document.page_count)
            else:
                counts.append(1)
        except FileError as error:
            failed.append(str(error).splitlines()[0])
    if failed:
        raise UsageError(
            "Nothing was stamped, because these files cannot be opened:\n  " + "\n  ".join(failed),
            hint="Repair the files, add their passwords, or omit them.",
        )
    return counts


def _shows_pages(file: Path) -> bool:
    from casetrack.editions.legal.paper.letters import PICTURES

    return file.suffix.lower() == ".pdf" or file.suffix.lower() in PICTURES


def _produced(
    file: Path,
    target: Path,
    numbers: Sequence[str],
    legend: str,
    place: Place,
    passwords: Sequence[str],
) -> ProducedFile:
    from casetrack.editions.legal.paper.flat import flattened
    from casetrack.editions.legal.paper.letters import open_for_stamping, slip_sheet, stamp_page
    from casetrack.editions.legal.paper.pdf import write_copy

    copy = target / f"{numbers[0]}.pdf"
    digest, native = sha256_of(file), None
    if _shows_pages(file):
        with open_for_stamping(file, passwords) as document:
            flat = flattened(document)
            for page, number in zip(flat, numbers, strict=True):
                stamp_page(page, number, legend=legend, place=place)
            write_copy(flat, copy)
    else:
        native = target / f"{numbers[0]}{file.suffix.lower()}"
        shutil.copyfile(file, native)
        sheet = slip_sheet(["Produced in native format", file.name, f"SHA-256 {digest}"])
        stamp_page(sheet[0], numbers[0], legend=legend, place=place)
        write_copy(sheet, copy)
    return ProducedFile(
        str(file),
        str(copy),
        str(native) if native else None,
        "native" if native else "pages",
        numbers[0],
        numbers[-1],
        len(numbers),
        digest,
        sha256_of(copy),
    )


def _write_manifest(path: Path, rows: Iterable[ProducedFile]) -> None:
    names = [field.name for field in fields(ProducedFile)]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(
            [without_formula(str(getattr(row, name) or "")) for name in names] for row in rows
        )
