"""Writes a set of documents as a production: DAT, OPT, natives, text and images.

What came with a load file leaves with it as it came, byte for byte; other documents are numbered
and get the usual fields.
"""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import UsageError
from casetrack.editions.legal.discovery.chosen import chosen_documents, is_row, metadata
from casetrack.editions.legal.discovery.dialects import Dialect
from casetrack.editions.legal.discovery.export_folder import (
    Out,
    below,
    common,
    paths,
    report,
    write_images,
)
from casetrack.editions.legal.discovery.export_numbered import numbered
from casetrack.editions.legal.discovery.families import family_trees
from casetrack.editions.legal.discovery.loadfile import Row, write_rows
from casetrack.extract.papers.places import read_bates
from casetrack.store.files import storage_errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from casetrack.api.collection import Collection
    from casetrack.base.records import Document
    from casetrack.editions.legal.discovery.families import FamilyTree
    from casetrack.editions.legal.records.load_files import ProductionExport
    from casetrack.store.workspace.arguments import DocumentRef


def export_production(
    collection: Collection,
    folder: str | Path,
    /,
    *,
    documents: Iterable[DocumentRef] | None = None,
    production: str | None = None,
    tag: str | None = None,
    families: bool = True,
    name: str | None = None,
    prefix: str = "DOC",
    start: int = 1,
    digits: int = 6,
) -> ProductionExport:
    """Write documents as a production that review programs load.

    Where all of them came with one load file, its fields, delimiters, encoding and paths are kept:
    rows, image lines and files leave as they came. Otherwise they get the usual fields, those
    without a control number get one, and each text file holds the text that CaseTrack has read.

    Parameters
    ----------
    folder
        A new or an empty one.
    documents, production, tag
        Which documents; without any of them all.
    families
        Whether what belongs to the families of the chosen ones comes along.
    name
        Of the DAT file, without its ending; without it that of the production.
    prefix, start, digits
        The Bates numbers that documents without one get, one for each page.

    Raises
    ------
    UsageError
        The folder holds something, nothing is chosen, or the numbers do not fit.
    DocumentNotFound, AmbiguousName
        There is no such document, or several bear the name.
    StorageError
        It cannot be written.
    """
    target = Path(folder).expanduser().absolute()
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(
            f"{target} holds something already.", hint="Name a new folder, or empty this one."
        )
    if start < 0 or not 1 <= digits <= 12 or (read_bates(f"{prefix}{start:0{digits}d}") is None):
        raise UsageError(
            f"{prefix!r} with {digits} digits from {start} makes no Bates numbers.",
            hint="Use letters and a hyphen as prefix, 1 to 12 digits: `--prefix ABC --digits 6`.",
        )
    state = collection.workspace.state()
    chosen = chosen_documents(
        state,
        documents=documents,
        production=production,
        tagged=None if tag is None else collection.marks.documents(tag=tag, starred=False),
    )
    trees = family_trees(state)
    if families:
        chosen = _with_families(chosen, trees)
    if not chosen:
        raise UsageError(
            "No document is chosen.", hint="Name documents, a production or a tag that is there."
        )
    out = Out(state, target)
    with storage_errors(target):
        target.mkdir(parents=True, exist_ok=True)
        origin = _one_origin(chosen)
        if origin is not None:
            return _as_it_came(out, chosen, origin, name)
        return numbered(out, chosen, trees, name or "production", (prefix, start, digits))


def _with_families(chosen: list[Document], trees: Mapping[str, FamilyTree]) -> list[Document]:
    found = {
        member.document_id: member
        for document in chosen
        for member in trees[document.document_id].members
    }
    return list(found.values())


# --- what came with one load file ------------------------------------------------------------


def _one_origin(chosen: Sequence[Document]) -> Mapping[str, Any] | None:
    """Return the load file that all came with; ``None`` where there are several, or none."""
    origins: dict[tuple[object, ...], Mapping[str, Any]] = {}
    for document in chosen:
        told = metadata(document).get("load_file")
        if told is None or (document.parent_id is None and not is_row(document)):
            return None
        if document.parent_id is None:
            origins[told["path"], told["header"], told["encoding"]] = told
    return next(iter(origins.values())) if len(origins) == 1 else None


def _as_it_came(
    out: Out, chosen: Sequence[Document], origin: Mapping[str, Any], name: str | None
) -> ProductionExport:
    rows = [(metadata(d), d) for d in chosen if d.parent_id is None]
    rows.sort(key=lambda pair: (pair[0]["row"] is None, (pair[0]["row"] or {}).get("line", 0)))
    dialect = Dialect(
        origin["encoding"],
        origin["separator"],
        origin["qualifier"],
        origin["line_end"],
        origin["has_last_end"],
        origin["bom"],
    )
    base = common([Path(p) for told, _ in rows for p in paths(told)])
    beside = PurePath(below(origin["path"], base))
    load_file = out.folder / beside.with_name(f"{name}.dat" if name else beside.name)
    header = Row(1, (), _decoded(origin["header"], dialect))
    written = [
        Row(
            told["row"]["line"],
            tuple(told["fields"].values()),
            _decoded(told["row"]["written"], dialect) if "written" in told["row"] else None,
            told["row"].get("end"),
        )
        for told, _ in rows
        if told["row"] is not None
    ]
    load_file.parent.mkdir(parents=True, exist_ok=True)
    load_file.write_bytes(write_rows(dialect, header, written))
    image_file = write_images(out, [told for told, _ in rows], base, name)
    for told, document in rows:
        files = told["load_file"]["files"]
        for role, path in files.items():
            goal = PurePath(below(path, base))
            is_read = told["read_from"] == role
            source = out.kept(document) if is_read else Path(path)
            if out.copy(source or Path(path), goal):
                out.natives += role == "native"
                out.texts += role == "text"
            elif role == "text":
                out.write_text(document, goal)
                out.texts += 1
                out.own_texts.append(told["control_number"])
            else:
                out.lost.append(f"{told['control_number']} ({role})")
    ranges = [(told["bates_begin"], told["bates_end"]) for told, _ in rows]
    return report(out, load_file, image_file, len(rows), ranges, 0)


def _decoded(written: str, dialect: Dialect) -> str:
    errors = "surrogatepass" if dialect.encoding.startswith("utf-16") else "surrogateescape"
    return bytes.fromhex(written).decode(dialect.encoding.removesuffix("-sig"), errors)
