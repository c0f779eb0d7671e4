"""The graph and the timeline as drawings of the window: in its languages, leading to its pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from casetrack.api.viewer.graph_figure import TALL, WIDE, GraphLinks, graph_svg, legend
from casetrack.api.viewer.symbols import Words
from casetrack.api.viewer.timeline_figure import AXIS_WIDTHS, event_anchor, timeline_svg
from casetrack.base.words.lists import MONTHS
from casetrack.faces.window.texts import all_texts

if TYPE_CHECKING:
    from casetrack.base.records.graph import EntityGraph, Timeline
    from casetrack.faces.window.texts import Texts

_KINDS = ("person", "organization", "location", "date", "amount", "concept")
_COUNTED = {
    "name": "map.names",
    "link": "map.links",
    "passage": "home.passages",
    "mention": "map.mentions",
    "document": "home.documents",
    "event": "timeline.axis",
    "year": "timeline.cut",
}


def words_of(texts: Texts, /) -> Words:
    """Return the texts of drawings in a language."""
    known = all_texts()

    def plain(name: str) -> str:
        return known[name][texts.language]

    return Words(
        months=MONTHS.words(texts.language),
        day=plain("timeline.day"),
        week=plain("timeline.week"),
        spread=plain("map.spread"),
        signs=plain("map.signs"),
        kinds={kind: plain(f"map.{kind}") for kind in _KINDS},
        counts={w: (plain(name), plain(f"{name}_many")) for w, name in _COUNTED.items()},
        number=texts.number,
    )


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
