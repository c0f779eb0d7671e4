"""OpenDocument files from the XML of their bodies."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

URN = "urn:oasis:names:tc:opendocument:xmlns:"
_SPACES = "office text table style presentation meta chart"
_OTHERS = {"draw": "drawing", "fo": "xsl-fo-compatible", "svg": "svg-compatible"}
NAMES = " ".join(
    f'xmlns:{key}="{URN}{value}:1.0"'
    for key, value in ({name: name for name in _SPACES.split()} | _OTHERS).items()
) + (
    ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"'
    ' xmlns:math="http://www.w3.org/1998/Math/MathML"'
)
MIMETYPE = "application/vnd.oasis.opendocument."
KINDS = {".odp": "presentation", ".ods": "spreadsheet", ".odg": "graphics", ".odt": "text"}


def content(body: str, *, kind: str = "text", automatic: str = "") -> str:
    return (
        f"<office:document-content {NAMES}><office:automatic-styles>{automatic}"
        f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}>"
        "</office:body></office:document-content>"
    )


def flat(body: str, kind: str = "text") -> str:
    """Return a document in one XML file."""
    mimetype = f'office:document office:mimetype="{MIMETYPE}{kind}"'
    xml = content(body, kind=kind).replace("office:document-content", mimetype, 1)
    return xml.replace("document-content", "document")


def package(path: Path, parts: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", MIMETYPE + KINDS[path.suffix])
        for name, data in parts.items():
            archive.writestr(name, data)
    return path
