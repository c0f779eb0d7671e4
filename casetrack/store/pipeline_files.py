"""Where a collection keeps the file of a pipeline that does not ship with CaseTrack."""

from __future__ import annotations

import re

FOLDER = "pipelines"
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
"""What a pipeline may be called."""


def kept_path(name: str, /) -> str:
    """Return where the file of a pipeline lies within the folder of a collection."""
    return f"{FOLDER}/{name}.toml"


def is_kept_path(path: str, /) -> bool:
    """Return whether a path within the folder of a collection is that of a pipeline file."""
    folder, _, name = path.partition("/")
    stem, _, ending = name.rpartition(".")
    return folder == FOLDER and ending == "toml" and NAME.fullmatch(stem) is not None
