"""Writes zip containers (DOCX, XLSX, ODS) whose bytes depend on their content alone."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_EPOCH = (2024, 1, 1, 0, 0, 0)


def write_zip(path: Path, members: Iterable[tuple[str, bytes]], /) -> None:
    """Store ``members`` in the order given, with one fixed date and without compression.

    Deflate is left out because its output differs between builds of zlib.
    """
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in members:
            info = zipfile.ZipInfo(name, _EPOCH)
            # The default depends on the system the script runs on.
            info.create_system = 3
            info.external_attr = 0o644 << 16
            archive.writestr(info, data)


def read_zip(path: Path, /) -> list[tuple[str, bytes]]:
    """Members of a zip file, in their order."""
    with zipfile.ZipFile(path) as archive:
        return [(info.filename, archive.read(info)) for info in archive.infolist()]
