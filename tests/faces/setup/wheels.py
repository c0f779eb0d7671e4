"""Wheels made by hand, for a package index that is a folder or a server."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import casetrack
from release.wheel import write_wheel as write

if TYPE_CHECKING:
    from release.signing import Signer

PACKAGE = Path(casetrack.__file__).parent


def write_wheel(
    folder: Path,
    version: str,
    *,
    whole: bool = False,
    signer: Signer | None = None,
    requires: tuple[str, ...] = (),
    scripts: tuple[str, ...] = ("casetrack",),
) -> Path:
    """Write a wheel called casetrack: with next to nothing in it, or with the whole program."""
    folder.mkdir(exist_ok=True)
    path = folder / f"casetrack-{version}-py3-none-any.whl"
    write(path, content(version, whole, requires, scripts), signer)
    return path


def content(
    version: str,
    whole: bool = False,
    requires: tuple[str, ...] = (),
    scripts: tuple[str, ...] = ("casetrack",),
) -> dict[str, bytes]:
    """Return the files of such a wheel."""
    files = {"casetrack/__init__.py": b""}
    if whole:
        project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text("utf-8"))
        wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
        places = {"casetrack": "casetrack"} | wheel["force-include"]
        files = {
            (Path(remote) / file.relative_to(PACKAGE.parent / part)).as_posix(): file.read_bytes()
            for part, remote in places.items()
            for file in (PACKAGE.parent / part).rglob("*")
            if file.is_file() and file.suffix != ".pyc"
        }
    files["casetrack/version.py"] = f'__version__ = "{version}"\n'.encode()
    module = "casetrack.faces.cli.main"
    if not whole:
        module = "casetrack.version"
    entries = "".join(f"{name} = {module}:run\n" for name in scripts)
    about = f"Metadata-Version: 2.1\nName: casetrack\nVersion: {version}\n"
    about += "".join(f"Requires-Dist: {each}\n" for each in requires)
    facts = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    info = f"casetrack-{version}.dist-info"
    return files | {
        f"{info}/METADATA": about.encode(),
        f"{info}/WHEEL": facts.encode(),
        f"{info}/entry_points.txt": f"[console_scripts]\n{entries}".encode(),
    }
