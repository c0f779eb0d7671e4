"""``casetrack shards``: commands for the processes of the search index on a cluster."""

from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.faces.cli.layout import Command, Family
from casetrack.faces.cli.options import CollectionOption, JsonOption
from casetrack.faces.cli.output import counted, line, write_json
from casetrack.faces.cli.state import EXIT_FAILED, State

if TYPE_CHECKING:
    from pathlib import Path

ON_HELP = (
    "The cluster: auto is one that runs on this computer, HOST:PORT one that this computer is a "
    "machine of."
)
BUILD_ON_HELP = (
    "The cluster: local starts one on this computer for this work, auto is one that runs here, "
    "HOST:PORT or ray://HOST:PORT one elsewhere."
)
OnOption = Annotated[str, typer.Option("--on", metavar="ADDRESS", help=ON_HELP)]


def status(ctx: typer.Context, on: OnOption = "auto", as_json: JsonOption = False) -> int:
    """Show the state of the shards of this data folder.

    Exit code 1 means that a shard does not answer, or that none runs.
    """
    from casetrack.cluster.search.serving import shard_cluster, states

    with shard_cluster(on):
        shards = states(_data_dir(ctx))
    if as_json:
        write_json([state.as_dict() for state in shards])
    elif not shards:
        line("No shards run. `casetrack serve --engine ray` starts them.")
    else:
        for state in shards:
            copies = f"{counted(state.running, 'process', 'processes')} of {state.wanted}"
            count = sum(each.kind == state.kind for each in shards)
            line(f"{state.kind.capitalize()} {state.number} of {count}: {copies} answer")
    return EXIT_FAILED if not shards or any(not state.running for state in shards) else 0


def restart(ctx: typer.Context, on: OnOption = "auto") -> int:
    """Replace the processes of the shards, one shard after the other, without downtime.

    New processes answer before the old ones end, so no question fails. Run this after an update of
    CaseTrack on the machines of a cluster.
    """
    from casetrack.cluster.search.serving import restart as replace
    from casetrack.cluster.search.serving import shard_cluster

    with shard_cluster(on):
        names = replace(_data_dir(ctx))
    line(f"{counted(len(names), 'shard')} restarted." if names else "No shards run.")
    return 0 if names else EXIT_FAILED


def stop(ctx: typer.Context, on: OnOption = "auto") -> int:
    """End the shards of this data folder; servers that use them cannot search afterwards."""
    from casetrack.cluster.search.serving import shard_cluster
    from casetrack.cluster.search.serving import stop as end

    with shard_cluster(on):
        names = end(_data_dir(ctx))
    line(f"{counted(len(names), 'shard')} stopped." if names else "No shards run.")
    return 0


def build(
    ctx: typer.Context,
    collection: CollectionOption = None,
    on: Annotated[str, typer.Option("--on", metavar="ADDRESS", help=BUILD_ON_HELP)] = "local",
    as_json: JsonOption = False,
) -> None:
    """Build the missing parts of a collection's search index and map, in tasks on a cluster.

    Each task processes some of the documents; searches then find a complete index. Existing parts
    are kept: further documents take only their own time, and that of joining the map.
    """
    from casetrack.cluster.build import build_views
    from casetrack.cluster.connect import connected, require_same
    from casetrack.store.place import place_of

    workspace = ctx.ensure_object(State).collection(collection).workspace
    folder = workspace.folder
    with connected(on) as cluster:
        require_same([] if place_of(folder).is_remote else [folder])
        built = build_views(workspace, max(1, int(cluster.cpus)))
    if as_json:
        write_json(built.as_dict())
        return
    if built.tasks:
        line(
            f"{counted(built.chunks, 'passage')} of {counted(built.documents, 'document')} indexed "
            f"in {counted(built.tasks, 'task')}, {built.seconds:,.1f} s."
        )
    else:
        line("The search index already contains all documents.")
    if built.ordered:
        line(f"Vectors of {counted(built.ordered, 'segment')} ordered for large collections.")
    if built.map.tasks:
        line(
            f"The map: {counted(built.map.documents, 'document')} read in "
            f"{counted(built.map.tasks, 'task')}, {built.map.seconds_read:,.1f} s; joined in "
            f"{built.map.seconds_joined:,.1f} s."
        )


def _data_dir(ctx: typer.Context) -> "Path":
    return ctx.ensure_object(State).settings.data_dir


# fmt: off
FAMILY = Family(
    "shards", "Show and restart the shards of the search index.",
    "Show, restart and stop the processes of the search index on a cluster.", (
        Command("status", f"{__name__}:status", "Show the state of the shards.", "--on auto"),
        Command("restart", f"{__name__}:restart", "Replace their processes without downtime."),
        Command("stop", f"{__name__}:stop", "End them."),
        Command("build", f"{__name__}:build", "Build the search index in tasks on a cluster.",
                "-c Acme --on auto"),
    ))
# fmt: on
"""The commands on shards, in the group of servers."""
