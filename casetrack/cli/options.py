"""Options that several commands share."""

from typing import Annotated

import typer

CollectionOption = Annotated[
    str | None,
    typer.Option(
        "--collection",
        "-c",
        metavar="NAME",
        help="Name or ID of the collection; not needed while there is only one.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON instead of text.")]
