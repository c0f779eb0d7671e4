"""Access to the map of a state; its modules are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from casetrack.graph.graph import ContextGraph
    from casetrack.store.workspace import State


def graph_of(state: State, /) -> ContextGraph:
    """Return the map of a state; ``CollectionDamaged`` if the stored data cannot be read."""
    return state.once(_opened)


def _opened(state: State) -> ContextGraph:
    from casetrack.graph.graph import ContextGraph

    workspace = state.workspace
    workspace.pull_view("views/graph")
    return ContextGraph(workspace.folder, workspace.info, state.snapshot, state.index, state.marks)


def catch_up(state: State, /) -> None:
    """Update the map of a state, so that no search has to wait for it."""
    graph_of(state).catch_up()
