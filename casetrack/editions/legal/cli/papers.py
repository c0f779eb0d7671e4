"""What commands that write papers have in common."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.base.errors import UsageError
from casetrack.faces.cli.output import byte_text, line, write_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.api.collection import Collection
    from casetrack.editions.legal.drafts import Draft
    from casetrack.faces.cli.state import State

OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Write it to this file; its ending says as what."
    ),
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Replace the file if it is there already.")
]


def paper(
    state: "State", named: str, collection: str | None, passwords: "Sequence[str] | None", /
) -> "Draft":
    """Read the paper that a command is about: a file, which needs no case, or a document of one.

    Raises
    ------
    CaseTrackError
        See :func:`casetrack.editions.legal.drafts.read_draft`, and for a named case
        :meth:`casetrack.faces.cli.state.State.collection`.
    """
    from casetrack.editions.legal.drafts import read_draft

    case: Collection | None = None
    if collection is not None or not Path(named).expanduser().exists():
        try:
            case = state.collection(collection)
        except UsageError:
            # Without a case to look in, it is the file that was not found.
            if collection is not None:
                raise
    return read_draft(
        named, settings=state.settings, collection=case, passwords=tuple(passwords or ())
    )


def told_written(target: Path, content: bytes | str, /, *, as_json: bool) -> None:
    """Write a paper and say where it is.

    Raises
    ------
    DiskFull, NotWritable, StorageError
        It cannot be written.
    """
    from casetrack.editions.legal.paper.target import write_paper

    written = write_paper(target, content)
    if as_json:
        write_json({"file": str(written), "bytes": written.stat().st_size})
        return
    written_said(written)


def written_said(written: Path, /) -> None:
    """Say where a file was written, and how large it is."""
    size = written.stat().st_size
    line(("Wrote ", "bold"), str(written), (f" ({byte_text(size)})", "dim"))
