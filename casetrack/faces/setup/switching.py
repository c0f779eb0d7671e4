"""Replaces the running version with an unpacked one, without a moment with none.

The package's folder is exchanged by one operation of the file system if possible (Linux), else by
two; then its metadata follows. After a kill in between, the program runs in its old or new version,
and the next call of :func:`tidied` completes the exchange.
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import hashlib
import os
import re
import shutil
from collections.abc import Iterable
from configparser import ConfigParser
from dataclasses import dataclass
from email.parser import Parser
from pathlib import Path, PurePosixPath

from casetrack.base.files import sha256_of
from casetrack.faces.setup.installation import PACKAGE
from casetrack.faces.setup.signature import NotSigned, PublicKey, check

# Checks whether an unpacked release is signed by its maker. A wheel of CaseTrack contains
# ``SHA256SUMS`` and ``SHA256SUMS.minisig`` in its metadata: the digests of all its files, and a
# signature of that list. The unpacked files are compared with the list, so neither the origin of
# the wheel nor the path to this computer matters. None of its code is run or imported.

SUMS = "SHA256SUMS"
SIGNATURE = f"{SUMS}.minisig"
_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")
_OF_INSTALLERS = {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json"}
_MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A checked version in a separate folder.

    Attributes
    ----------
    folder
        The folder with the package and its metadata.
    facts
        Name of the folder of its metadata, ``casetrack-1.0.dist-info``.
    files
        SHA-256 of every signed file, by its path below the folder with ``/``.
    requires
        Its requirements from the metadata.
    """

    folder: Path
    version: str
    facts: str
    files: dict[str, str]
    requires: tuple[str, ...]


def checked(folder: Path, version: str, keys: Iterable[PublicKey], /) -> Unpacked:
    """Return the release in *folder*, if a trusted key signed it.

    Raises
    ------
    NotSigned
        The signature or a file is invalid; contains the reason.
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
            raise NotSigned(f"{name} differs from the signed file")
    more = [
        name for name in _files_below(folder) if name not in files and not _is_made(name, facts)
    ]
    if more:
        raise NotSigned(f"{more[0]} is not signed")
    metadata = Parser().parsestr((place / "METADATA").read_text("utf-8"), headersonly=True)
    if (metadata["Name"], metadata["Version"]) != (PACKAGE, version):
        raise NotSigned(f"its metadata is of {metadata['Name']} {metadata['Version']}")
    return Unpacked(folder, version, facts, files, tuple(metadata.get_all("Requires-Dist", ())))


def _listed(text: str, facts: str) -> dict[str, str]:
    digests: dict[str, str] = {}
    for line in text.splitlines():
        row = _LINE.fullmatch(line)
        name = row[2] if row else line
        parts = PurePosixPath(name).parts
        if row is None or parts[0] not in {PACKAGE, facts} or ".." in parts:
            raise NotSigned(f"its list of files names {name!r}")
        digests[name] = row[1]
    if f"{facts}/METADATA" not in digests or f"{PACKAGE}/__init__.py" not in digests:
        raise NotSigned("its list of files is incomplete")
    return digests


def _files_below(folder: Path) -> list[str]:
    """Return all files and links below *folder* except scripts, which are rebuilt."""
    return [
        name
        for path in sorted(folder.rglob("*"))
        if (path.is_symlink() or not path.is_dir())
        and (name := path.relative_to(folder).as_posix())
        and not name.startswith(("bin/", "Scripts/"))
        and name != ".lock"  # of uv
    ]


def _is_made(name: str, facts: str) -> bool:
    """Return whether an installer writes that file; it is not copied."""
    return name in {f"{facts}/{own}" for own in (*_OF_INSTALLERS, SUMS, SIGNATURE)}


def _digest(path: Path) -> str:
    try:
        return "" if path.is_symlink() else sha256_of(path)
    except OSError:
        return ""


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MAX_BYTES)


STAGE = ".casetrack-update"
"""Folder next to the package for a version that will replace it."""
NEW = "new"
"""Subfolder with the unpacked version."""
_READY, _BEFORE = "ready", "before"
"""File with the version that is checked and ready; folder of the replaced package."""
_OWN_FACTS = f"{PACKAGE}-*.dist-info"
_ENTRY = re.compile(r"^from \S+ import \S+$", re.MULTILINE)
_NOW = -100  # AT_FDCWD
_EXCHANGE = 2  # RENAME_EXCHANGE


def tidied(site: Path, scripts: Path, /) -> str | None:
    """Complete or undo the exchange of a killed update; return the version that is complete now.

    *site* is the folder of the package, *scripts* that of the program's scripts.

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
    """Replace the running version with *new*, which is in :data:`NEW` of :data:`STAGE` of *site*.

    *installer* is the name of the installer in the metadata.

    Raises
    ------
    OSError
        It failed; the running version is unchanged.
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
    """Move metadata and scripts after the package; can be repeated."""
    stage = site / STAGE
    old = [path for path in site.glob(_OWN_FACTS) if path.name != facts]
    if (stage / NEW / facts).is_dir():
        if (site / facts).exists():  # the same version once more
            (site / facts).rename(stage / "facts-before")
        (stage / NEW / facts).rename(site / facts)
    _make_scripts(scripts, _entries(site / facts))
    for path in old:
        path.rename(stage / path.name)


def _exchange(new: Path, place: Path, aside: Path) -> None:
    with contextlib.suppress(AttributeError):  # no such call on this system
        call = ctypes.CDLL(None, use_errno=True).renameat2
        if call(_NOW, os.fsencode(new), _NOW, os.fsencode(place), _EXCHANGE) == 0:
            return
    place.rename(aside)
    try:
        new.rename(place)
    except OSError:
        aside.rename(place)
        raise


def _version(package: Path) -> str | None:
    try:
        text = (package / "version.py").read_text("utf-8")
    except OSError:
        return None
    match = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    return match[1] if match else None


def _entries(facts: Path) -> dict[str, str]:
    """Return the import of each script, by its name."""
    parser = ConfigParser(delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(facts / "entry_points.txt", encoding="utf-8")
    imports: dict[str, str] = {}
    for group in ("console_scripts", "gui_scripts"):
        for name, target in parser.items(group) if parser.has_section(group) else ():
            module, _, function = target.partition(":")
            imports[name] = f"from {module.strip()} import {function.strip()}"
    return imports


def _make_scripts(folder: Path, entries: dict[str, str]) -> None:
    """Write missing scripts with the first lines of an existing one, which start Python."""
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
    """Return the list of installed files, which package managers use for removal."""
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
