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
from dataclasses import dataclass
from email.parser import Parser
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from casetrack.faces.setup.installation import PACKAGE
from casetrack.faces.setup.signature import NotSigned, check

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.faces.setup.signature import PublicKey

# Whether a release that was unpacked beside the one that runs is what its maker signed.
#
# A wheel of CaseTrack carries ``SHA256SUMS`` and ``SHA256SUMS.minisig`` among its own facts: the
# digests of all its files, and a signature of that list. What a package manager has unpacked is
# held against the list, so it does not matter where the wheel came from, nor who could change it on
# the way. Nothing of it is run or imported.

SUMS = "SHA256SUMS"
SIGNATURE = f"{SUMS}.minisig"
_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")
_OF_INSTALLERS = {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json"}
_MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A version in a folder of its own, checked.

    Attributes
    ----------
    folder
        Where the package and its facts lie side by side.
    version
        Its version.
    facts
        Name of the folder of its facts, ``casetrack-1.0.dist-info``.
    files
        SHA-256 of every file that is signed, by its path below the folder with ``/``.
    requires
        What it needs, as its metadata says.
    """

    folder: Path
    version: str
    facts: str
    files: dict[str, str]
    requires: tuple[str, ...]


def checked(folder: Path, version: str, keys: Iterable[PublicKey], /) -> Unpacked:
    """Return what lies in *folder*, if it is the release of that version as its maker signed it.

    Parameters
    ----------
    keys
        Whose signature counts.

    Raises
    ------
    NotSigned
        It is not; says why.
    """
    facts = f"{PACKAGE}-{version}.dist-info"
    place = folder / facts
    try:
        sums = _read(place / SUMS)
        signature = _read(place / SIGNATURE).decode("ascii")
    except (OSError, UnicodeDecodeError):
        raise NotSigned("it is not signed") from None
    check(sums, signature, keys)
    files = _listed(sums.decode("utf-8", "replace"), facts)
    for name, digest in files.items():
        if _digest(folder / name) != digest:
            raise NotSigned(f"{name} is not what was signed")
    more = [name for name in _there(folder) if name not in files and not _is_made(name, facts)]
    if more:
        raise NotSigned(f"{more[0]} is in it and was not signed")
    told = Parser().parsestr((place / "METADATA").read_text("utf-8"), headersonly=True)
    if (told["Name"], told["Version"]) != (PACKAGE, version):
        raise NotSigned(f"it says of itself that it is {told['Name']} {told['Version']}")
    return Unpacked(folder, version, facts, files, tuple(told.get_all("Requires-Dist", ())))


def _listed(text: str, facts: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in text.splitlines():
        row = _LINE.fullmatch(line)
        name = row[2] if row else line
        parts = PurePosixPath(name).parts
        if row is None or parts[0] not in {PACKAGE, facts} or ".." in parts:
            raise NotSigned(f"its list of files names {name!r}")
        found[name] = row[1]
    if f"{facts}/METADATA" not in found or f"{PACKAGE}/__init__.py" not in found:
        raise NotSigned("its list of files is not whole")
    return found


def _there(folder: Path) -> list[str]:
    """Return every file and link below *folder*; scripts are made anew from the signed facts."""
    return [
        name
        for path in sorted(folder.rglob("*"))
        if (path.is_symlink() or not path.is_dir())
        and (name := path.relative_to(folder).as_posix())
        and not name.startswith(("bin/", "Scripts/"))
        and name != ".lock"  # of uv
    ]


def _is_made(name: str, facts: str) -> bool:
    """Return whether an installer writes that file; its content is not taken over."""
    return name in {f"{facts}/{own}" for own in (*_OF_INSTALLERS, SUMS, SIGNATURE)}


def _digest(path: Path) -> str:
    try:
        if path.is_symlink():
            return ""
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MAX_BYTES)


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
