"""Collects the bundle's files and writes them as one archive.

Two builds of a checkout have equal bytes with the same zlib, and equal files everywhere: names are
sorted, times and permissions are fixed.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import casetrack
from casetrack.base.errors import CaseTrackError
from casetrack.faces.setup.clients import NAME
from casetrack.version import __version__
from release.bundle import icon

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from casetrack.faces.mcp.edition import ServedEdition


class BundleError(CaseTrackError):
    """The bundle cannot be made here."""

    code = "bundle"


# The bundle's ``pyproject.toml``: that of the checkout without the tables for developers.

PYTHON = "3.11"
"""The Python version for which all libraries have wheels."""

_KEPT = (
    *"name dynamic description readme requires-python license license-files dependencies".split(),
    *"scripts".split(),
)


def slimmed(text: str, /) -> str:
    """Return the ``pyproject.toml`` *text* with only the tables for installation and use."""
    whole = tomllib.loads(text)
    project = {key: whole["project"][key] for key in _KEPT if key in whole["project"]}
    scripts = project.pop("scripts", {})
    hatch = whole["tool"]["hatch"]
    wheel = dict(hatch["build"]["targets"]["wheel"])
    included = wheel.pop("force-include", {})
    tables: dict[str, Mapping[str, Any]] = {
        "build-system": whole["build-system"],
        "project": project,
        "project.scripts": scripts,
        "tool.hatch.version": hatch["version"],
        "tool.hatch.build.targets.wheel": wheel,
        "tool.hatch.build.targets.wheel.force-include": included,
    }
    return "\n".join(_table(name, values) for name, values in tables.items() if values)


def shipped_parts(text: str, /) -> tuple[str, ...]:
    """Return the folders and files that a wheel built from this ``pyproject.toml`` would hold."""
    wheel = _wheel(text)
    return (*wheel["packages"], *wheel.get("force-include", {}))


def left_out(text: str, /) -> frozenset[str]:
    """Return the files of those parts that are not shipped."""
    return frozenset(_wheel(text).get("exclude", ()))


def _wheel(text: str) -> dict[str, Any]:
    wheel: dict[str, Any] = tomllib.loads(text)["tool"]["hatch"]["build"]["targets"]["wheel"]
    return wheel


def shipped_files(text: str, /) -> tuple[str, ...]:
    """Return the single files that the ``pyproject.toml`` *text* names: README and licences."""
    project = tomllib.loads(text)["project"]
    return (project["readme"], *project.get("license-files", []))


def _table(name: str, values: Mapping[str, Any]) -> str:
    rows = [f"[{name}]"]
    rows += [f"{json.dumps(key)} = {_written(value)}" for key, value in values.items()]
    return "\n".join(rows) + "\n"


def _written(value: Any) -> str:
    """Return text or a list of texts as TOML, whose basic strings equal those of JSON."""
    if isinstance(value, list):
        return "[" + "".join(f"\n  {json.dumps(item)}," for item in value) + "\n]"
    return json.dumps(value)


# The bundle's description: ``manifest.json``, version 0.4 of the MCPB format.

MANIFEST_VERSION = "0.4"
ENTRY_POINT = "server.py"
_SENTENCE = re.compile(r"(.+?[.!?])(?:\s|$)", re.DOTALL)
_ABOUT = """\
CaseTrack reads folders of documents (PDF, Word, Excel, PowerPoint, mail, scans and more) on this \
computer and answers questions with the exact source: file, page, paragraph and line.

Everything is processed on this computer. CaseTrack never sends documents, their texts or your \
questions anywhere; its quotations go to the AI program that asked. See PRIVACY.md in the bundle.

