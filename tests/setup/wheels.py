"""Wheels made by hand, for a package index that is a folder."""

from __future__ import annotations

import zipfile
from pathlib import Path

import casetrack

PACKAGE = Path(casetrack.__file__).parent


def write_wheel(folder: Path, version: str, *, whole: bool = False) -> Path:
    """Write a wheel called casetrack: an empty one, or one with the whole program in it."""
    folder.mkdir(exist_ok=True)
    path = folder / f"casetrack-{version}-py3-none-any.whl"
    info = f"casetrack-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(PACKAGE.rglob("*")) if whole else []:
            if file.is_file() and file.suffix != ".pyc":
                archive.write(file, file.relative_to(PACKAGE.parent))
        if whole:
            script = "[console_scripts]\ncasetrack = casetrack.cli.main:run\n"
            archive.writestr(f"{info}/entry_points.txt", script)
        else:
            archive.writestr("casetrack_marker.py", "")
        about = f"Metadata-Version: 2.1\nName: casetrack\nVersion: {version}\n"
        archive.writestr(f"{info}/METADATA", about)
        facts = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        archive.writestr(f"{info}/WHEEL", facts)
        archive.writestr(f"{info}/RECORD", "")
    return path
