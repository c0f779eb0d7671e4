"""``casetrack audit``: who did what in the data folder, and whether the log of it is whole."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.base.errors import CollectionNotFound, CollectionSealed
from casetrack.faces.cli.options import JsonOption
from casetrack.faces.cli.output import Field, line, record_table, write_json
from casetrack.faces.cli.state import EXIT_FAILED, State

if TYPE_CHECKING:
    from casetrack.api.library import Library
    from casetrack.base.records.audit import AuditEntry

_LISTED = 50


def _what(entry: "AuditEntry") -> str:
    named = [name for name in entry.names if name]
    shown = ", ".join(named[:3]) + (f" and {len(named) - 3} more" if len(named) > 3 else "")
    count = f"{entry.count:,}" if entry.count else ""
    return ": ".join(part for part in (count, shown or entry.detail) if part)


_FIELDS = (
    Field("No.", "right", whole=True, of="number"),
    Field("When", whole=True, of="at"),
    Field("Who", of="user"),
    Field("Program", of="program"),
    Field("Action", of="action"),
    Field("Collection", of=lambda e: e.collection or (e.collection_id or "")[:8]),
    Field("What", of=_what),
)


def list_entries(
    ctx: typer.Context,
    collection: Annotated[
        str | None,
        typer.Option(
            "--collection",
            "-c",
            metavar="NAME",
            help="Only what was done to this collection; of one that is gone, its ID.",
        ),
    ] = None,
    action: Annotated[
        str | None,
        typer.Option("--action", metavar="WORD", help="Only actions with this word: deleted, ..."),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-k", metavar="N", min=1, help="How many to list.")
    ] = _LISTED,
    as_json: JsonOption = False,
) -> None:
    """List what was done in the data folder, the last first.

    Kept are changes: who, when, from which program, what was added, changed, deleted, marked,
    exported, sealed. Names are those of today; of what was deleted only its ID is left. Searches
    are kept too where config.toml says so: [audit] searches = true.
    """
    from casetrack.base.records.audit import AuditEntry

    library = ctx.ensure_object(State).library
    wanted = None if collection is None else _id_of(library, collection)
    found = library.audit.entries(collection_id=wanted, action=action, limit=limit)
    if as_json:
        write_json([entry.as_dict() for entry in found])
        return
    record_table(AuditEntry, _FIELDS, found)


def _id_of(library: "Library", name: str) -> str:
    """Return the id of a collection: open, sealed, or gone."""
    try:
        return library.find(name).id
    except CollectionSealed:
        return library.sealed_file(name).name.partition(".")[0]
    except CollectionNotFound:
        known = {e.collection_id for e in library.audit.entries() if e.collection_id}
        fits = [i for i in known if i.startswith(name)]
        if len(fits) == 1:
            return fits[0]
        raise


def verify(
    ctx: typer.Context,
    digest: Annotated[
        str,
        typer.Option(
            "--digest",
            metavar="SHA256",
            help="A digest that you noted earlier: nothing before it may have changed since.",
        ),
    ] = "",
    as_json: JsonOption = False,
) -> int:
    """Check that no entry was changed, left out or put in.

    Prints the digest of the last entry. Whoever may write the data folder could write a whole new
    log; note that digest elsewhere, and --digest finds it out.
    """
    found = ctx.ensure_object(State).library.audit.verify(digest.strip().lower())
    if as_json:
        write_json(found.as_dict() | {"ok": found.ok})
        return 0 if found.ok else EXIT_FAILED
    for problem in found.problems:
        line(("PROBLEM  ", "bold red"), problem)
    if found.ok:
        line(f"{found.entries:,} entries, each follows on the one before it.")
        line(f"Digest of the last one: {found.digest}")
    return 0 if found.ok else EXIT_FAILED


def export(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV file to write; - prints it.")],
) -> None:
    """Write the whole log as CSV, the oldest entry first."""
    log = ctx.ensure_object(State).library.audit
    if str(file) == "-":
        sys.stdout.write(log.as_csv())
        return
    path = file.expanduser().absolute()
    count = log.export(path)
    line(f"Wrote {count:,} entries to {path}.")
