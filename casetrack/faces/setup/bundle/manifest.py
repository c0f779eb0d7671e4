"""What the bundle says of itself: ``manifest.json``, version 0.4 of the MCPB format."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from casetrack import __version__
from casetrack.faces.setup.bundle.project import PYTHON

if TYPE_CHECKING:
    from casetrack.faces.mcp.edition import ServedEdition

MANIFEST_VERSION = "0.4"
ENTRY_POINT = "server.py"
_SENTENCE = re.compile(r"(.+?[.!?])(?:\s|$)", re.DOTALL)
_ABOUT = """\
CaseTrack reads folders of documents (PDF, Word, Excel, PowerPoint, mail, scans and more) on this \
computer and answers questions with the exact source: file, page, paragraph and line.

Everything happens on this computer. Documents, their texts and your questions are never sent \
anywhere by CaseTrack; what it quotes goes to the AI program that asked. See PRIVACY.md in the \
bundle.

At the first start, Python and the libraries CaseTrack is built on (350 MB) are fetched, then the \
models for searching by meaning and for reading scans (120 MB). A page in your browser shows how \
far it is; what was fetched is kept when it is interrupted."""


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
            # The folder stands here, too: some programs do not pass the environment on.
            "args": [
                # Python alone: what else is needed the program fetches itself, and says how far.
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

    return [
        {"name": name, "description": first_sentence(spec.description)}
        for name, spec in declared(served).items()
    ]


def first_sentence(text: str, /) -> str:
    """Return the first sentence of *text* on one line; all of it where it is one."""
    flat = " ".join(text.split())
    found = _SENTENCE.match(flat)
    return found.group(1) if found else flat
