"""Checks of the machine: the data folder, the models, and OCR."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from casetrack.base.errors import OcrUnavailable, See
from casetrack.base.records import Check
from casetrack.keep.health.folder import OLD_SECONDS, verdict

# Access of other users to the data folder.

_OTHERS = 0o077
_PUBLIC = {"models"}
"""Files without user data."""


def open_to_others(home: Path, /) -> list[Path]:
    """Return the paths in the data folder that other users may read (empty on Windows)."""
    if os.name == "nt" or not home.is_dir() or not _is_open(home):
        return []
    inside = [p for p in sorted(home.iterdir()) if p.name not in _PUBLIC and p.suffix != ".lock"]
    exposed = [path for path in inside if _is_open(path)]
    return [home, *exposed] if exposed else []


def check_private(home: Path, /) -> Check:
    """Check that only its owner can read the data folder."""
    exposed = open_to_others(home)
    return verdict(
        "privacy",
        [f"other users of this machine can read {path}" for path in exposed],
        "only you can read the data folder",
        f"Run {See('doctor', repair=True)}: it removes these access rights (chmod go-rwx).",
    )


def make_private(home: Path, /) -> list[str]:
    """Remove the access rights of others; return the changes."""
    done = []
    for path in open_to_others(home):
        with contextlib.suppress(OSError):  # it belongs to another user; the check reports it
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~_OTHERS)
            done.append(f"made {path} private")
    return done


def _is_open(path: Path) -> bool:
    try:
        status = path.lstat()
    except OSError:
        return False
    return not stat.S_ISLNK(status.st_mode) and bool(status.st_mode & _OTHERS)


_FREE_BYTES = 500 * 2**20
_WITHOUT_NAMES = "Latin, Greek, Chinese and Japanese script"
_PULL_NETWORKS = f"Run {See('models pull', 'rapidocr')}."


def check_data_dir(folder: Path, /) -> Check:
    """Check that the data folder has free space."""
    if not folder.exists():
        detail = f"{folder} does not exist yet; it is created with the first collection."
        return Check("data folder", ok=True, detail=detail)
    free = shutil.disk_usage(folder).free
    return Check(
        "data folder",
        ok=free > _FREE_BYTES,
        detail=f"{folder}, {free / 2**30:.1f} GiB free",
        remedy="Free some space on this disk.",
    )


def check_models(folder: Path, /) -> list[Check]:
    """Check every file of every model against its published hash, and that OCR works."""
    return [*_search_models(folder), check_ocr(folder)]


def check_ocr(folder: Path, /) -> Check:
    """Check the default OCR engine and its languages, with the models in *folder*."""
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
        detail += f"; {second.name} reads uncertain words again"
    return verdict(name, problems, detail, _PULL_NETWORKS)


def _damaged_networks(folder: Path) -> list[str]:
    """Return the damaged networks of RapidOCR, which would fail on pages, not at the start."""
    from casetrack.base.models.catalog import RAPID
    from casetrack.parse.ocr.fetch import find_weights, missing

    place = find_weights(folder)
    return [f"{file.name} in {place} is damaged" for file in missing(RAPID, place)]


def _search_models(folder: Path) -> list[Check]:
    from casetrack.models import pull

    models = pull.installed(folder)
    if not models:
        return [
            Check(
                "models",
                ok=False,
                detail=f"No model in {folder}: only keyword search works.",
                remedy=f"Run {See('models pull')}.",
            )
        ]
    checks = []
    for model in models:
        files = pull.verify(model.name, folder)
        problems = [f"{f.name} is {f.state}" for f in files if f.state != "ok"]
        remedy = f"Run {See('models pull', model.name)} again."
        checks.append(verdict(f"model {model.name}", problems, "all files intact", remedy))
    return checks


def check_remains(home: Path, collections: Path, /) -> Check:
    """Check that stopped programs left no files next to the collections."""
    old = [f"{path.name} was left by a stopped program" for path in remains(home, collections)]
    return verdict("remains", old, "none", f"Run {See('doctor', repair=True)}: it removes them.")


def remains(home: Path, collections: Path, /) -> Iterator[Path]:
    """Yield files that stopped programs left next to the collections more than an hour ago."""
    before = time.time() - OLD_SECONDS
    patterns = [(collections, name) for name in (".deleted-*", ".new-*", ".*.tmp")]
    for folder, pattern in [*patterns, (home, ".*.tmp")]:
        for path in sorted(folder.glob(pattern)):
            with contextlib.suppress(FileNotFoundError):
                if path.stat().st_mtime < before:
                    yield path


def check_notebooks(folder: Path, /) -> list[Check]:
    """Check the small files of the data folder."""
    name, what = "watches.json", "the list of watched folders"
    path = folder / name
    if not path.exists():
        return []
    try:
        json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        detail = f"{what} in {path} cannot be read: {error}"
        remedy = "Move that file away, then add its entries again."
        return [Check(name, ok=False, detail=detail, remedy=remedy)]
    return [Check(name, ok=True, detail=f"{what} can be read")]
