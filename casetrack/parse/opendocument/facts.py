"""What an OpenDocument file says about itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.base.errors import ParseFailed
from casetrack.parse.base import DocumentInfo
from casetrack.parse.opendocument.names import DC, META, OFFICE
from casetrack.parse.package import moment
from casetrack.parse.page_builder import clean_title

if TYPE_CHECKING:
    from casetrack.parse.opendocument.container import Container

_PROPERTIES = {
    "subject": f"{DC}subject",
    "description": f"{DC}description",
    "keywords": f"{META}keyword",
    "language": f"{DC}language",
    "last_modified_by": f"{DC}creator",
}


def read_facts(container: Container, kind: str, count: int, warnings: list[str], /) -> DocumentInfo:
    """Return the document's facts; damaged ones are named in *warnings*."""
    try:
        root = container.root("meta.xml")
    except ParseFailed as error:
        warnings.append(f"The document's properties cannot be read: {error.message}")
        root = None
    meta = None if root is None else root.find(f"{OFFICE}meta")
    found = ((name, _texts(meta, tag)) for name, tag in _PROPERTIES.items())
    return DocumentInfo(
        kind,
        count,
        title=clean_title(_texts(meta, f"{DC}title")),
        author=clean_title(_texts(meta, f"{META}initial-creator") or _texts(meta, f"{DC}creator")),
        created_at=moment(_texts(meta, f"{META}creation-date")),
        modified_at=moment(_texts(meta, f"{DC}date")),
        properties=tuple((name, text) for name, t in found if (text := clean_title(t))),
    )


def _texts(meta: Any, tag: str) -> str:
    """Return all values of a fact: keywords stand in an element each."""
    texts = () if meta is None else ((e.text or "").strip() for e in meta.iterfind(tag))
    return ", ".join(text for text in texts if text)
