"""Whether a release that was unpacked beside the one that runs is what its maker signed.

A wheel of CaseTrack carries ``SHA256SUMS`` and ``SHA256SUMS.minisig`` among its own facts: the
digests of all its files, and a signature of that list. What a package manager has unpacked is held
against the list, so it does not matter where the wheel came from, nor who could change it on the
way. Nothing of it is run or imported.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from email.parser import Parser
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from casetrack.faces.setup.installation import PACKAGE
from casetrack.faces.setup.signature import NotSigned, check

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.faces.setup.signature import PublicKey

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
