"""Draws who sent mails to whom: a graph of wedges, and a table with the days of each pair."""

from __future__ import annotations

from collections import Counter
from datetime import date
from typing import TYPE_CHECKING

from casetrack.api.viewer.graph_figure import TALL, GraphLinks, graph_svg
from casetrack.api.viewer.symbols import ENGLISH, Words
from casetrack.api.viewer.templating import rendered
from casetrack.base.records.graph import ENTITY_KINDS, MAIL, NAME_KINDS, Edge, Entity, EntityGraph

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from casetrack.base.records.graph import Correspondence

_DRAWN = 24  # Pairs in the drawing; the table has all
_WIDE = 620.0


def mail_figure(
    exchanges: Sequence[Correspondence],
    /,
    *,
    link: Callable[[str], str] | None = None,
    is_drawn: bool = True,
    words: Words = ENGLISH,
) -> str:
    """Return a drawing and a table as HTML; *link* returns the address of an entity.

    The table has a row for each pair, most mails first.
    """
    days = [date.fromisoformat(d) for e in exchanges for d in (e.since, e.until) if d]
    graph = _graph(exchanges[:_DRAWN])
    links = link and GraphLinks(lambda _, node: link(node.entity_id), lambda n, _: f"#mails-{n}")
    return rendered(
        "mails.html",
        exchanges=exchanges,
        drawings=[
            (name, graph_svg(graph, width=width, links=links, words=words))
            for name, width in (("wide", _WIDE), ("tall", TALL))
            if is_drawn and graph.edges
        ],
        first=min(days, default=None),
        last=max(days, default=None),
        day=date.fromisoformat,
        link=link,
        words=words,
    )


def _graph(exchanges: Sequence[Correspondence]) -> EntityGraph:
    names: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for each in exchanges:
        names |= {each.sender_id: each.sender, each.recipient_id: each.recipient}
        counts.update({each.sender_id: each.mails, each.recipient_id: each.mails})
    most = max((e.mails for e in exchanges), default=1)
    return EntityGraph(
        collection="",
        center=None,
        nodes=tuple(
            Entity(end, kind, names[end], (), count, 0, 0, None, "", "")
            for end, count in counts.most_common()
            for kind in [next((k for k in NAME_KINDS if end.startswith(f"{k}:")), ENTITY_KINDS[-1])]
        ),
        distances=(),
        edges=tuple(
            Edge(e.sender_id, e.recipient_id, MAIL, e.mails / most, e.mails, ()) for e in exchanges
        ),
    )
