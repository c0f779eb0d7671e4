"""Draws answers in notebooks; the drawing code is loaded at first use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from casetrack.base.config import Settings
from casetrack.base.provenance import Box
from casetrack.base.records import Picture
from casetrack.base.records.graph import EntityGraph, Timeline


def draw_graph(graph: EntityGraph, /) -> str:
    """Return a graph as HTML: a figure for notebooks."""
    from casetrack.api.viewer.graph_figure import entity_graph_figure

    return entity_graph_figure(graph)


def draw_timeline(timeline: Timeline, /) -> str:
    """Return a timeline as HTML: a figure for notebooks."""
    from casetrack.api.viewer.timeline_figure import timeline_figure

    return timeline_figure(timeline)


def drawn(
    folder: Path, settings: Settings, passages: Mapping[str, Sequence[Box]]
) -> Mapping[str, Picture]:
    """Return pictures of passages; see :func:`casetrack.api.viewer.pictures.pictures`."""
    from casetrack.api.viewer.pictures import pictures

    return pictures(folder, settings, passages)
