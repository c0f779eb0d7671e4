"""The pictures of ``docs/how-to``: the output of one cell of each notebook."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Any

from PIL import Image, ImageChops

from pictures.browser import View, photograph, small_png
from pictures.studio import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Callable

    from pictures.studio import Studio

CELLS = {
    "inspect-a-collection": ("inspect_collection", "plots.confidence_histogram("),
    "search-and-sources": ("search_and_sources", "plots.bars("),
    "people-and-firms": ("people_and_firms", "collection.map.graph(name"),
    "timeline-and-amounts": ("timeline_and_amounts", "plots.timeline_strip("),
    "compare-versions": ("compare_versions", "marked_changes(changes)"),
    "measure-retrieval": ("measure_retrieval", "plots.ablation_dots("),
}
"""Notebook of each picture, and a part of the cell whose last output it shows."""
VIEW = View(920, 1600, scale=1.5)
MARGIN = 12
SECONDS = 300
STYLE = """
body { margin: 12px; background: #fff; color: #1f2328;
       font: 14px/1.45 system-ui, 'DejaVu Sans', sans-serif }
p { margin: .3em 0 }
table { display: none }
"""
"""A light notebook; tables below a drawing would make the picture long."""


def _seen(notebook: str, wanted: str, studio: Studio) -> bytes:
    """Return a screenshot of an output, without its empty margins."""
    page = studio.home / f"{notebook}.html"
    drawn = _output(notebook, wanted)
    page.write_text(
        f"<!doctype html><meta charset=utf-8><style>{STYLE}</style><body>{drawn}", encoding="utf-8"
    )
    return small_png(_cut(photograph(studio.browser, page, VIEW)))


def _output(name: str, wanted: str) -> str:
    """Run a notebook up to the cell that contains *wanted*; return its last output as HTML."""
    import nbformat
    from nbclient import NotebookClient

    file = CHECKOUT / "notebooks" / f"{name}.ipynb"
    notebook = nbformat.reads(file.read_text(encoding="utf-8"), as_version=4)
    last = next(i for i, cell in enumerate(notebook.cells) if wanted in cell.source)
    notebook.cells = notebook.cells[: last + 1]
    env = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    quiet = ["--log-level=ERROR"]
    client = NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", extra_arguments=quiet)
    client.execute(env=env)
    data: dict[str, Any] = notebook.cells[last].outputs[-1]["data"]
    return str(data["text/html"])


def _cut(picture: Image.Image) -> Image.Image:
    """Cut a picture to its content with a margin."""
    white = Image.new("RGB", picture.size, "white")
    box = ImageChops.difference(picture, white).getbbox()
    if box is None:
        raise SystemExit("The browser shows an empty page.")
    left, top, right, bottom = box
    margin = int(MARGIN * VIEW.scale)
    return picture.crop(
        (max(left - margin, 0), max(top - margin, 0), right + margin, bottom + margin)
    )


PICTURES: dict[str, Callable[[Studio], bytes]] = {
    f"how-to/{name}.png": functools.partial(_seen, *cell) for name, cell in CELLS.items()
}
"""Function of each picture, by its file below docs."""
