"""What a line of a script may say, and what each part of it means."""

from __future__ import annotations

import functools
import json
import mimetypes
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from casetrack.ingest.walk import suffix_of
from casetrack.keep.sources.kinds import meant

if TYPE_CHECKING:
    from collections.abc import Mapping

KEYS = (
    "source_id", "body", "content_base64", "path", "content_type", "name", "title", "author",
    "source_url", "created_at", "updated_at", "metadata", "metadata_json", "source",
)  # fmt: skip
"""What a line may hold. The last two are ctx's: the same as a text, and what is known anyway."""
_TEXTS = tuple(key for key in KEYS if key not in {"metadata", "created_at", "updated_at"})
_LONGEST_NAME = 1024
_EXTENSIONS = {"text/plain": ".txt", "text/markdown": ".md", "text/x-markdown": ".md"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


class Unfit(Exception):
    """A line cannot be an item; the text says why."""


def checked(raw: Any, /) -> dict[str, Any]:
    """Return a line's object with what it says, its ``source_id`` as a text.

    Raises
    ------
    Unfit
        It is no object, has no id, or has a key that is not known or no text.
    """
    if not isinstance(raw, dict):
        raise Unfit("it is not an object")
    said: dict[str, Any] = {key: value for key, value in raw.items() if value is not None}
    unknown = next((key for key in said if key not in KEYS), None)
    if unknown is not None:
        more = "; put what else is known into 'metadata'"
        raise Unfit(f"it has an unknown key {unknown!r}{meant(unknown, KEYS)}{more}")
    if isinstance(said.get("source_id"), int):
        said["source_id"] = str(said["source_id"])
    for key in _TEXTS:
        if not isinstance(said.get(key, ""), str):
            raise Unfit(f"{key!r} is not a text")
    source_id = said.get("source_id", "")
    if not source_id.strip() or len(source_id) > _LONGEST_NAME or _CONTROL.search(source_id):
        raise Unfit("'source_id' is missing, longer than 1,024 characters, or not plain text")
    return said


def name_of(raw: Mapping[str, Any], source_id: str, /) -> str | None:
    """Return a file name that says what an item is read as; ``None`` where its id does.

    Raises
    ------
    Unfit
        Nothing says what it is.
    """
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
            raise Unfit(f"'content_type' is not known: {content_type!r}; say 'name' as well")
    elif suffix_of(own) in _readable():
        return None
    else:
        extension = suffix_of(raw["path"]) if "path" in raw else ".txt"
        if "content_base64" in raw or not extension:
            raise Unfit("what it is read as is not known; say 'content_type' or 'name' as well")
    return None if suffix_of(own) == extension else own + extension


@functools.cache
def _readable() -> frozenset[str]:
    from casetrack.parse import known_extensions

    return frozenset(known_extensions())


def metadata_of(raw: Mapping[str, Any], /) -> dict[str, Any]:
    """Return what else is known of an item.

    Raises
    ------
    Unfit
        It is no object.
    """
    found = raw.get("metadata", {})
    if "metadata_json" in raw:
        try:
            found = json.loads(raw["metadata_json"])
        except ValueError as error:
            raise Unfit("'metadata_json' is not JSON") from error
    if not isinstance(found, dict):
        raise Unfit("'metadata' is not an object")
    return dict(found)


def moment_of(raw: Mapping[str, Any], key: str, /) -> datetime:
    """Return a time that a line tells (UTC); one without a zone counts as UTC.

    Raises
    ------
    Unfit
        It is none.
    """
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
