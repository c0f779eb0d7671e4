"""What commands that write papers have in common."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from casetrack.base.errors import UsageError
from casetrack.faces.cli.output import byte_text, line, write_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.api.collection import Collection
    from casetrack.base.records.shape import Record
    from casetrack.editions.legal.drafts import Draft
    from casetrack.faces.cli.state import State

R = TypeVar("R", bound="Record")
Writers = Mapping[str, Callable[[R], bytes | str]]
"""Functions that make a file, by its ending."""

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


def content_of(found: R, target: Path, writers: Writers[R], /) -> bytes | str:
    """Return the content of a file by its ending: JSON, or what one of *writers* makes."""
    ending = target.suffix.lower()
    if ending == ".json":
        return json.dumps(found.as_dict(), indent=2, ensure_ascii=False) + "\n"
    return writers[ending](found)


def answered(
    found: R,
    show: Callable[[R], None],
    /,
    target: Path | None = None,
    writers: Writers[R] | None = None,
    *,
    as_json: bool,
) -> None:
    """Write an answer to a file and report that, or else write it as JSON or as *show* does.

    Raises
    ------
    DiskFull, NotWritable, StorageError
        The file cannot be written.
    """
    if target is not None:
        from casetrack.editions.legal.paper.target import write_paper

        written = write_paper(target, content_of(found, target, writers or {}))
        if as_json:
            write_json({"file": str(written), "bytes": written.stat().st_size})
        else:
            written_said(written)
    elif as_json:
        write_json(found.as_dict())
    else:
        show(found)


def written_said(written: Path, /) -> None:
    """Say where a file was written, and how large it is."""
    size = written.stat().st_size
    line(("Wrote ", "bold"), str(written), (f" ({byte_text(size)})", "dim"))
