"""Loading of a production: each row becomes a document with fields, family and numbers."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from casetrack.base.errors import JobStopped, Opt, SourceError, UsageError
from casetrack.editions.legal.discovery.families import metadata
from casetrack.editions.legal.discovery.fields import shown
from casetrack.editions.legal.discovery.production_read import read_production
from casetrack.editions.legal.operation import ADDS, Arg, PathRef, operation
from casetrack.editions.legal.records.load_files import LoadTrouble, ProductionLoad
from casetrack.keep.sources.base import Item, Source, label
from casetrack.parse import known_extensions

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator

    from casetrack.api.collection import Collection
    from casetrack.base.records import Document
    from casetrack.base.records.sync import SyncReport
    from casetrack.editions.legal.discovery.production_read import Member, Production

ReadFrom = Literal["native", "text", "field", "images", "row"]
KIND = "production"
_UNNAMED = re.compile(r"[^\w.-]+")
_SAFE = re.compile(r'[\x00-\x1f<>:"/\\|?*]+')


class ProductionSource(Source):
    """A production as a source of documents; natives are read if possible.

    *name* is the name of the production in the collection.
    """

    kind = KIND

    def __init__(self, name: str, production: Production, /) -> None:
        self.name = name
        self.production = production
        self.notes: list[str] = []
        self.dark: list[str] = []
        self.large: list[str] = []
        self.members = {member.key: member for member in production.members}
        self.chosen = {key: ways(member)[0] for key, member in self.members.items()}

    def items(self, *, cancel: threading.Event | None = None) -> Iterator[Item]:
        """Yield the documents; see :meth:`casetrack.keep.sources.base.Source.items`."""
        for member in self.production.members:
            if cancel is not None and cancel.is_set():
                raise JobStopped(f"Listing {label(self)} was stopped.")
            yield self._item(member)

    def _item(self, member: Member) -> Item:
        production, way = self.production, self.chosen[member.key]
        suffix = ".txt"
        if way == "native" and member.native is not None:
            suffix = member.native.suffix.lower()
        elif way == "images":
            suffix = member.pictures[0].suffix if len(member.pictures) == 1 else ".tif"
        title = production.value_of(member, "subject") or production.value_of(member, "title")
        author = production.value_of(member, "from") or production.value_of(member, "author")
        return Item(
            member.key,
            self._token(member, way),
            title=shown(title or production.value_of(member, "file_name")) or None,
            author=shown(author) or None,
            updated_at=member.moment,
            metadata=metadata_of(production, member, way),
            name=f"{_SAFE.sub('_', member.key)}{suffix}",
            is_whole=bool(member.children) and way == "native",
        )

    def _token(self, member: Member, way: ReadFrom) -> str:
        """Return a token of the read files; empty for text of the load file itself."""
        paths = {"native": [member.native], "text": [member.text], "images": member.pictures}
        parts: list[str] = [way]
        for path in paths.get(way, ()):
            try:
                facts = path.stat() if path else None
            except OSError:
                return ""
            if facts:
                parts.append(f"{facts.st_size}-{facts.st_mtime_ns}-{facts.st_ino}")
        return "" if way in {"field", "row"} else " ".join(parts)

    def fetch(self, item: Item, target: Path, /, *, cancel: threading.Event | None = None) -> None:  # noqa: ARG002
        """Write the file of a document; see :class:`casetrack.keep.sources.base.Source`."""
        member = self.members[item.source_id]
        way = self.chosen[member.key]
        path = {"native": member.native, "text": member.text}.get(way)
        if way == "images" and len(member.pictures) == 1:
            path = member.pictures[0]
        try:
            if path is not None:
                shutil.copyfile(path, target)
            elif way == "images":
                join_images(member.pictures, target)
            else:
                target.write_text(
                    member.inline if way == "field" else row_text(member), encoding="utf-8"
                )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise SourceError(
                label(self),
                f"{path or member.key} cannot be read: {reason}.",
                hint="Copy the file from the production again.",
            ) from error

    def link(self, item: Item, first_line: int | None, last_line: int | None, /) -> str | None:  # noqa: ARG002
        """Return ``None``: a production has no links."""
        return None


def ways(member: Member, /) -> list[ReadFrom]:
    """Return the readable forms of a document, best first; the last is its row of fields."""
    options: list[ReadFrom] = []
    if member.native is not None and member.native.suffix.lower() in known_extensions():
        options.append("native")
    if member.text is not None:
        options.append("text")
    if member.inline.strip():
        options.append("field")
    if member.pictures:
        options.append("images")
    return [*options, "row"]


def row_text(member: Member, /) -> str:
    """Return the fields of a document without files or text, one per line."""
    lines = [f"{name}: {shown(value)}" for name, value in member.fields.items() if value.strip()]
    return "\n".join(lines or [f"{member.control_number}"])


def join_images(pictures: tuple[Path, ...], target: Path, /) -> None:
    """Write single pages as one TIFF file."""
    from PIL import Image

    frames = [Image.open(path) for path in pictures]
    try:
        frames[0].save(target, "TIFF", save_all=True, append_images=frames[1:])
    finally:
        for frame in frames:
            frame.close()


def metadata_of(production: Production, member: Member, way: ReadFrom, /) -> dict[str, Any]:
    """Return the metadata of a document; see ``docs/legal`` for its fields."""
    file, row = production.load_file, member.row
    kept: dict[str, Any] = {
        "production": file.path.stem,
        "control_number": member.control_number,
        "bates_begin": shown(member.begin) or None,
        "bates_end": shown(member.end) or None,
        "family": member.family,
        "parent": member.parent,
        "custodian": shown(production.value_of(member, "custodian")) or None,
        "hash": production.value_of(member, "hash").lower() or None,
        "read_from": way,
        "attachments_listed": bool(member.children) and way == "native",
        "fields": {name: shown(value) for name, value in member.fields.items()} if row else None,
        "row": None,
        "images": [image.raw for image in member.images],
    }
    dialect = file.dialect
    if row is not None:
        kept["row"] = {"line": row.line}
        if row.raw is not None or any(shown(v) != v for v in row.values):
            written = row.raw if row.raw is not None else dialect.row(row.values)
            kept["row"]["written"] = dialect.encode(written).hex()
        if row.end is not None:
            kept["row"]["end"] = row.end
    kept["load_file"] = {
        "path": str(file.path),
        **dialect.facts("encoding", "bom", "separator", "qualifier", "line_end", "has_last_end"),
        "header": dialect.encode(
            file.header.raw if file.header.raw is not None else dialect.row(file.header.values)
        ).hex(),
        "files": {
            role: str(path)
            for role, path in (("native", member.native), ("text", member.text))
            if path
        },
    }
    if production.image_file is not None and member.images:
        own = production.image_file.dialect
        kept["image_file"] = {
            "path": str(production.image_file.path),
            "line": member.images[0].line,
            **own.facts("encoding", "bom", "line_end", "has_last_end"),
            "pictures": [str(path) for path in member.pictures],
        }
    return kept


# --- loading ---------------------------------------------------------------------------------


@operation("discovery load", ADDS, tool="load_production", concise=False)
def load_production(
    collection: Collection,
    load_file: Annotated[PathRef, Arg(cli="DAT")],
    /,
    *,
    image_file: Annotated[PathRef | None, Arg(cli="--opt FILE")] = None,
    root: Annotated[PathRef | None, Arg(cli="--root FOLDER")] = None,
    name: Annotated[str | None, Arg(cli="--name NAME")] = None,
    encoding: Annotated[str | None, Arg(cli="--encoding CODEC")] = None,
    separator: Annotated[str | None, Arg(cli="--separator SIGN")] = None,
    qualifier: Annotated[str | None, Arg(cli="--qualifier SIGN")] = None,
    dry_run: Annotated[bool, Arg(cli="--check")] = False,
    progress: Callable[[str, int, int], None] | bool | None = None,
    cancel: threading.Event | None = None,
) -> ProductionLoad:
    """Load a production into a collection from its load files; every row becomes a document.

    A document is read from its native file. If that is missing, unsupported or without text, it is
    read from its text file, its images, or the row itself, so no row is lost. All fields are stored
    unchanged in ``documents.metadata``. Loading it again reads only changed documents and removes
    nothing.

    Parameters
    ----------
    load_file
        The load file of a production.
    image_file
        Its OPT file. [default: the file with its name]
    root
        Base folder of its paths.
    encoding
        Encoding, such as cp1252 or utf-16.
    separator
        Sign between fields.
    qualifier
        Sign around each field.
    name
        Name of the production; default: that of the load file.
    dry_run
        Only check the load file; store nothing.
    progress, cancel
        See :meth:`casetrack.api.collection.Collection.sync`.

    Raises
    ------
    FileNotFound, FileUnreadable, EmptyFile, UsageError
        A load file cannot be read, or another production has the name.
    CollectionReadOnly, CollectionBusy, StorageError, ModelError
        The load cannot continue; committed documents are kept.
    """
    production = read_production(
        load_file,
        image_file=image_file,
        root=root,
        encoding=encoding,
        separator=separator,
        qualifier=qualifier,
    )
    called = _UNNAMED.sub("_", name or production.load_file.path.stem).strip("_.-") or "production"
    source = ProductionSource(called, production)
    _require_own_name(collection, source)
    reports: list[SyncReport] = []
    while not dry_run:
        reports.append(
            collection.sync_source(source, remove=False, progress=progress, cancel=cancel)
        )
        if reports[-1].cancelled or not _next_ways(collection, source):
            break
    return _report(collection, source, reports, dry_run=dry_run)


def _loaded(collection: Collection, source: Source) -> dict[str, Document]:
    """Return the top-level documents of a production by their keys."""
    own = label(source)
    return {
        str(document.source_id): document
        for document in collection.workspace.state().snapshot.documents.values()
        if document.source == own and document.parent_id is None
    }


def _next_ways(collection: Collection, source: ProductionSource) -> bool:
    """Select the next readable form for failed documents; return whether there is one."""
    loaded = _loaded(collection, source)
    again = False
    for key, member in source.members.items():
        if key in loaded:
            continue
        possible = ways(member)
        at = possible.index(source.chosen[key]) + 1
        if at < len(possible):
            source.chosen[key] = possible[at]
            again = True
    return again


def _require_own_name(collection: Collection, source: ProductionSource) -> None:
    path = str(source.production.load_file.path)
    for document in _loaded(collection, source).values():
        fields = metadata(document)
        before = fields.get("load_file", {}).get("path")
        if before and before != path and Path(before).name != Path(path).name:
            raise UsageError(
                f"The name {source.name!r} belongs to a production of another load file: {before}.",
                hint=f"Use another name: {Opt(name='NAME')}.",
            )


def _report(
    collection: Collection, source: ProductionSource, reports: list[SyncReport], *, dry_run: bool
) -> ProductionLoad:
    production = source.production
    loaded = {} if dry_run else _loaded(collection, source)
    read = [metadata(document).get("read_from") for document in loaded.values()]
    families = {m.family for m in production.members if m.children}
    notes = list(dict.fromkeys(note for report in reports for note in report.notes))
    failed = [
        (change.path, change.message)
        for change in (reports[-1].changes if reports else ())
        if change.kind == "failed" or (change.kind == "skipped" and not dry_run)
    ]
    inside = len(source.members) - len(loaded)
    if not dry_run and inside:
        notes.append(f"{inside:,} of its documents could not be loaded; see the failed ones.")
    return ProductionLoad(
        collection=collection.name,
        production=label(source),
        load_file=str(production.load_file.path),
        image_file=str(production.image_file.path) if production.image_file else None,
        dry_run=dry_run,
        document_count=len(production.members),
        loaded_count=len(loaded),
        read_from={way: read.count(way) for way in ("native", "text", "field", "images", "row")},
        family_count=len(families),
        attachment_count=sum(member.parent is not None for member in production.members),
        ranges=tuple(map(str, production.ranges)),
        gaps=tuple(map(str, production.gaps)),
        custodians=tuple(
            dict.fromkeys(
                custodian
                for member in production.members
                if (custodian := shown(production.value_of(member, "custodian")))
            )
        ),
        columns=production.load_file.columns,
        troubles=tuple(
            replace(t, text=shown(t.text), control_number=shown(t.control_number))
            for t in production.troubles
        ),
        failed=tuple(LoadTrouble("document", text, path) for path, text in failed),
        cancelled=any(report.cancelled for report in reports),
        seconds=sum(report.seconds for report in reports),
        notes=tuple(notes),
    )
