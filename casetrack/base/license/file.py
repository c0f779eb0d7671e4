"""``license.json`` in the data folder: the activated key, and when keys were used and confirmed.

Keys are listed by the part that is signed, which nobody can use. Only the key that was activated
here is kept whole, so the file can be read by its owner alone.
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

NAME = "license.json"
_VERSION = 1
_MAX_BYTES = 1 << 20


class LicenseFileDamaged(Exception):
    """``license.json`` cannot be read; says why."""


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of one key on this computer; times are UTC.

    Attributes
    ----------
    first_seen
        When it was first used.
    confirmed_at
        When the license server last said that it counts.
    activated_at
        When the server was first told of it.
    instance_id, instance_name
        What the server calls this computer, and what that gave as its name.
    refused
        Why the server does not accept it any more; empty where it does.
    """

    first_seen: datetime
    confirmed_at: datetime | None = None
    activated_at: datetime | None = None
    instance_id: str = ""
    instance_name: str = ""
    refused: str = ""


@dataclass(frozen=True, slots=True)
class LicenseFile:
    """The content of the file.

    Attributes
    ----------
    key
        The activated key, whole; empty where none is.
    records
        What is known of keys, by their signed part.
    """

    key: str = ""
    records: dict[str, Record] = field(default_factory=dict)

    def with_record(self, name: str, record: Record, /) -> LicenseFile:
        """Return the content with another record of one key."""
        return replace(self, records={**self.records, name: record})


def read_license_file(path: Path, /) -> LicenseFile:
    """Read the file; one that does not exist is empty.

    Raises
    ------
    LicenseFileDamaged
        It is torn or cannot be read.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return LicenseFile()
    except OSError as error:
        raise LicenseFileDamaged(error.strerror or type(error).__name__) from error
    try:
        return _parse(json.loads(data))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise LicenseFileDamaged("it is damaged") from error


def write_license_file(path: Path, content: LicenseFile, /) -> None:
    """Replace the file in one step; only its owner may read it.

    Raises
    ------
    OSError
        It cannot be written.
    """
    raw: dict[str, Any] = {"version": _VERSION, "key": content.key, "keys": {}}
    for name, record in content.records.items():
        raw["keys"][name] = {
            f.name: value.isoformat() if isinstance(value, datetime) else value
            for f in fields(record)
            if (value := getattr(record, f.name))
        }
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(raw, file, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _parse(raw: Any) -> LicenseFile:
    if raw["version"] != _VERSION or not isinstance(raw["key"], str):
        raise ValueError
    return LicenseFile(raw["key"], {name: _record(value) for name, value in raw["keys"].items()})


def _record(raw: Any) -> Record:
    return Record(
        first_seen=_moment(raw["first_seen"]),
        confirmed_at=_moment(raw["confirmed_at"]) if "confirmed_at" in raw else None,
        activated_at=_moment(raw["activated_at"]) if "activated_at" in raw else None,
        instance_id=_text(raw.get("instance_id", "")),
        instance_name=_text(raw.get("instance_name", "")),
        refused=_text(raw.get("refused", "")),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError
    return moment
