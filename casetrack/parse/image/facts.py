"""What a picture file says of itself: its EXIF, TIFF and PNG texts and dates."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from casetrack.base.years import stated

if TYPE_CHECKING:
    from collections.abc import Mapping

_EXIF = 0x8769
_TAGS = {
    0x010D: "document_name",
    0x010E: "description",
    0x010F: "make",
    0x0110: "model",
    0x0131: "software",
    0x0132: "modified",
    0x013B: "artist",
    0x8298: "copyright",
}
_EXIF_TAGS = {0x9003: "taken", 0x9004: "digitized", 0x9011: "taken_zone", 0x9010: "modified_zone"}
_TEXTS = {
    "title": "title",
    "author": "artist",
    "description": "description",
    "software": "software",
    "copyright": "copyright",
    "comment": "comment",
    "creation time": "taken",
}
_DATE = re.compile(r"(\d{4})[:-](\d{2})[:-](\d{2})[ T](\d{2}):(\d{2}):(\d{2})")
_ZONE = re.compile(r"([+-])(\d{2}):?(\d{2})$")
_MAX_CHARS = 500


def exif_of(image: Any, /) -> Any:
    """Return the EXIF tags; Pillow would unpack a whole PNG to see that it has none."""
    from PIL import Image

    if image.format == "PNG" and "exif" not in image.info:
        return Image.Exif()
    return image.getexif()


def facts_of(image: Any, /) -> dict[str, str]:
    """Return the texts of a picture file by plain names; those without content are left out."""
    exif = exif_of(image)
    found: dict[str, str] = {}
    for tags, names in ((exif, _TAGS), (exif.get_ifd(_EXIF), _EXIF_TAGS)):
        for tag, name in names.items():
            _note(found, name, tags.get(tag))
    for key, value in image.info.items():
        if text := _TEXTS.get(str(key).lower()):
            _note(found, text, value)
    return found


def date_of(facts: Mapping[str, str], name: str, /) -> datetime | None:
    """Return a date; without a zone of its own it counts as UTC."""
    match = _DATE.search(facts.get(name, ""))
    if match is None:
        return None
    zone = _ZONE.search(facts.get(f"{name}_zone", ""))
    try:
        tz = UTC
        if zone:
            offset = timedelta(hours=int(zone[2]), minutes=int(zone[3]))
            tz = timezone(-offset if zone[1] == "-" else offset)
        year, month, day, hour, minute, second = map(int, match.groups())
        return stated(datetime(year, month, day, hour, minute, second, tzinfo=tz))
    except ValueError:
        return None


def _note(found: dict[str, str], name: str, value: Any) -> None:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if not isinstance(value, str):
        return
    text = " ".join(value.replace("\x00", " ").split())[:_MAX_CHARS]
    if text:
        found.setdefault(name, text)
