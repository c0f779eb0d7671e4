"""``ctx export`` and ``ctx embed``: export to files, and create vectors."""

import itertools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from casetrack.base.errors import UsageError
from casetrack.base.records import AUTO_PROFILE
from casetrack.base.records.documents import FILES
from casetrack.base.records.shape import View
from casetrack.editions.context.cli.state import ContextState
from casetrack.faces.cli.asking import show, stopped_text
from casetrack.faces.cli.options import JsonOption, described
from casetrack.faces.cli.output import byte_text, counted, line, write_json
from casetrack.faces.cli.progress import Meter, long_work
from casetrack.faces.cli.state import EXIT_INTERRUPTED

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.records import Chunk, Document
    from casetrack.editions.context.home import ContextHome
    from casetrack.store.workspace import State


@described(output="--output -o PATH", name="--name TEXT")
def export(ctx: typer.Context, output: Path | None = None, name: str | None = None) -> None:
    """Export everything as JSON, or as one page with search in the browser.

    The page contains all data and loads nothing: open it from the disk, send it, or put it on any
    web server. It searches by keywords. Its links open the lines if the source has such links.

    Parameters
    ----------
    output
        A .json file, an .html page, or a folder for both. [default: JSON to standard output]
    name
        Title of the page. [default: name of this folder]
    """
    home = ctx.ensure_object(ContextState).home

    if output is None:
        write_json(as_json(home.collection))
        return
    title = name or home.config.base.name or "Search"
    written = write(home.collection, output, name=title)
    held = f"{counted(written.documents, 'document')}, {counted(written.chunks, 'passage')}"
    for file in written.files:
        line(("Wrote ", "bold"), str(file), (f" ({held}; {byte_text(file.stat().st_size)})", "dim"))


# ``ctx embed``: create missing vectors, or rebuild all.


@described(dry_run="--dry-run")
def pending(ctx: typer.Context, dry_run: bool = False, as_json: JsonOption = False) -> int:
    """Create vectors that are missing or belong to another model.

    A missing local model is downloaded first.

    Parameters
    ----------
    dry_run
        Only report how many are missing.
    """
    state = ctx.ensure_object(ContextState)
    if not dry_run:
        return _make(state, force=False, as_json=as_json)
    _profile(state.home)
    status = state.home.collection.admin.index_status()
    missing = status.chunks - status.coverage["dense"]
    if as_json:
        write_json({"chunks": status.chunks, "pending": missing})
    else:
        line(f"{counted(status.chunks, 'passage')}, {missing:,} without vectors.")
    return 0


def rebuild(ctx: typer.Context, as_json: JsonOption = False) -> int:
    """Rebuild all vectors with the model of the config."""
    return _make(ctx.ensure_object(ContextState), force=True, as_json=as_json)


def _make(state: ContextState, *, force: bool, as_json: bool) -> int:
    home = state.home
    profile = _profile(home)
    _ = home.collection  # raises an error if no source was synced
    target, _notes = home.make()
    wanted = target.info.profile if profile == AUTO_PROFILE else profile
    notice = home.library.profile_notice(wanted)
    if notice:
        line((notice, "yellow"), err=True)
    _fetch(home, wanted)
    report = long_work(
        state,
        "reindex",
        lambda progress, cancel: target.admin.reindex(
            wanted, force=force, progress=progress, cancel=cancel
        ),
        title="Vectors for the sources",
        collection=target.info,
        meter=Meter("Embedding", unit="chunks"),
    )
    if as_json:
        write_json(report.as_dict())
    elif report.did_nothing and report.profile == report.previous_profile:
        line("All passages have vectors; nothing to do.")
    else:
        show(report)
    if report.cancelled:
        state.interrupt_reported = True
        line(stopped_text(report, state.stopped_by), err=True)
        return EXIT_INTERRUPTED
    return 0


def _profile(home: "ContextHome") -> str:
    from casetrack.editions.context.home import profile_of

    profile = profile_of(home.config)
    if profile is None:
        raise UsageError(
            f"Vectors are disabled: {home.config.files[0]} sets provider of [embedding] to "
            "disabled.",
            hint='Set provider = "local" for a model on this computer, then try again.',
        )
    return profile


