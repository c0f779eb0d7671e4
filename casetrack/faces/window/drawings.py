"""The graph and the timeline as drawings of the window: in its languages, leading to its pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from casetrack.api.viewer.graph_figure import TALL, WIDE, GraphLinks, graph_svg, legend
from casetrack.api.viewer.symbols import Words
from casetrack.api.viewer.timeline_figure import AXIS_WIDTHS, event_anchor, timeline_svg

if TYPE_CHECKING:
    from casetrack.base.records.graph import EntityGraph, Timeline
    from casetrack.faces.window.texts import Texts


def words_of(texts: Texts, /) -> Words:
    """Return the language of drawings and of the briefing."""
    return Words(texts.language, texts.phrase, texts.number, has_commands=False)


def drawn_timeline(texts: Texts, timeline: Timeline, /) -> list[tuple[str, Markup]]:
    """Return the axis for each screen width, by its name; events link to ``#event-N``."""
    words = words_of(texts)
    return [
        (name, Markup(timeline_svg(timeline, width=width, link=event_anchor, words=words)))  # noqa: S704 - the viewer escapes its values
        for name, width in AXIS_WIDTHS.items()
    ]


def drawn_graph(texts: Texts, graph: EntityGraph, links: GraphLinks, /) -> list[tuple[str, Markup]]:
    """Return the graph for screens and for telephones."""
    words = words_of(texts)
    return [
        (name, Markup(graph_svg(graph, width=width, links=links, words=words)))  # noqa: S704 - the viewer escapes its values
        for name, width in (("wide", WIDE), ("tall", TALL))
    ]


def graph_legend(texts: Texts, graph: EntityGraph, /) -> Markup:
    """Return the legend of a graph."""
    return Markup(legend(graph, words_of(texts)))  # noqa: S704 - the viewer escapes its values
