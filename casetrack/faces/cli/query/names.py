"""Names that the shell completes: of saved queries, and of answers whose SQL can be shown."""

import typer

from casetrack.base.errors import CaseTrackError
from casetrack.faces.cli.completion import library_of


def saved_queries(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the names of the saved queries that begin with what is typed.

    They are those of the collections that ``-c`` names before, or of the only one there is.
    """
    from casetrack.faces.cli.query import saved

    try:
        library = library_of(ctx)
        named = ctx.params.get("collection") or ()
        names = named or [info.name for info in library.collections()]
        folders = [library.get(name).folder for name in names if named or len(names) == 1]
        kept = saved.listed(saved.places(folders, library.settings.data_dir))
    except CaseTrackError:
        return []
    return [query.name for query in kept if query.name.startswith(incomplete)]


def answers(incomplete: str) -> list[str]:
    """Return the names of the answers whose SQL can be shown that begin with what is typed."""
    from casetrack.graph.answers.statements import ANSWERS

    return [name for name in ANSWERS if name.startswith(incomplete)]
