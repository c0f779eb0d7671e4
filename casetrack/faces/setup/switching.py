"""Putting an unpacked version in the place of the one that runs, so that there is always one.

The package's folder is exchanged in one step of the file system where it can do that (Linux), else
in two; then its facts follow. Killed in between, the program runs, as the old version or the new
one, and the next call of :func:`tidied` ends what was begun.
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import hashlib
import os
import re
import shutil
from configparser import ConfigParser
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.faces.setup.installation import PACKAGE

if TYPE_CHECKING:
    from casetrack.faces.setup.unpacked import Unpacked

STAGE = ".casetrack-update"
"""Folder beside the package in which a version waits to take its place."""
NEW = "new"
"""Folder in it into which the version is unpacked; all else in it is our own."""
_READY, _BEFORE = "ready", "before"
"""File that names the version which was checked and may take its place; the package that went."""
_OWN_FACTS = f"{PACKAGE}-*.dist-info"
_ENTRY = re.compile(r"^from \S+ import \S+$", re.MULTILINE)
_NOW = -100  # AT_FDCWD
_EXCHANGE = 2  # RENAME_EXCHANGE


def tidied(site: Path, scripts: Path, /) -> str | None:
    """End or take back what a killed update left; return the version whose switch was ended.

    Parameters
    ----------
    site
        The folder that holds the package.
    scripts
        The folder of the program's scripts.

    Raises
    ------
    OSError
        The folders cannot be written.
    """
    stage = site / STAGE
    version = None
    with contextlib.suppress(FileNotFoundError):
        version = (stage / _READY).read_text("utf-8")
    if version is not None and _version(site / PACKAGE) == version:
        _follow(site, scripts, f"{PACKAGE}-{version}.dist-info")
    elif not (site / PACKAGE).exists() and (stage / _BEFORE).exists():
        (stage / _BEFORE).rename(site / PACKAGE)
        version = None
    else:
        version = None
    shutil.rmtree(stage, ignore_errors=True)
    return version


def switch(new: Unpacked, site: Path, scripts: Path, installer: str, /) -> None:
    """Put *new*, which lies in :data:`NEW` of :data:`STAGE` of *site*, in the place of what runs.

    Parameters
    ----------
    installer
        Whom the facts name as the one that installed it.

    Raises
    ------
    OSError
        It cannot be done; what runs is as it was.
    """
    facts = new.folder / new.facts
    (facts / "INSTALLER").write_text(f"{installer}\n", "utf-8")
    (facts / "direct_url.json").unlink(missing_ok=True)
    (facts / "RECORD").write_text(_record(new, site, scripts), "utf-8")
    stage = site / STAGE
    (stage / _READY).write_text(new.version, "utf-8")
    _exchange(new.folder / PACKAGE, site / PACKAGE, stage / _BEFORE)
    _follow(site, scripts, new.facts)
    shutil.rmtree(stage, ignore_errors=True)


def _follow(site: Path, scripts: Path, facts: str) -> None:
    """Let the facts and the scripts follow the package; may be called again."""
    stage = site / STAGE
    old = [path for path in site.glob(_OWN_FACTS) if path.name != facts]
    if (stage / NEW / facts).is_dir():
        if (site / facts).exists():  # the same version once more
            (site / facts).rename(stage / "facts-before")
        (stage / NEW / facts).rename(site / facts)
    _make_scripts(scripts, _entries(site / facts))
    for path in old:
        path.rename(stage / path.name)


def _exchange(new: Path, there: Path, aside: Path) -> None:
    with contextlib.suppress(AttributeError):  # no such call on this system
        call = ctypes.CDLL(None, use_errno=True).renameat2
        if call(_NOW, os.fsencode(new), _NOW, os.fsencode(there), _EXCHANGE) == 0:
            return
    there.rename(aside)
    try:
        new.rename(there)
    except OSError:
        aside.rename(there)
        raise


def _version(package: Path) -> str | None:
    try:
        text = (package / "version.py").read_text("utf-8")
    except OSError:
        return None
    found = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    return found[1] if found else None


def _entries(facts: Path) -> dict[str, str]:
    """Return what each script imports, by its name."""
    parser = ConfigParser(delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(facts / "entry_points.txt", encoding="utf-8")
    found: dict[str, str] = {}
    for group in ("console_scripts", "gui_scripts"):
        for name, target in parser.items(group) if parser.has_section(group) else ():
            module, _, function = target.partition(":")
            found[name] = f"from {module.strip()} import {function.strip()}"
    return found


def _make_scripts(folder: Path, entries: dict[str, str]) -> None:
    """Write the scripts that are missing, like the one that is there: its first lines start it."""
    pattern = (folder / PACKAGE).read_text("utf-8")
    for name, line in entries.items():
        path = folder / name
        if not path.exists():
            function = line.rpartition(" ")[2]
            text = _ENTRY.sub(line, pattern, count=1).replace("run()", f"{function}()")
            made = folder / f".{name}.new"
            made.write_text(text, "utf-8")
            made.chmod(0o755)
            made.replace(path)


def _record(new: Unpacked, site: Path, scripts: Path) -> str:
    """Return the list of installed files, by which package managers remove them."""
    more = (path.name for path in (new.folder / new.facts).iterdir() if path.name != "RECORD")
    listed = dict.fromkeys((*new.files, *(f"{new.facts}/{name}" for name in sorted(more))))
    rows = [_row(new.folder / name, name) for name in listed if (new.folder / name).is_file()]
    names = _entries(new.folder / new.facts)
    rows += [f"{Path(os.path.relpath(scripts / name, site)).as_posix()},," for name in names]
    return "\n".join([*rows, f"{new.facts}/RECORD,,"]) + "\n"


def _row(path: Path, name: str) -> str:
    data = path.read_bytes()
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    quoted = f'"{name}"' if "," in name else name
    return f"{quoted},sha256={digest},{len(data)}"
