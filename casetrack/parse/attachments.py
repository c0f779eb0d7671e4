"""Copies files that lie inside a file, so that they can be read as documents of their own."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from casetrack.parse.base import Attachment
from casetrack.parse.page_builder import clean_text

if TYPE_CHECKING:
    from casetrack.parse.base import Reading, ReadOptions

_UNSAFE = re.compile(r'[\x00-\x1f<>:"|?*]')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)
_MAX_STEM, _MAX_SUFFIX = 100, 16


def attach(reading: Reading, options: ReadOptions, name: str | None, data: bytes, /) -> None:
    """Copy an attachment into the spool folder and note it in *reading*.

    Without a spool folder nothing is copied. Over ``limits.max_attachments`` the rest is counted
    as missing; empty attachments hold nothing and are left out.
    """
    if options.spool is None or not data:
        return
    number = len(reading.attachments) + 1
    if number > options.limits.max_attachments:
        text = (
            f"Only the first {options.limits.max_attachments:,} attachments were read "
            "(max_attachments)."
        )
        if text not in reading.missing:
            reading.missing.append(text)
        return
    folder = options.spool / f"{number:04d}"
    folder.mkdir()
    safe = file_name(name, number)
    path = folder / safe
    path.write_bytes(data)
    reading.attachments.append(Attachment(safe, path))


def file_name(name: str | None, number: int, /) -> str:
    """Return a name that any system takes as a file name and that leads nowhere else.

    Parameters
    ----------
    name
        As the containing file gives it, perhaps with folders of another machine.
    number
        Position among the attachments, for those without a name.
    """
    last = PurePosixPath((name or "").replace("\\", "/")).name
    text = _UNSAFE.sub("_", clean_text(last)).strip(" .")
    if not text:
        return f"attachment-{number}.bin"
    path = PurePosixPath(text)
    suffix = path.suffix if 1 < len(path.suffix) <= _MAX_SUFFIX else ""
    stem = text[: len(text) - len(suffix)] if suffix else text
    stem = stem.encode("utf-8")[:_MAX_STEM].decode("utf-8", "ignore").strip(" .") or "attachment"
    return f"_{stem}{suffix}" if _RESERVED.match(stem) else f"{stem}{suffix}"
