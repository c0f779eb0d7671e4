"""A program of the user that prints its items: one JSON object per line.

It gets its settings as one JSON object on standard input. The keys of a line are

``source_id``
    Id of the item; required and unique.
``body``, ``content_base64`` or ``path``
    Its text, its bytes, or a file with its content, relative to the program's folder; one of them.
``content_type``, ``name``
    Its format: a type such as ``text/markdown``, a file name such as ``page.html``. Without
    either, the extension of ``source_id`` or ``path``, or else plain text.
``title``, ``author``, ``source_url``, ``created_at``, ``updated_at``, ``metadata``
    Further facts. Times are ISO 8601 or seconds since 1970, ``metadata`` is an object.

A listing is valid only if the program ends with status 0 and all lines are valid.
"""

from __future__ import annotations

import base64
import binascii
import functools
import hashlib
import json
import mimetypes
import os
import re
import shutil
import sys
import tempfile
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from casetrack.base.arguments import suggest
from casetrack.base.errors import JobStopped, See, SourceChanged, SourceError, SourceSkipped
from casetrack.base.files import sha256_of
from casetrack.ingest.walk import suffix_of
from casetrack.keep.sources.base import Item, Source, counted, label
from casetrack.keep.sources.program import Limits, Running, running

# Parsing of a script's line.

