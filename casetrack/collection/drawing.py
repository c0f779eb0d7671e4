"""Draws answers in notebooks; what draws is loaded only when something is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from casetrack.records.graph import EntityGraph, Timeline


def draw_graph(graph: EntityGraph, /) -> str:
    """Return a graph as HTML; see :func:`casetrack.viewer.graph_page.entity_graph_figure`."""
    from casetrack.viewer.graph_page import entity_graph_figure

    return entity_graph_figure(graph)


def draw_timeline(timeline: Timeline, /) -> str:
    """Return a timeline as HTML; see :func:`casetrack.viewer.timeline_page.timeline_figure`."""
    from casetrack.viewer.timeline_page import timeline_figure

    return timeline_figure(timeline)
