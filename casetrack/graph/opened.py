"""Access to the map of a state; its modules are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.store.marks import Marks, with_undone

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.base.records.marks import Mark
    from casetrack.graph.graph import ContextGraph
    from casetrack.store.workspace import State


def graph_of(state: State, /) -> ContextGraph:
    """Return the map of a state; ``CollectionDamaged`` if the stored data cannot be read."""
    return state.once(_opened)


def graph_with(state: State, new: Iterable[Mark], /) -> ContextGraph:
    """Return the map of a state as it would be with further marks."""
    return _opened(state, Marks(with_undone((*state.marks.all, *new))))


def _opened(state: State, marks: Marks | None = None) -> ContextGraph:
    from casetrack.graph.graph import ContextGraph

    workspace = state.workspace
    workspace.pull_view("views/graph")
    marks = state.marks if marks is None else marks
    return ContextGraph(workspace.folder, workspace.info, state.snapshot, state.index, marks)


def catch_up(state: State, /) -> None:
    """Update the map of a state, so that no search has to wait for it."""
    graph_of(state).catch_up()
