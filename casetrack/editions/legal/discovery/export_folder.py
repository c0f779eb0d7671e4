"""The folder of a production that is being written: its files, its images, what is missing."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from casetrack.editions.legal.discovery.dialects import Dialect
from casetrack.editions.legal.discovery.images import write_image_lines
from casetrack.editions.legal.records.load_files import ProductionExport
from casetrack.extract.papers.places import BatesRange, read_bates
from casetrack.ingest.plan import file_facts
from casetrack.store.originals import copy_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from casetrack.base.records import Document
    from casetrack.store.workspace import State


@dataclass(slots=True)
class Out:
    """A production that is being written."""

    state: State
    folder: Path
    natives: int = 0
    texts: int = 0
    images: int = 0
    own_texts: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def copy(self, source: Path | None, target: PurePath) -> bool:
        """Copy a file to its place below the folder; tell whether it is there."""
        path = self.folder / target
        if source is None or not source.is_file():
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, path)
        return True

    def write_text(self, document: Document, target: PurePath) -> None:
        """Write the text that the collection has of a document, a form feed between pages."""
        from casetrack.api.collection.listing import pages_of

        pages = pages_of(self.state.chunks_of(document))
        path = self.folder / target
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes("\f".join(page.text for page in pages).encode("utf-8", "replace"))

    def kept(self, document: Document) -> Path | None:
        """Return the file of a document as it was read, whole and unchanged."""
        copy = document.original_copy
        own = None if document.is_remote or document.parent_id else Path(document.path)
        for path in (copy_of(self.state.workspace.folder, copy) if copy else None, own):
            if path is not None and path.is_file() and file_facts(path).hash == document.file_hash:
                return path
        return None


def write_images(out: Out, rows: Sequence[Mapping[str, Any]], name: str | None) -> Path | None:
    """Write the image file and the images, in the order in which they were listed."""
    listed = sorted(
        (told for told in rows if told.get("image_file")), key=lambda t: t["image_file"]["line"]
    )
    if not listed:
        return None
    base = common(rows)
    own = listed[0]["image_file"]
    dialect = Dialect.of(own, separator=",", qualifier="")
    goal = PurePath(os.path.relpath(own["path"], base))
    path = out.folder / goal.with_name(f"{name}.opt" if name else goal.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [line for told in listed for line in told["images"]]
    path.write_bytes(write_image_lines(dialect, lines))
    for told in listed:
        for picture in told["image_file"]["pictures"]:
            if out.copy(Path(picture), PurePath(os.path.relpath(picture, base))):
                out.images += 1
            else:
                out.lost.append(f"{told['control_number']} ({PurePath(picture).name})")
    return path


def _paths(told: Mapping[str, Any]) -> list[str]:
    """Return all files that a row came with: its load files, its native, text and images."""
    images = told.get("image_file") or {"path": None, "pictures": []}
    found = [told["load_file"]["path"], *told["load_file"]["files"].values(), images["path"]]
    return [path for path in (*found, *images["pictures"]) if path]


def common(rows: Iterable[Mapping[str, Any]], /) -> str:
    """Return the folder that all files of some rows lie in."""
    return os.path.commonpath([str(Path(path).parent) for row in rows for path in _paths(row)])


def report(
    out: Out,
    load_file: Path,
    image_file: Path | None,
    count: int,
    ranges: Sequence[tuple[str | None, str | None]],
    given: int,
    /,
) -> ProductionExport:
    """Return what was written, and what of it is not as it was."""
    notes = []
    if out.own_texts:
        notes.append(
            f"{len(out.own_texts):,} text files of the production are not there any more; they "
            f"hold the text that CaseTrack has read: {_some(out.own_texts)}."
        )
    if out.lost:
        notes.append(f"{len(out.lost):,} files are not there any more: {_some(out.lost)}.")
    return ProductionExport(
        str(out.folder),
        str(load_file),
        str(image_file) if image_file else None,
        document_count=count,
        native_count=out.natives,
        text_count=out.texts,
        image_count=out.images,
        ranges=tuple(map(str, _joined(ranges))),
        numbered=given,
        notes=tuple(notes),
    )


def _joined(pairs: Sequence[tuple[str | None, str | None]]) -> list[BatesRange]:
    """Return ranges, joined where they follow each other."""
    found: list[BatesRange] = []
    for begin, end in pairs:
        first, last = read_bates(begin or ""), read_bates(end or begin or "")
        if first is None or last is None:
            continue
        before = found[-1] if found else None
        if before and before.key == first.key and first.first == before.last + 1:
            found[-1] = BatesRange(before.prefix, before.first, last.last, before.width)
        else:
            found.append(BatesRange(first.prefix, first.first, last.last, first.width))
    return found


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5:,} more"
