"""``manifest.json``: the description of a ``.ctcollection`` file, and its files."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, TypeGuard

from casetrack.base.errors import ArchiveDamaged, FutureSchema, See
from casetrack.base.files import storage_errors, write_atomic
from casetrack.base.resources import SCHEMA_VERSION
from casetrack.graph.marks import Documents
from casetrack.store import marks
from casetrack.store.place import is_kept_path
from casetrack.store.queries import ENDING, FOLDER, MAX_BYTES, is_query_name, query_files
from casetrack.store.source_states import FILE as SOURCES
from casetrack.store.untaken import FILE as LEDGER

if TYPE_CHECKING:
    from casetrack.store.datasets import Snapshot

FORMAT = "casetrack-collection"
FORMAT_VERSION = 5
"""Format 2 adds saved queries and a custom pipeline, 3 the user's marks, 4 the ledger of unread
files, 5 the state of sources. An archive uses the lowest sufficient format, as every version reads
format 1.
"""
_WITH_MORE, _WITH_MARKS, _WITH_LEDGER, _WITH_SOURCES = 2, 3, 4, 5
MANIFEST = "manifest.json"
INFO = "collection.json"
EXTENSION = ".ctcollection"
ENCRYPTED_EXTENSION = ".ctsealed"
EXPORT = "export"
"""Content type in the head of an encrypted archive."""
COUNTS = ("documents", "pages", "chunks", "originals")
_HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in an archive: its path with slashes, its size in bytes, its SHA-256 in hex."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The description of an archive, with the fingerprints of the vector models."""

    casetrack_version: str
    created_at: str
    collection: dict[str, Any]
    schema_version: int
    profile: str
    dimension: int
    models: tuple[str, ...]
    counts: dict[str, int]
    files: tuple[Entry, ...]

    @property
    def total(self) -> int:
        """Bytes of all files."""
        return sum(e.size for e in self.files)

    def to_bytes(self) -> bytes:
        """Return its serialized form."""
        more = any(is_query_path(e.path) or is_kept_path(e.path) for e in self.files)
        paths = {e.path for e in self.files}
        version = _WITH_MARKS if marks.PATH in paths else _WITH_MORE if more else 1
        version = _WITH_LEDGER if LEDGER in paths else version
        version = _WITH_SOURCES if SOURCES in paths else version
        head = {"format": FORMAT, "format_version": version}
        body = asdict(self) | {
            "models": list(self.models),
            "files": [asdict(e) for e in self.files],
        }
        return (json.dumps(head | body, indent=1, ensure_ascii=False) + "\n").encode()


def parse(data: bytes, /, *, source: str) -> Manifest:
    """Parse the manifest *data* of an untrusted archive; *source* is its name for messages."""
    try:
        raw = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise damaged(source, f"its manifest ({MANIFEST}) cannot be read") from error
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise damaged(source, f"its {MANIFEST} is not that of an exported collection")
    version = raw.get("format_version")
    if _is_count(version) and version > FORMAT_VERSION:
        raise ArchiveDamaged(
            f"{source} was written by a newer CaseTrack (format {version}; this one reads up to "
            f"format {FORMAT_VERSION}).",
            hint="Install the newest version with `pip install --upgrade casetrack`.",
        )
    schema = raw.get("schema_version")
    if _is_count(schema) and schema > SCHEMA_VERSION:
        raise FutureSchema(schema, SCHEMA_VERSION)
    if not _is_count(version) or version == 0 or not _is_valid(raw):
        raise damaged(source, f"its manifest ({MANIFEST}) is incomplete")
    return Manifest(
        **{name: raw[name] for name in Manifest.__dataclass_fields__}
        | {"models": tuple(raw["models"]), "files": tuple(Entry(**entry) for entry in raw["files"])}
    )


def damaged(source: str, what: str, /) -> ArchiveDamaged:
    """Return the error for an archive that cannot be imported."""
    return ArchiveDamaged(
        f"{source} cannot be imported: {what}. Nothing was imported.",
        hint=f"Export the collection again with {See('export')}, or copy the file again; a copy "
        "may be incomplete or changed.",
    )


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62


def _is_valid(raw: dict[str, Any]) -> bool:
    counts, files, models = raw.get("counts"), raw.get("files"), raw.get("models")
    return (
        all(isinstance(raw.get(n), str) for n in ("casetrack_version", "created_at", "profile"))
        and all(_is_count(raw.get(n)) for n in ("schema_version", "dimension"))
        and isinstance(raw.get("collection"), dict)
        and isinstance(models, list)
        and all(isinstance(m, str) for m in models)
        and isinstance(counts, dict)
        and set(counts) == set(COUNTS)
        and all(_is_count(c) for c in counts.values())
        and isinstance(files, list)
        and all(_is_entry(e) for e in files)
    )


