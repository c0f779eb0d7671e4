"""Checks of the machine: the data folder, the models, and what reads pictures of text."""

from __future__ import annotations

import contextlib
import json
import shutil
import time
from typing import TYPE_CHECKING

from casetrack.base.errors import OcrUnavailable
from casetrack.base.records import Check
from casetrack.keep.health.findings import verdict
from casetrack.keep.health.folder import OLD_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FREE_BYTES = 500 * 2**20
_WITHOUT_NAMES = "Latin, Greek, Chinese and Japanese script"
_PULL_NETWORKS = "Run `casetrack models pull rapidocr`."
_NOTEBOOKS = {"watches.json": "the list of watched folders"}


def check_data_dir(folder: Path, /) -> Check:
    """Check that the data folder has room."""
    if not folder.exists():
        detail = f"{folder} does not exist yet; it is made with the first collection."
        return Check("data folder", ok=True, detail=detail)
    free = shutil.disk_usage(folder).free
    return Check(
        "data folder",
        ok=free > _FREE_BYTES,
        detail=f"{folder}, {free / 2**30:.1f} GiB free",
        remedy="Free some space on this disk.",
    )


def check_models(folder: Path, /) -> list[Check]:
    """Check every file of every model against its published hash, and that pictures can be read."""
    return [*_search_models(folder), check_ocr(folder)]


def check_ocr(folder: Path, /) -> Check:
    """Check which engine reads pictures of text where none is named, and in which languages.

    Parameters
    ----------
    folder
        The models folder.
    """
    from casetrack.base.config import OcrSettings
    from casetrack.parse.ocr.choose import choose_engine, second_engine

    name, auto = "text recognition", OcrSettings()
    try:
        engine = choose_engine(auto, folder)
        second = second_engine(engine, auto, folder)
        uses_networks = "rapidocr" in {engine.name, second and second.name}
        problems = _damaged_networks(folder) if uses_networks else []
    except OcrUnavailable as error:
        return Check(name, ok=False, detail=error.message, remedy=error.hint)
    detail = f"{engine.name} ({', '.join(engine.languages) or _WITHOUT_NAMES})"
    if second is not None:
        detail += f"; {second.name} reads again where it is unsure"
    return verdict(name, problems, detail, _PULL_NETWORKS)


def _damaged_networks(folder: Path) -> list[str]:
    """Return what is wrong with RapidOCR's networks: pages would fail on them, not the start."""
    from casetrack.base.models.ocr import RAPID
    from casetrack.parse.ocr.fetch import missing
    from casetrack.parse.ocr.weights import find_weights

    place = find_weights(folder)
    return [f"{file.name} in {place} is wrong" for file in missing(RAPID, place)]


def _search_models(folder: Path) -> list[Check]:
    from casetrack.models import pull

    found = pull.installed(folder)
    if not found:
        return [
            Check(
                "models",
                ok=False,
                detail=f"No model in {folder}: only keyword search works.",
                remedy="Run `casetrack models pull`.",
            )
        ]
    checks = []
    for model in found:
        files = pull.verify(model.name, folder)
        problems = [f"{f.name} is {f.state}" for f in files if f.state != "ok"]
        remedy = f"Run `casetrack models pull {model.name}` again."
        checks.append(verdict(f"model {model.name}", problems, "all files as published", remedy))
    return checks


def check_remains(home: Path, collections: Path, /) -> Check:
    """Check that no stopped program has left anything beside the collections.

    Parameters
    ----------
    home
        The data folder.
    collections
        The folder of the collections in it.
    """
    old = [f"{path.name} is left of a stopped program" for path in remains(home, collections)]
    return verdict("remains", old, "none", "Run `casetrack doctor --repair`: it removes them.")


def remains(home: Path, collections: Path, /) -> Iterator[Path]:
    """Yield what stopped programs have left beside the collections for more than an hour."""
    before = time.time() - OLD_SECONDS
    patterns = [(collections, name) for name in (".deleted-*", ".new-*", ".*.tmp")]
    for folder, pattern in [*patterns, (home, ".*.tmp")]:
        for path in sorted(folder.glob(pattern)):
            with contextlib.suppress(FileNotFoundError):
                if path.stat().st_mtime < before:
                    yield path


def check_notebooks(folder: Path, /) -> list[Check]:
    """Check the small files of the data folder that are no collection.

    Parameters
    ----------
    folder
        The data folder.
    """
    found = []
    for name, what in _NOTEBOOKS.items():
        path = folder / name
        if not path.exists():
            continue
        try:
            json.loads(path.read_bytes())
        except (OSError, ValueError) as error:
            detail = f"{what} in {path} cannot be read: {error}"
            remedy = "Move that file away, then add what it listed once more."
            found.append(Check(name, ok=False, detail=detail, remedy=remedy))
        else:
            found.append(Check(name, ok=True, detail=f"{what} can be read"))
    return found
