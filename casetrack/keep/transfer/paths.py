"""Paths in archives: which ones are safe on every system, and making names that are."""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from casetrack.keep.transfer.manifest import INFO, MANIFEST
from casetrack.keep.transfer.queries import is_query_path
from casetrack.store.marks.store import PATH as MARKS_PATH
from casetrack.store.pipeline_files import is_kept_path
from casetrack.store.untaken import FILE as LEDGER

if TYPE_CHECKING:
    from collections.abc import Iterable

_MAX_NAME = 200
"""Bytes of a name as UTF-8; file systems take 255, and temporary names add some."""
_MAX_PATH = 500
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\/\ud800-\udfff]')
_DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])", re.IGNORECASE)
_TABLES = re.compile(r"(chunks|documents)\.lance/(data|_versions|_transactions)/[^/]+")
_COPIES = re.compile(r"originals/[^/]+/[^/]+")


def is_safe_name(name: str, /) -> bool:
    """Return whether a file of this name can be made on every system, and is only that."""
    return (
        name not in {"", ".", ".."}
        and not _FORBIDDEN.search(name)
        and not name.endswith((".", " "))
        and not name.startswith(" ")
        and not _DEVICE.fullmatch(name.partition(".")[0].rstrip(" "))
        and len(name.encode()) <= _MAX_NAME
    )


def safe_name(name: str, /) -> str:
    """Return *name*, changed as little as it takes to be a file name on every system."""
    if is_safe_name(name):
        return name
    clean = _FORBIDDEN.sub("_", name).strip(" ").rstrip(". ")
    stem, dot, ending = clean.rpartition(".") if "." in clean[1:] else (clean, "", "")
    ending = dot + ending if len(ending.encode()) <= 20 else ""
    room = _MAX_NAME - len(ending.encode()) - 1
    kept = (stem if ending else clean).encode()[:room].decode(errors="ignore")
    short = kept.rstrip(". ") + ending
    return short if is_safe_name(short) else f"_{short}" if is_safe_name(f"_{short}") else "file"


def fault(paths: Iterable[str], /) -> str:
    """Return what is wrong with the paths of an archive, in words; empty if nothing is."""
    seen: dict[str, str] = {}
    for path in paths:
        reason = _fault(path)
        if reason:
            return reason
        key = unicodedata.normalize("NFC", path).casefold()
        if key in seen:
            same = "holds the same path twice" if seen[key] == path else "holds paths that differ "
            return f"it {same}{'' if seen[key] == path else 'in letter case only'}: {path!r}"
        seen[key] = path
    return ""


def _fault(path: str) -> str:
    if len(path) > _MAX_PATH:
        return f"it holds a path of {len(path):,} characters"
    if path.endswith("/"):
        return f"it holds a folder of its own, which no export makes: {path!r}"
    if (
        path.startswith("/")
        or ".." in path.split("/")
        or not all(map(is_safe_name, path.split("/")))
    ):
        return f"it holds a path that is not safe: {path!r}"
    if path in {INFO, MANIFEST} or _TABLES.fullmatch(path) or _COPIES.fullmatch(path):
        return ""
    if is_query_path(path) or is_kept_path(path) or path in {MARKS_PATH, LEDGER}:
        return ""
    return f"it holds a file that does not belong there: {str(PurePosixPath(path))!r}"