def _is_entry(entry: object) -> bool:
    return (
        isinstance(entry, dict)
        and entry.keys() == set(Entry.__dataclass_fields__)
        and isinstance(entry["path"], str)
        and _is_count(entry["size"])
        and isinstance(entry["sha256"], str)
        and len(entry["sha256"]) == 64
        and set(entry["sha256"]) <= _HEX
    )


# Validation of paths in archives, and portable names.

_MAX_NAME = 200
"""Maximum bytes of a name in UTF-8; file systems allow 255, and temporary names add some."""
_MAX_PATH = 500
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\/\ud800-\udfff]')
_DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])", re.IGNORECASE)
_TABLES = re.compile(r"(chunks|documents)\.lance/(data|_versions|_transactions)/[^/]+")
_COPIES = re.compile(r"originals/[^/]+/[^/]+")


def is_safe_name(name: str, /) -> bool:
    """Return whether a name is a valid, plain file name on every system."""
    return (
        name not in {"", ".", ".."}
        and not _FORBIDDEN.search(name)
        and not name.endswith((".", " "))
        and not name.startswith(" ")
        and not _DEVICE.fullmatch(name.partition(".")[0].rstrip(" "))
        and len(name.encode()) <= _MAX_NAME
    )


def safe_name(name: str, /) -> str:
    """Return *name* with the fewest changes that make it a valid file name on every system."""
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
    """Describe an invalid path of an archive; empty if all are valid."""
    seen: dict[str, str] = {}
    for path in paths:
        reason = _fault(path)
        if reason:
            return reason
        key = unicodedata.normalize("NFC", path).casefold()
        if key in seen:
            same = "contains the same path twice" if seen[key] == path else "has paths that differ "
            return f"it {same}{'' if seen[key] == path else 'in letter case only'}: {path!r}"
        seen[key] = path
    return ""


def _fault(path: str) -> str:
    if len(path) > _MAX_PATH:
        return f"it contains a path of {len(path):,} characters"
    if path.endswith("/"):
        return f"it contains a folder that no export makes: {path!r}"
    if (
        path.startswith("/")
        or ".." in path.split("/")
        or not all(map(is_safe_name, path.split("/")))
    ):
        return f"it contains a path that is not safe: {path!r}"
    if path in {INFO, MANIFEST} or _TABLES.fullmatch(path) or _COPIES.fullmatch(path):
        return ""
    if is_query_path(path) or is_kept_path(path) or path in {marks.PATH, LEDGER, SOURCES}:
        return ""
    return f"it contains a file that does not belong there: {str(PurePosixPath(path))!r}"


_PATH = re.compile(rf"{FOLDER}/([^/]+){re.escape(ENDING)}")
_MARKS_BYTES = 64 << 20
"""Maximum size of all marks of a collection; one has a few hundred bytes."""


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


def copy_marks(folder: Path, snapshot: Snapshot, content: Path, /) -> int:
    """Copy the marks of live documents to *content*; return the number of other marks."""
    every, documents = marks.read(folder).all, Documents(snapshot)
    gone = {m.mark_id for m in every if m.document_id is not None and documents.of(m) is None}
    undone = {m.mark_id for m in every if m.kind == "undo" and m.value in gone}
    kept = [m for m in every if m.mark_id not in gone | undone]
    if kept:
        text = "".join(f"{marks.to_line(m)}\n" for m in kept)
        write_atomic(content / marks.PATH, text.encode())
    return len(gone)


def too_large(path: str, size: int, /) -> str:
    """Describe a saved query, marks or a ledger of excessive size; empty if it is allowed."""
    is_query = is_query_path(path)
    most, what = (MAX_BYTES, "the saved query ") if is_query else (_MARKS_BYTES, "")
    if size > most and (is_query or path in {marks.PATH, LEDGER, SOURCES}):
        return f"{what}{path!r} in it is larger than {most >> 20} MB"
    return ""


def unreadable(target: Path, /) -> str:
    """Describe an unpacked query that is not text, or an invalid mark; empty without problems."""
    for path in query_files(target):
        with storage_errors(path):
            if not _is_text(path.read_bytes()):
                return f"the saved query '{FOLDER}/{path.name}' in it is not text in UTF-8"
    broken = marks.Stored(target).broken
    return f"line {broken[0]} of '{marks.PATH}' in it is not a mark" if broken else ""


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in data
