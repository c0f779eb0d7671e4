"""What the pool asks of a worker, as JSON: read a file, or draw a page of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from casetrack.base.config import OcrSettings, ParseLimits
from casetrack.parse.base import Attachment, DocumentInfo, ReadOptions

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Request:
    """One order. *page* (1-based) and *dpi* are for drawing."""

    action: Literal["read", "draw"]
    path: Path
    options: ReadOptions
    page: int = 1
    dpi: float = 144.0

    def pack(self) -> dict[str, Any]:
        """Return it as JSON values."""
        options = asdict(self.options)
        for name in ("models_dir", "spool"):
            options[name] = options[name] and str(options[name])
        return {
            "action": self.action,
            "path": str(self.path),
            "options": options,
            "page": self.page,
            "dpi": self.dpi,
        }

    @classmethod
    def unpack(cls, raw: dict[str, Any], /) -> Request:
        """Rebuild what :meth:`pack` gave."""
        options = raw["options"]
        folders = {n: Path(options[n]) if options[n] else None for n in ("models_dir", "spool")}
        return cls(
            raw["action"],
            Path(raw["path"]),
            ReadOptions(
                passwords=tuple(options["passwords"]),
                ocr=OcrSettings(**options["ocr"]),
                limits=ParseLimits(**options["limits"]),
                **folders,
            ),
            raw["page"],
            raw["dpi"],
        )


def pack_info(info: DocumentInfo, /) -> dict[str, Any]:
    """Return what a file says about itself as JSON values."""
    raw = asdict(info)
    for name in ("created_at", "modified_at"):
        raw[name] = raw[name] and raw[name].isoformat()
    return raw


def unpack_info(raw: dict[str, Any], /) -> DocumentInfo:
    """Rebuild what :func:`pack_info` gave."""
    dates = {
        n: datetime.fromisoformat(raw[n]) if raw[n] else None for n in ("created_at", "modified_at")
    }
    properties = tuple((name, value) for name, value in raw["properties"])
    return DocumentInfo(**(raw | dates | {"properties": properties}))


def pack_attachments(attachments: Iterable[Attachment], /) -> list[list[str]]:
    """Return attachments as JSON values."""
    return [[a.name, str(a.path)] for a in attachments]


def unpack_attachments(raw: list[list[str]], /) -> list[Attachment]:
    """Rebuild what :func:`pack_attachments` gave."""
    return [Attachment(name, Path(path)) for name, path in raw]
