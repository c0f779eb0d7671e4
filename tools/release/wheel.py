"""Rewriting a wheel so that it is the same each time, and carries its maker's signature."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from typing import TYPE_CHECKING

from casetrack.faces.setup.switching import SIGNATURE, SUMS

if TYPE_CHECKING:
    from pathlib import Path

    from release.signing import Signer

MODE = 0o100644
TIME = (2020, 1, 1, 0, 0, 0)


def sums(files: dict[str, bytes], /) -> bytes:
    """Return the digests of files in the form that ``sha256sum --check`` reads."""
    rows = (f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items()))
    return "".join(rows).encode()


def read_wheel(path: Path, /) -> dict[str, bytes]:
    """Return the files of a wheel by name, except its list of files, which is rebuilt."""
    with zipfile.ZipFile(path) as archive:
        return {
            name: archive.read(name)
            for name in archive.namelist()
            if not name.endswith("/") and not name.endswith(".dist-info/RECORD")
        }


def write_wheel(path: Path, files: dict[str, bytes], /, signer: Signer | None) -> None:
    """Write a wheel of *files*; with a signer, also the list of their digests and its signature.

    Names are sorted, times and permissions fixed, so that equal files give equal bytes.
    """
    facts = next(name.partition("/")[0] for name in files if name.endswith(".dist-info/METADATA"))
    whole = dict(files)
    if signer is not None:
        listed = sums(files)
        named = facts.removesuffix(".dist-info").replace("-", " ")
        whole[f"{facts}/{SUMS}"] = listed
        whole[f"{facts}/{SIGNATURE}"] = signer.signed(listed, named).encode()
    record = f"{facts}/RECORD"
    rows = [
        f"{_quoted(name)},{_digest(data)},{len(data)}\n" for name, data in sorted(whole.items())
    ]
    whole[record] = "".join([*rows, f"{record},,\n"]).encode()
    with zipfile.ZipFile(path, "w") as archive:
        # The facts come last, where those look for them who read a wheel from afar.
        for name in sorted(whole, key=lambda name: (name.startswith(facts), name)):
            entry = zipfile.ZipInfo(name, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = MODE << 16
            archive.writestr(entry, whole[name], compresslevel=9)


def _quoted(name: str) -> str:
    return f'"{name}"' if "," in name else name


def _digest(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    return f"sha256={digest.rstrip(b'=').decode()}"
