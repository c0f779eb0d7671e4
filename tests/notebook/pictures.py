"""Make the pictures of ``docs/how-to`` from what the notebooks really show.

Run it from the checkout: ``python tests/notebook/pictures.py``. Each notebook runs in a kernel with
a data folder that is removed afterwards; the output of one cell is photographed by a headless
Chromium. ``--only NAME`` makes one picture, ``--out`` says where.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
from nbclient import NotebookClient
from PIL import Image, ImageChops

if TYPE_CHECKING:
    from collections.abc import Sequence

CHECKOUT = Path(__file__).resolve().parents[2]
OUT = CHECKOUT / "docs" / "how-to"
PICTURES = {
    "inspect-a-collection": ("inspect_collection", "plots.confidence_histogram("),
    "search-and-sources": ("search_and_sources", "plots.bars("),
    "people-and-firms": ("people_and_firms", "collection.entity_graph(name"),
    "timeline-and-amounts": ("timeline_and_amounts", "plots.timeline_strip("),
    "compare-versions": ("compare_versions", "marked_changes(changes)"),
    "measure-retrieval": ("measure_retrieval", "plots.ablation_dots("),
}
"""Picture to its notebook, and what stands in the cell whose last output it shows."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WIDTH, HEIGHT, SCALE = 920, 1600, 1.5
MARGIN = 12
COLOURS = 128
STYLE = """
body { margin: 12px; background: #fff; color: #1f2328;
       font: 14px/1.45 system-ui, 'DejaVu Sans', sans-serif }
p { margin: .3em 0 }
table { display: none }
"""
"""A light notebook; tables below a drawing would make the picture long."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the pictures; return 0 where all were made."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=PICTURES, action="append")
    parser.add_argument("--out", type=Path, default=OUT)
    asked = parser.parse_args(arguments)
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit(f"No browser takes the pictures; install one of {', '.join(BROWSERS)}.")
    with tempfile.TemporaryDirectory() as folder:
        for name in asked.only or PICTURES:
            notebook, wanted = PICTURES[name]
            page = Path(folder) / f"{name}.html"
            page.write_text(_page(_output(notebook, wanted, Path(folder))), encoding="utf-8")
            target = asked.out / f"{name}.png"
            _photograph(browser, page, target)
            print(f"{target.name}: {target.stat().st_size / 1000:.0f} KB")
    return 0


def _output(name: str, wanted: str, folder: Path) -> str:
    """Run a notebook up to the cell in which *wanted* stands; return its last output as HTML."""
    file = CHECKOUT / "notebooks" / f"{name}.ipynb"
    notebook = nbformat.reads(file.read_text(encoding="utf-8"), as_version=4)
    last = next(i for i, cell in enumerate(notebook.cells) if wanted in cell.source)
    notebook.cells = notebook.cells[: last + 1]
    env = {**os.environ, "CASETRACK_HOME": str(folder / "data"), "PYTHONPATH": str(CHECKOUT)}
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute(env=env)
    data: dict[str, Any] = notebook.cells[last].outputs[-1]["data"]
    return str(data["text/html"])


def _page(drawn: str) -> str:
    return f"<!doctype html><meta charset=utf-8><style>{STYLE}</style><body>{drawn}"


def _photograph(browser: str, page: Path, target: Path) -> None:
    """Photograph a page, cut off what is empty, and keep few colours."""
    shot = page.with_suffix(".png")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += [f"--user-data-dir={page.parent / 'browser'}", f"--window-size={WIDTH},{HEIGHT}"]
    command += [f"--force-device-scale-factor={SCALE}", f"--screenshot={shot}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    with Image.open(shot) as image:
        whole = image.convert("RGB")
    left, top, right, bottom = _drawn(whole)
    margin = int(MARGIN * SCALE)
    corners = (max(left - margin, 0), max(top - margin, 0), right + margin, bottom + margin)
    cut = whole.crop(corners)
    cut.quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)


def _drawn(image: Image.Image) -> tuple[int, int, int, int]:
    """Return the corners of what is not white."""
    found = ImageChops.difference(image, Image.new("RGB", image.size, "white")).getbbox()
    if found is None:
        sys.exit("The browser shows an empty page.")
    return found


if __name__ == "__main__":
    sys.exit(main())
