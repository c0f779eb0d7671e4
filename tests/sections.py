"""Text files of test data that consist of named sections."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def sections(path: Path, /, *, mark: str = "===") -> dict[str, str]:
    """Return the sections of a file by name; each begins with a line of *mark* and its name."""
    parts = re.split(rf"^{mark} (.+)\n", path.read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))
