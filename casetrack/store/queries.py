"""Saved queries as files: their folder and their valid names."""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = "queries"
ENDING = ".sql"
MAX_BYTES = 1 << 20
"""Size limit of a saved query, far above any real one."""
_NAME = re.compile(r"[^\W_][\w-]{0,63}")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)


def is_query_name(name: str, /) -> bool:
    """Return whether a query name is valid: letters, digits, ``-`` and ``_``, at most 64.

    Such a name is a valid file name on every system.

    Examples
    --------
    >>> is_query_name("amounts-above"), is_query_name("../amounts"), is_query_name("con")
    (True, False, False)
    """
    return bool(_NAME.fullmatch(name)) and not _RESERVED.fullmatch(name)


def query_files(folder: Path, /) -> tuple[Path, ...]:
    """Return the saved queries in the ``queries`` folder of *folder*, sorted by name."""
    paths = (folder / FOLDER).glob(f"*{ENDING}")
    return tuple(sorted(p for p in paths if is_query_name(p.stem)))
