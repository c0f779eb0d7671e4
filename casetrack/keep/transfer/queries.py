"""Saved queries in an exported collection."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from casetrack.base.files import storage_errors
from casetrack.store.queries import ENDING, FOLDER, MAX_BYTES, is_query_name, query_files

_PATH = re.compile(rf"{FOLDER}/([^/]+){re.escape(ENDING)}")
_LARGEST = f"{MAX_BYTES >> 20} MB"


def is_query_path(path: str, /) -> bool:
    """Return whether a path in an archive is that of a saved query."""
    match = _PATH.fullmatch(path)
    return match is not None and is_query_name(match[1])


def copy_queries(folder: Path, content: Path, /) -> list[str]:
    """Copy a collection's saved queries to *content*; return the names of those left out.

    Left out are links, files that are too large or not text, and all but the first of names that
    differ in letter case only, which are equal on some systems.
    """
    left, seen = [], set()
    for path in query_files(folder):
        key = unicodedata.normalize("NFC", path.stem).casefold()
        if path.is_symlink() or not path.is_file() or key in seen:
            left.append(path.name)
            continue
        with storage_errors(path), path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES or not _is_text(data):
            left.append(path.name)
            continue
        seen.add(key)
        place = content / FOLDER / path.name
        with storage_errors(place):
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(data)
    return left


def too_large(path: str, size: int, /) -> str:
    """Describe a saved query of excessive size; empty if it is allowed."""
    if is_query_path(path) and size > MAX_BYTES:
        return f"the saved query {path!r} in it is larger than {_LARGEST}"
    return ""


def not_text(target: Path, /) -> str:
    """Describe an unpacked query that is not text; empty if all are."""
    for path in query_files(target):
        with storage_errors(path):
            if not _is_text(path.read_bytes()):
                return f"the saved query '{FOLDER}/{path.name}' in it is not text in UTF-8"
    return ""


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in data
