"""Names that drawings share in slides, documents and workbooks, and how their attributes read."""

from __future__ import annotations

import re
from typing import Any

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
A, R = f"{{{_DRAWING}/main}}", f"{{{_OFFICE}/relationships}}"
C, DGM = f"{{{_DRAWING}/chart}}", f"{{{_DRAWING}/diagram}}"
CX = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
M = f"{{{_OFFICE}/math}}"
XDR = f"{{{_DRAWING}/spreadsheetDrawing}}"


def integer(text: str | None, /, default: int | None = None) -> int | None:
    """Return a whole number as attributes hold it, else *default*."""
    if text is None or not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        return default
    return int(text)


def is_true(text: str | None, /) -> bool:
    """Tell whether an attribute is a switch that is on."""
    return text in {"1", "true", "on"}


def branch(alternate: Any, /) -> Any:
    """Return the branch of an ``mc:AlternateContent`` to read; all of them say the same."""
    branches = [b for b in alternate if b.tag in {f"{MC}Choice", f"{MC}Fallback"} and len(b)]
    return branches[0] if branches else ()