def _fetch(home: "ContextHome", profile: str) -> None:
    """Download the missing models of a profile."""
    if home.library.missing_models(profile) is None:
        return
    from casetrack.base.models.profiles import find_profile
    from casetrack.models.pull import pull

    with Meter("Fetching", unit="bytes") as meter:
        for spec in find_profile(profile).models:
            report = pull(spec, home.library.settings.models_dir, progress=meter.step)
            line(report.summary(), err=True)


# Export of a collection as JSON and as one page with search in the browser.

_CHUNK = View(
    *("id=chunk_id", "document_id=provenance.document_id", "chunk_index=provenance.chunk_index"),
    *("text", "citation", "line_start=provenance.line_start", "line_end=provenance.line_end"),
)
DATA, PAGE = "data.json", "search.html"
"""Names of the files in a folder."""


@dataclass(frozen=True, slots=True)
class Written:
    """The written files and the number of documents and chunks in them."""

    files: "tuple[Path, ...]"
    documents: int
    chunks: int


def as_json(collection: "Collection", /) -> dict[str, Any]:
    """Return the documents and chunks of a collection, sorted by source and id in the source."""
    return collection.workspace.ask(_exported)


def write(collection: "Collection", target: "Path", /, *, name: str) -> Written:
    """Write a collection to self-contained files; *name* is the title of the page.

    *target* ends in ``.json`` or ``.html``, or is a folder, which is created and gets both files.
    """
    from casetrack.api.viewer.finder import finder_html
    from casetrack.api.viewer.sheet import sheet_path, write_sheet
    from casetrack.base.files import storage_errors, write_atomic
    from casetrack.editions.context.api import address

    target = target.expanduser().absolute()
    kinds = {".json": (target, None), ".html": (None, target), ".htm": (None, target)}
    data, page = kinds.get(target.suffix.lower(), (target / DATA, target / PAGE))
    if data is not None and page is not None:
        if target.suffix and not target.is_dir():
            raise UsageError(
                f"{str(target)!r} ends in neither .json nor .html.",
                hint="Use one of these suffixes, or a folder for both files.",
            )
        with storage_errors(target):
            target.mkdir(parents=True, exist_ok=True)
    if page is not None:
        sheet_path(page, "search")
        html = collection.workspace.ask(lambda state: finder_html(state, link=address, name=name))
        write_sheet(page, "search", html)
    if data is not None:
        text = json.dumps(as_json(collection), ensure_ascii=False)
        write_atomic(data, text.encode("utf-8", "replace"))
    counts = collection.stats()
    files = tuple(path for path in (data, page) if path is not None)
    return Written(files, counts.document_count, counts.chunk_count)


def _exported(state: "State") -> dict[str, Any]:
    from casetrack.store.passages import COLUMNS, make_chunks

    chunks = make_chunks(state.snapshot.scan(COLUMNS), state.snapshot)
    by_document = itertools.groupby(chunks, key=lambda chunk: chunk.provenance.document_id)
    held = {document_id: list(chunks_of) for document_id, chunks_of in by_document}
    documents = sorted(state.snapshot.documents.values(), key=_key)
    return {
        "documents": [_document(d, held.get(d.document_id, [])) for d in documents],
        "chunks": [_chunk(c, d) for d in documents for c in held.get(d.document_id, [])],
    }


def _key(document: "Document") -> tuple[str, str]:
    return document.source or FILES, document.source_id or document.path


def _document(document: "Document", chunks: "list[Chunk]") -> dict[str, Any]:
    from casetrack.api.collection.listing import pages_of

    source, source_id = _key(document)
    return {
        "id": document.document_id,
        "source": source,
        "source_id": source_id,
        "source_url": document.source_url,
        "title": document.title or document.name,
        "updated_at": int(document.dated_at.timestamp()),
        "body": "\n\n".join(page.text for page in pages_of(chunks)),
    }


def _chunk(chunk: "Chunk", document: "Document") -> dict[str, Any]:
    from casetrack.editions.context.api import address

    return _CHUNK.of(chunk) | {"url": address(document, chunk.provenance)}
