"""Actions of a user on the pages of the graph and the timeline, in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from api.viewer.browsing import click, press, settle
from api.viewer.sheets import HOSTILE
from api.viewer.test_graph_page import hostile
from casetrack.api.viewer import entity_graph_html, entity_graph_page, timeline_html, timeline_page
from casetrack.base.records.graph import Timeline
from graph_records import event

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection

SHOWN = "[...document.querySelectorAll('.entry')].filter(e => e.offsetParent).map(e => e.id)"
WIDE = "[...document.querySelectorAll('svg.graph')].find(s => s.getBoundingClientRect().width)"


@pytest.fixture(scope="module")
def pages(demo: Collection, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages of the sample case file, and of names that mean no good."""
    folder = tmp_path_factory.mktemp("pages")
    events = tuple(event(n) for n in range(len(HOSTILE)))
    made = {
        "graph": entity_graph_page(demo.workspace.state(), demo.map.graph(limit=12)),
        "timeline": timeline_page(demo.workspace.state(), demo.map.timeline(limit=40)),
        "hostile": entity_graph_html(hostile()),
        "hand-made": timeline_html(Timeline(HOSTILE[0], None, None, 9, events, 1)),
    }
    for name, html in made.items():
        (folder / f"{name}.html").write_text(html, encoding="utf-8", errors="replace")
    return {name: folder / f"{name}.html" for name in made}


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("name", ["graph", "timeline", "hostile", "hand-made"])
def test_nothing_overflows(watched: Any, pages: dict[str, Path], name: str, width: int) -> None:
    watched.show(pages[name], width=width, dark=width == 375)
    assert watched.js("document.documentElement.scrollWidth") <= width
    assert watched.js("document.title").startswith(("Demo", HOSTILE[0]))
    assert watched.js("[document.scripts.length, document.images.length]") == [1, 0]
    drawn = "[...document.querySelectorAll('.drawing svg.ct-figure, .axis-box svg.ct-figure')]"
    assert watched.js(f"{drawn}.filter(s => s.getBoundingClientRect().width > 200).length") == 1


@pytest.mark.parametrize("width", [375, 1280])
def test_a_click_on_a_name_shows_its_passages(
    watched: Any, pages: dict[str, Path], demo: Collection, width: int
) -> None:
    node = demo.map.graph(limit=12).nodes[1]
    watched.show(pages["graph"], width=width)
    assert watched.js(SHOWN) == []
    click(watched, f"({WIDE}).querySelector('a[data-node=\"1\"] .shape')")
    assert watched.js(SHOWN) == ["name-1"]
    assert watched.js("document.querySelector('#name-1 h2').textContent") == node.name
    cited = watched.js(
        "[...document.querySelectorAll('#name-1 .card')].map(c => ["
        "c.querySelector('.cited').textContent, c.querySelector('mark').textContent])"
    )
    known = {m.quote.citation for m in demo.map.entity_mentions(node.entity_id, limit=200).mentions}
    assert cited
    assert {citation for citation, _ in cited} <= known
    assert watched.js("document.querySelector('#name-1').getBoundingClientRect().top") < 1000


def test_it_works_without_a_mouse(watched: Any, pages: dict[str, Path]) -> None:
    watched.show(pages["graph"], width=1280)
    watched.js(f"({WIDE}).querySelector('a[data-node=\"0\"]').focus()")
    settle(watched)
    assert watched.js(f"({WIDE}).classList.contains('lit')")
    press(watched, "Enter")
    assert watched.js(SHOWN) == ["name-0"]
    assert watched.js("document.activeElement.id") == "name-0"


@pytest.mark.parametrize("name", ["graph", "timeline"])
def test_words_that_are_typed_narrow_what_is_shown(
    watched: Any, pages: dict[str, Path], name: str
) -> None:
    watched.show(pages[name], width=1280)
    items = "[...document.querySelectorAll('[data-find]')]"
    count = watched.js(f"{items}.length")
    wanted = watched.js(f"{items}[2].dataset.find.slice(0, 9).toUpperCase()")
    watched.js(
        f"(() => {{const f = document.getElementById('find'); f.value = {wanted!r};"
        "f.dispatchEvent(new Event('input'))})()"
    )
    left = watched.js(f"{items}.filter(i => i.offsetParent).length")
    assert 1 <= left < count
    message = watched.js("document.getElementById('found').textContent")
    assert {str(left), str(count)} <= {*message.split()}
    assert watched.js("document.querySelectorAll('svg a.off').length") > 0


def test_a_click_on_the_axis_opens_the_passage(watched: Any, pages: dict[str, Path]) -> None:
    watched.show(pages["timeline"], width=1280)
    mark = "document.querySelector('.axis-wide a[data-node=\"7\"] :is(.point, .stretch)')"
    click(watched, mark)
    assert watched.js("location.hash") == "#event-7"
    assert watched.js("document.querySelector('#event-7 details').open")
    card = "document.querySelector('#event-7 .card')"
    assert watched.js(f"{card}.querySelector('mark').offsetParent !== null")
    assert ", " in watched.js(f"{card}.querySelector('.cited').textContent")
    top = watched.js("document.querySelector('#event-7').getBoundingClientRect().top")
    assert 0 <= top < 700
