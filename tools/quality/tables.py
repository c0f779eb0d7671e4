"""Recall of table cells with the names of their columns, by format.

Usage: ``just quality tables``, ``--held`` for the held-back shapes, ``--marks FILE`` for tables of
real files. Generated tables of many shapes are written as PDF, DOCX, XLSX and ODS; LibreOffice
converts them to ODT and to a second PDF. A pair is a cell and the names of its column. It counts as
read if the text has ``Names: cell``, or if the cell is in the column of these names in the current
header. *Recall* is the share of the true pairs that are read, *wrong* the share of the read pairs
that are not true.

A line of FILE marks one real table, as JSON: ``{"file": ..., "page": 3, "pairs": [[names, cell],
...]}``; without a page the pairs may be anywhere in the file. Wrong pairs are not counted for it.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.config import OcrSettings
from casetrack.parse import detect
from casetrack.parse.base import ReadOptions
from quality.tabular.scenes import DOCUMENTS, SHEETS, chosen, scene
from quality.tabular.write import convert, write_docx, write_ods, write_pdf, write_xlsx

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from casetrack.parse.base import Page
    from quality.tabular.grids import Pair
    from quality.tabular.scenes import Scene

WITHOUT_OCR = ReadOptions(ocr=OcrSettings(engine="off"))
_BETWEEN = re.compile(r"\s*\|\s*")
_WRITERS = {"pdf": write_pdf, "docx": write_docx, "xlsx": write_xlsx, "ods": write_ods}
_CONVERTED = (
    ("docx", "pdf", "office pdf"), ("docx", "odt", "odt"), ("docx", "html", "office html"),
    ("docx", "rtf", "rtf"), ("xlsx", "pdf", "sheet pdf"), ("xlsx", "html", "sheet html"),
    ("xlsx", "xls", "xls"), ("xlsx", "ods", "office ods"),
)  # fmt: skip
FORMATS = (*_WRITERS, *(target for _, _, target in _CONVERTED))


def plain(text: str) -> str:
    """Keep letters and digits: levels of names are joined in several ways."""
    return "".join(c for c in text.casefold() if c.isalnum())


def told(pages: Iterable[Page]) -> Iterator[Pair]:
    """Yield the pairs that the text of a document states."""
    for page in pages:
        for paragraph in page.paragraphs:
            if paragraph.kind not in {"table", "heading"} and page.method != "Spreadsheet":
                continue
            names = _BETWEEN.split(paragraph.header) if paragraph.header else []
            for line in page.text[paragraph.start : paragraph.end].split("\n"):
                yield from _of_line(line, names)


def _of_line(line: str, names: list[str]) -> Iterator[Pair]:
    cells = _BETWEEN.split(line)
    if names:
        if [plain(c) for c in cells] != [plain(n) for n in names]:
            for name, cell in zip(names, cells, strict=False):
                if name and cell:
                    yield plain(name), plain(cell)
        return
    for cell in cells:
        name, colon, value = cell.partition(": ")
        if colon:
            yield plain(name), plain(value)


def measure(
    path: Path, true: Iterable[Pair], heads: set[str]
) -> tuple[Counter[Pair], Counter[Pair], int]:
    """Return the missed pairs, the wrong pairs, and the number of true ones."""
    wanted = Counter((plain(a), plain(b)) for a, b in true)
    pairs = Counter(told(detect(path).read(path, WITHOUT_OCR).pages))
    wrong = pairs - wanted
    wrong = Counter({p: n for p, n in wrong.items() if p[1] not in heads})
    return wanted - pairs, wrong, wanted.total()


def _heads(scene: Scene) -> set[str]:
    return {plain(c.text) for part in scene.parts for c in part.grid.cells if c.is_head}


def _written(folder: Path, arguments: argparse.Namespace) -> dict[str, list[tuple[Path, Scene]]]:
    """Write the scenes that are asked for, in all formats."""
    files: dict[str, list[tuple[Path, Scene]]] = {name: [] for name in FORMATS}
    for shapes, kinds in ((DOCUMENTS, ("pdf", "docx")), (SHEETS, ("xlsx", "ods"))):
        for at, name in enumerate(chosen(shapes, held=arguments.held)):
            for seed in range(arguments.seeds):
                if arguments.only not in name:
                    continue
                made = scene(shapes, name, seed + 1000 * arguments.held)
                for kind in kinds:
                    path = folder / f"{at}-{seed}.{kind}"
                    _WRITERS[kind](made, path)
                    files[kind].append((path, made))
    for source, kind, target in _CONVERTED:
        if target not in arguments.formats:
            continue
        out = folder / target.replace(" ", "-")
        out.mkdir()
        if files[source]:
            convert([p for p, _ in files[source]], kind, out)
        files[target] = [(out / f"{p.stem}.{kind}", made) for p, made in files[source]]
    return files


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--held", action="store_true", help="the shapes that are held back")
    parser.add_argument("--seeds", type=int, default=3, help="tables of each shape")
    parser.add_argument("--show", type=int, default=0, help="show this many failures of a format")
    parser.add_argument("--shapes", action="store_true", help="print a line for each shape")
    parser.add_argument("--only", default="", help="shapes whose names hold these words")
    parser.add_argument("--marks", type=Path, help="marked tables of real files")
    parser.add_argument("--data", type=Path, default=Path(), help="where the marked files lie")
    parser.add_argument("--formats", nargs="+", default=FORMATS, choices=FORMATS)
    arguments = parser.parse_args()
    if arguments.marks:
        _real(arguments.marks, arguments.data, arguments.show)
        return
    with tempfile.TemporaryDirectory() as scratch:
        files = _written(Path(scratch), arguments)
        for kind in arguments.formats:
            _format(kind, files[kind], arguments.show, each=arguments.shapes)


def _format(kind: str, files: list[tuple[Path, Scene]], show: int, *, each: bool) -> None:
    missed: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    for path, made in files:
        true = [pair for part in made.parts for pair in part.grid.pairs]
        lost, bad, total = measure(path, true, _heads(made))
        shape = made.name.rpartition(" ")[0]
        missed[shape] += lost.total()
        wrong[shape] += bad.total()
        wanted[shape] += total
        if show and (lost or bad):
            show -= 1
            print(f"--- {kind}: {made.name}: missed {list(lost)[:4]} wrong {list(bad)[:4]}")
            for page in detect(path).read(path, WITHOUT_OCR).pages:
                for p in page.paragraphs:
                    text = page.text[p.start : p.end]
                    print(f"    {p.kind:8} {p.header or ''!r:.120} {text!r:.200}")
    if each:
        for shape in wanted:
            share = 1 - missed[shape] / max(wanted[shape], 1)
            print(f"  {kind:10} {share:6.3f} wrong {wrong[shape]:4}  {shape}")
    right = wanted.total() - missed.total()
    print(
        f"{kind:10} pairs {wanted.total():5}  recall {right / max(wanted.total(), 1):.3f}  "
        f"wrong {wrong.total() / max(right + wrong.total(), 1):.3f}"
    )


def _real(marks: Path, data: Path, show: int) -> None:
    totals: dict[str, list[int]] = {}
    for line in marks.read_text(encoding="utf-8").splitlines():
        mark = json.loads(line)
        path = data / mark["file"]
        pages = [p for p in detect(path).read(path, WITHOUT_OCR).pages
                 if p.number == mark.get("page", p.number)]  # fmt: skip
        wanted = Counter((plain(a), plain(b)) for a, b in mark["pairs"])
        lost = wanted - Counter(told(pages))
        sums = totals.setdefault(path.suffix[1:], [0, 0])
        sums[0] += wanted.total() - lost.total()
        sums[1] += wanted.total()
        share = 1 - lost.total() / max(wanted.total(), 1)
        print(f"{share:.3f} of {wanted.total():4}  {mark['file']} {mark.get('page', '')}")
        if show and lost:
            print(f"    missed {list(lost)[:show]}")
    for kind, (right, total) in totals.items():
        print(f"{kind:6} pairs {total:5}  recall {right / total:.3f}")


if __name__ == "__main__":
    main()