The first start downloads Python and the libraries of CaseTrack (360 MB), then the models for \
search by meaning and for scans (120 MB). A page in your browser shows the progress; an \
interrupted download continues later."""


def manifest(served: ServedEdition | None = None, /) -> dict[str, Any]:
    """Return the manifest of an edition or of the server for any collection, with its tools."""
    from casetrack.faces.mcp.catalogue import any_collection

    edition = any_collection().edition if served is None else served.edition
    return {
        "manifest_version": MANIFEST_VERSION,
        "name": edition.server,
        "display_name": edition.bundle["title"],
        "version": __version__,
        "description": edition.bundle["about"],
        "long_description": _ABOUT,
        "author": {"name": "CaseTrack", "url": "https://casetrack.dev"},
        "homepage": "https://casetrack.dev",
        "icon": "icon.png",
        "server": _server(None if served is None else edition.name),
        "tools": _tools(served),
        "prompts_generated": True,
        "keywords": ["documents", "search", "citations", "ocr", "local", "legal"],
        "license": "AGPL-3.0-or-later",
        # No "runtimes": a program that looks for Python on the computer would refuse to install
        # where there is none, and uv brings its own.
        "compatibility": {"platforms": ["darwin", "win32", "linux"]},
        "user_config": _settings(),
    }


def _server(edition: str | None) -> dict[str, Any]:
    chosen = () if edition is None else ("--edition", edition)
    folder = "${user_config.data_dir}"
    return {
        "type": "uv",
        "entry_point": ENTRY_POINT,
        "mcp_config": {
            "command": "uv",
            # Also as an argument, because some programs do not pass the environment on.
            "args": [
                # Only Python: the program itself downloads everything else and shows the progress.
                *("run", "--no-project", "--python", PYTHON, "--directory", "${__dirname}"),
                *(ENTRY_POINT, "--data-dir", folder, "serve", *chosen),
            ],
            "env": {"CASETRACK_HOME": folder, "CASETRACK_LICENSE": "${user_config.license_key}"},
        },
    }


def _settings() -> dict[str, Any]:
    return {
        "data_dir": {
            "type": "directory",
            "title": "Data Location",
            "description": "Where to store collections and models on your computer",
            "default": "${DOCUMENTS}/CaseTrack",
            "required": True,
        },
        "license_key": {
            "type": "string",
            "title": "License Key (Optional)",
            "description": "Leave blank for the free tier. Purchase at casetrack.dev",
            # Without a default, programs hand the placeholder itself to the server.
            "default": "",
            "sensitive": True,
            "required": False,
        },
    }


def _tools(served: ServedEdition | None) -> list[dict[str, str]]:
    from casetrack.faces.mcp.catalogue import declared
    from casetrack.faces.mcp.specs import MORE

    return [
        {"name": name, "description": first_sentence(spec.description)}
        for name, spec in declared(served).items()
        if name != MORE  # which lists the others
    ]


def first_sentence(text: str, /) -> str:
    """Return the first sentence of *text* on one line."""
    flat = " ".join(text.split())
    sentence = _SENTENCE.match(flat)
    return sentence.group(1) if sentence else flat


HERE = Path(__file__).parent
_TIME = (2020, 1, 1, 0, 0, 0)
_MODE = 0o100644
_NEVER = frozenset({"__pycache__", "_resources"})
_STARTER = '''\
"""Installs the dependencies and starts CaseTrack; see casetrack/faces/setup/bundle/starting.py."""

import sys
from pathlib import Path

from casetrack.faces.setup.bundle.starting import has_libraries, main

if __name__ == "__main__":  # worker processes import this file, too
    if has_libraries():
        from casetrack.faces.cli.main import run

        run()
    sys.exit(main(Path(__file__).resolve().parent, sys.argv[1:]))
'''


@dataclass(frozen=True, slots=True)
class Bundle:
    """A written bundle.

    Attributes
    ----------
    path
        The ``.mcpb`` file, next to its ``.sha256``.
    sha256
        Its digest in hexadecimal digits.
    files
        Number of its files.
    size
        Its size in bytes.
    """

    path: Path
    sha256: str
    files: int
    size: int


def contents(
    root: Path | None = None, /, *, served: ServedEdition | None = None
) -> dict[str, bytes]:
    """Return the bundle's files by their sorted names in the archive.

    *root* is the checkout (by default this one), *served* the edition (by default any collection).

    Raises
    ------
    BundleError
        It is no checkout.
    """
    root = Path(casetrack.__file__).resolve().parents[1] if root is None else root
    try:
        project = (root / "pyproject.toml").read_text(encoding="utf-8")
    except OSError as error:
        raise BundleError(
            f"{root} is not a checkout of CaseTrack: it has no pyproject.toml.",
            hint="Run it in a checkout: python -m release.bundle",
        ) from error
    files = {name: (root / name).read_bytes() for name in shipped_files(project)}
    for part in shipped_parts(project):
        files |= {p.relative_to(root).as_posix(): p.read_bytes() for p in _files(root / part)}
    for name in left_out(project):
        files.pop(name, None)
    files |= {
        "pyproject.toml": slimmed(project).encode(),
        ".python-version": f"{PYTHON}\n".encode(),
        ENTRY_POINT: _STARTER.encode(),
        "PRIVACY.md": (HERE / "PRIVACY.md").read_bytes(),
        "icon.png": icon.FILE.read_bytes(),
        "manifest.json": _json(manifest(served)),
    }
    return dict(sorted(files.items()))


def build(
    folder: Path, /, *, root: Path | None = None, served: ServedEdition | None = None
) -> Bundle:
    """Write the bundle and its digest into *folder*.

    Raises
    ------
    BundleError
        As :func:`contents`, or the folder cannot be written.
    """
    files = contents(root, served=served)
    name = NAME if served is None else served.edition.server
    path = folder / f"{name}-{casetrack.__version__}.mcpb"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write(path, files)
        data = path.read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        # The form that `sha256sum --check` reads.
        path.with_name(path.name + ".sha256").write_text(f"{digest}  {path.name}\n", "utf-8")
    except OSError as error:
        raise BundleError(
            f"Cannot write {path}: {error.strerror or error}.",
            hint="Choose another folder with `--out FOLDER`.",
        ) from error
    return Bundle(path, digest, len(files), len(data))


def _files(part: Path) -> Iterator[Path]:
    """Yield a file, or the files of the program below a folder."""
    for path in sorted(part.iterdir()) if part.is_dir() else (part,):
        if path.name in _NEVER or path.name.startswith(".") or path.suffix in {".pyc", ".pyo"}:
            continue
        if path.is_dir():
            yield from _files(path)
        elif path.is_file():
            yield path


def _write(path: Path, files: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # rights are those of Unix, on whatever system it is made
            entry.external_attr = _MODE << 16
            archive.writestr(entry, data, compresslevel=9)


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