KEYS = (
    "source_id", "body", "content_base64", "path", "content_type", "name", "title", "author",
    "source_url", "created_at", "updated_at", "metadata", "metadata_json", "source",
)  # fmt: skip
"""Allowed keys. The last two are ctx's: the same facts as a text, and redundant ones."""
_TEXTS = tuple(key for key in KEYS if key not in {"metadata", "created_at", "updated_at"})
_LONGEST_NAME = 1024
_EXTENSIONS = {"text/plain": ".txt", "text/markdown": ".md", "text/x-markdown": ".md"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


class Unfit(Exception):
    """An invalid line; the text has the reason."""


def checked(raw: Any, /) -> dict[str, Any]:
    """Return the validated object of a line, with its ``source_id`` as a text."""
    if not isinstance(raw, dict):
        raise Unfit("it is not an object")
    values: dict[str, Any] = {key: value for key, value in raw.items() if value is not None}
    unknown = next((key for key in values if key not in KEYS), None)
    if unknown is not None:
        more = "; put further facts into 'metadata'"
        raise Unfit(f"it has an unknown key {unknown!r}{suggest(unknown, KEYS)}{more}")
    if isinstance(values.get("source_id"), int):
        values["source_id"] = str(values["source_id"])
    for key in _TEXTS:
        if not isinstance(values.get(key, ""), str):
            raise Unfit(f"{key!r} is not a text")
    source_id = values.get("source_id", "")
    if not source_id.strip() or len(source_id) > _LONGEST_NAME or _CONTROL.search(source_id):
        raise Unfit("'source_id' is missing, longer than 1,024 characters, or not plain text")
    return values


def name_of(raw: Mapping[str, Any], source_id: str, /) -> str | None:
    """Return a file name for the format of an item; ``None`` if its id has an extension."""
    own = source_id.rstrip("/").rpartition("/")[2]
    if "name" in raw:
        name = raw["name"].replace("\\", "/").rpartition("/")[2]
        if not name or _CONTROL.search(name):
            raise Unfit("'name' is not a file name")
        return str(name)
    content_type = raw.get("content_type", "").partition(";")[0].strip().lower()
    if content_type:
        extension = _EXTENSIONS.get(content_type) or mimetypes.guess_extension(content_type)
        if extension is None:
            raise Unfit(f"'content_type' is unknown: {content_type!r}; set 'name' too")
    elif suffix_of(own) in _readable():
        return None
    else:
        extension = suffix_of(raw["path"]) if "path" in raw else ".txt"
        if "content_base64" in raw or not extension:
            raise Unfit("its format is unknown; set 'content_type' or 'name'")
    return None if suffix_of(own) == extension else own + extension


@functools.cache
def _readable() -> frozenset[str]:
    from casetrack.parse import known_extensions

    return frozenset(known_extensions())


def metadata_of(raw: Mapping[str, Any], /) -> dict[str, Any]:
    """Return the metadata of an item."""
    metadata = raw.get("metadata", {})
    if "metadata_json" in raw:
        try:
            metadata = json.loads(raw["metadata_json"])
        except ValueError as error:
            raise Unfit("'metadata_json' is not JSON") from error
    if not isinstance(metadata, dict):
        raise Unfit("'metadata' is not an object")
    return dict(metadata)


def moment_of(raw: Mapping[str, Any], key: str, /) -> datetime:
    """Return a time in a line as UTC, which is also the default zone."""
    value = raw[key]
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
            return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    raise Unfit(f"{key!r} is neither a date like 2026-03-31T12:00:00Z nor seconds since 1970")


_CONTENTS = ("body", "content_base64", "path")
_SECRET = re.compile(r"token|secret|passw|key|credential|auth", re.IGNORECASE)
_SHORTEST_SECRET = 4
_LINE_SLACK = 1 << 20
_SHOWN = 300


@dataclass(frozen=True, slots=True)
class _Content:
    """An item's content: a part of the spool, or a file."""

    first: int
    size: int
    file: Path | None = None


class ScriptSource(Source):
    """A program; a name that ends with ``.py`` runs in this Python."""

    kind = "script"

    def __init__(
        self,
        name: str,
        /,
        *,
        path: Path,
        timeout: int = 300,
        max_items: int = 100_000,
        max_extract_bytes: int = 50_000_000,
        settings: Mapping[str, object],
    ) -> None:
        self.name = name
        self.begin()
        self._path = path
        self._timeout = timeout
        self._max_items = max_items
        self.largest = max_extract_bytes
        self._settings = settings
        self._spool: IO[bytes] | None = None
        self._contents: dict[str, _Content] = {}

    def items(self, *, cancel: threading.Event | None = None) -> Iterator[Item]:
        """Yield the program's items; see :meth:`casetrack.keep.sources.base.Source.items`."""
        command = self._command()
        self.close()
        self.begin()
        self._spool = tempfile.TemporaryFile()  # noqa: SIM115 - open until all is fetched
        weakref.finalize(self, self._spool.close)
        given = json.dumps(self._settings, default=str).encode()
        environment = os.environ | {"PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1"}
        number, tail = 0, b""
        try:
            with running(
                command,
                limits=Limits(cancel=cancel, seconds=self._timeout),
                given=given,
                folder=self._path.parent,
                environment=environment,
            ) as program:
                for line, is_whole in self._lines(program.blocks()):
                    number += 1
                    if not is_whole:
                        tail = line
                    elif (item := self._item(line, number)) is not None:
                        yield item
        except OSError as error:
            raise SourceError(
                label(self),
                f"{self._path} cannot be started: {error.strerror or error}.",
                hint="Check its first line (#!…) and that the interpreter is installed.",
            ) from error
        self._check(program)
        # The last line may lack a line break, but must be complete.
        if tail and (item := self._item(tail, number, is_last=True)) is not None:
            yield item
        self.note_large(self.largest, "item")

    def _command(self) -> list[str | Path]:
        path, where = self._path, label(self)
        if not path.is_file():
            raise SourceError(where, f"{path} does not exist.", hint="Set 'path' to its location.")
        if path.suffix.lower() == ".lua":
            raise SourceError(
                where,
                f"{path.name} is a Lua connector, which is not supported.",
                hint="Write it as a program in any language that prints one item as JSON per "
                f"line; {See('ctx connector init', 'NAME')} creates a template.",
            )
        if path.suffix.lower() == ".py":
            return [sys.executable, path]
        if not os.access(path, os.X_OK):
            raise SourceError(where, f"{path} is not executable.", hint=f"Run: chmod +x {path}")
        return [path]

    def _check(self, program: Running) -> None:
        if program.ended == "cancel":
            raise JobStopped(f"Reading {label(self)} was stopped.")
        if program.ended:
            raise SourceError(
                label(self),
                f"{self._path.name} did not end within {counted(self._timeout, 'second')} and was "
                "stopped.",
                hint="Make it faster, or increase 'timeout' (seconds).",
            )
        if program.code:
            errors = self._hide(program.errors).splitlines()
            words = f": {errors[-1][:_SHOWN]}" if errors else " without an error message."
            raise SourceError(
                label(self),
                f"{self._path.name} ended with status {program.code}{words}",
                hint="It must end with status 0 after it has printed all items.",
            )

    def _hide(self, text: str) -> str:
        """Return a text without settings that look like secrets."""
        for key, value in self._settings.items():
            if isinstance(value, str) and len(value) >= _SHORTEST_SECRET and _SECRET.search(key):
                text = text.replace(value, "***")
        return text

    def _lines(self, blocks: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
        """Yield the non-empty lines, and whether each ended with a line break."""
        most = 2 * self.largest + _LINE_SLACK
        waiting, number = bytearray(), 1
        for block in blocks:
            first = 0
            while (end := block.find(b"\n", first)) >= 0:
                waiting += block[first:end]
                first, number = end + 1, number + 1
                if waiting.strip():
                    yield bytes(waiting), True
                waiting.clear()
            waiting += block[first:]
            if len(waiting) > most:
                raise self._error(number, f"it is longer than {most:,} bytes")
        if waiting.strip():
            yield bytes(waiting), False

    def _error(self, number: int, reason: str) -> SourceError:
        return SourceError(
            label(self),
            f"{self._path.name} printed an invalid item on line {number:,}: {reason}.",
            hint="Print one JSON object on each line and nothing else; messages go to standard "
            f"error. {See('ctx connector test')} shows the parsed items.",
        )

    def _item(self, line: bytes, number: int, *, is_last: bool = False) -> Item | None:
        """Return the item of a line; ``None`` if it is too large."""
        try:
            raw = json.loads(line)
        except (ValueError, RecursionError) as error:
            end = "its last line is incomplete" if is_last else "it is not JSON"
            raise self._error(number, end) from error
        try:
            item, content = self._understood(raw)
        except Unfit as unfit:
            raise self._error(number, str(unfit)) from unfit
        if item.source_id in self._contents:
            raise self._error(number, f"the item {item.source_id!r} exists already")
        if len(self._contents) >= self._max_items:
            raise SourceError(
                label(self),
                f"{self._path.name} printed more than {self._max_items:,} items and was stopped.",
                hint="If that is intended, increase 'max_items'.",
            )
        self._contents[item.source_id] = content
        if content.size > self.largest:
            self.large.append(item.source_id)
            return None
        return item

    def _understood(self, raw: Any) -> tuple[Item, _Content]:
        raw = checked(raw)
        source_id = raw["source_id"]
        metadata = metadata_of(raw)
        if "created_at" in raw:
            metadata["created_at"] = moment_of(raw, "created_at").isoformat()
        content, digest = self._keep(raw)
        name = name_of(raw, source_id)
        item = Item(
            source_id,
            f"{digest}{suffix_of(name or source_id)}",
            size=content.size,
            url=raw.get("source_url"),
            title=raw.get("title"),
            author=raw.get("author"),
            updated_at=moment_of(raw, "updated_at") if "updated_at" in raw else None,
            metadata=metadata,
            name=name,
        )
        return item, content

    def _keep(self, raw: dict[str, Any]) -> tuple[_Content, str]:
        """Store an item's content; return its location and SHA-256."""
        given = [key for key in _CONTENTS if key in raw]
        if len(given) != 1:
            raise Unfit(f"it has {'several' if given else 'none'} of {', '.join(_CONTENTS)}")
        if given == ["path"]:
            return self._keep_file(self._path.parent / raw["path"])
        if given == ["body"]:
            data = raw["body"].encode("utf-8", "replace")
        else:
            try:
                data = base64.b64decode(raw["content_base64"], validate=True)
            except (binascii.Error, ValueError) as error:
                raise Unfit("'content_base64' is not base64") from error
        assert self._spool is not None  # noqa: S101 - opened with the listing
        first = self._spool.seek(0, os.SEEK_END)
        if len(data) <= self.largest:
            try:
                self._spool.write(data)
            except OSError as error:
                raise SourceError(
                    label(self),
                    f"the output of {self._path.name} does not fit into {tempfile.gettempdir()}: "
                    f"{error.strerror}.",
                    hint="Free space there, or set TMPDIR to a larger disk.",
                ) from error
        return _Content(first, len(data)), hashlib.sha256(data).hexdigest()

    def _keep_file(self, path: Path) -> tuple[_Content, str]:
        try:
            size = path.stat().st_size
            digest = sha256_of(path) if size <= self.largest else ""
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise Unfit(f"'path' names a file that cannot be read: {path}: {reason}") from error
        return _Content(0, size, path), digest

    def fetch(self, item: Item, target: Path, /, *, cancel: threading.Event | None = None) -> None:  # noqa: ARG002
        """Write an item's content; see :meth:`casetrack.keep.sources.base.Source.fetch`."""
        content = self._contents.get(item.source_id)
        if content is None or self._spool is None:
            raise SourceError(
                label(self),
                f"{item.source_id} is not in the last output of {self._path.name}.",
                hint="List the source again; the output of programs is not kept.",
            )
        if content.size > self.largest:
            raise SourceSkipped(
                label(self), f"{item.source_id} is larger than {self.largest:,} bytes."
            )
        if content.file is None:
            self._spool.seek(content.first)
            target.write_bytes(self._spool.read(content.size))
            return
        try:
            shutil.copyfile(content.file, target)
        except OSError as error:
            reason = error.strerror or str(error)
            raise SourceError(
                label(self), f"{content.file} cannot be read: {reason}.", hint="Sync again."
            ) from error
        if not item.token.startswith(sha256_of(target)):
            target.unlink()
            raise SourceChanged(
                label(self), f"{item.source_id} was changed while it was read.", hint="Sync again."
            )

    def link(self, item: Item, first_line: int | None, last_line: int | None, /) -> str | None:
        """Return an item's address, at these lines for a file in a repository."""
        from casetrack.keep.sources.base import with_lines

        return with_lines(item.url, first_line, last_line)

    def close(self) -> None:
        """Delete the stored content."""
        if self._spool is not None:
            self._spool.close()
        self._spool, self._contents = None, {}
