"""The graph and the timeline as drawings of the window: in its languages, leading to its pages."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from markupsafe import Markup

from casetrack.api.viewer.graph_figure import TALL, WIDE, GraphLinks, graph_svg, legend, mail_figure
from casetrack.api.viewer.symbols import Words
from casetrack.api.viewer.timeline_figure import AXIS_WIDTHS, event_anchor, timeline_svg
from casetrack.base.errors.references import spelled
from casetrack.faces.window.visit import address

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.records.graph import Correspondence, EntityGraph, Timeline
    from casetrack.faces.window.texts import Texts
    from casetrack.faces.window.visit import Visit


def words_of(texts: Texts, /) -> Words:
    """Return the language of drawings and of the briefing, which names no commands."""

    def phrase(text: str) -> str:
        return spelled(texts.phrase(text), lambda _: None, lambda _: "")

    number, told, role = texts.number, texts.told, texts.role
    return Words(texts.language, phrase, number, told, role, has_commands=False)


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


def drawn_mails(
    visit: Visit, exchanges: Sequence[Correspondence], /, *, is_drawn: bool = True
) -> Markup:
    """Return a drawing and a table of mails; names lead to their pages."""
    link = partial(address, "c", visit.collection.name, "people")
    words = words_of(visit.texts)
    return Markup(mail_figure(exchanges, link=link, is_drawn=is_drawn, words=words))  # noqa: S704 - the viewer escapes its values


def graph_legend(texts: Texts, graph: EntityGraph, /) -> Markup:
    """Return the legend of a graph."""
    return Markup(legend(graph, words_of(texts)))  # noqa: S704 - the viewer escapes its values
