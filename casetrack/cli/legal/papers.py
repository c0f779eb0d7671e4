"""What commands that write papers have in common."""

from pathlib import Path
from typing import Annotated

import typer

from casetrack.cli.output import byte_text, line, write_json

OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Write it to this file; its ending says as what."
    ),
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Replace the file if it is there already.")
]


def told_written(target: Path, content: bytes | str, /, *, as_json: bool) -> None:
    """Write a paper and say where it is.

    Raises
    ------
    DiskFull, NotWritable, StorageError
        It cannot be written.
    """
    from casetrack.legal.paper.target import write_paper

    written = write_paper(target, content)
    size = written.stat().st_size
    if as_json:
        write_json({"file": str(written), "bytes": size})
        return
    line(("Wrote ", "bold"), str(written), (f" ({byte_text(size)})", "dim"))
