"""What a person does with the pages of the graph and the timeline, in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pymupdf
import pytest

from casetrack.records.graph import Timeline
from casetrack.viewer import (
    entity_graph_html,
    entity_graph_page,
    timeline_html,
    timeline_page,
)
from graph_records import event
from viewer.sheets import HOSTILE
from viewer.test_graph_page import hostile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from casetrack.collection import Collection

WATCH = """
window.problems = [];
addEventListener('error', event => problems.push(event.message));
addEventListener('securitypolicyviolation', event => problems.push(event.violatedDirective));
for (const name of ['error', 'warn']) console[name] = text => problems.push(String(text));
"""
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


@pytest.fixture
def watched(browser: Any) -> Iterator[Any]:
    """The browser; nothing may have gone wrong in it, and nothing may have been loaded."""
    number = browser.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)["identifier"]
    yield browser
    browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=number)
    assert browser.js("problems") == []
    assert [r for r in browser.requests if not r.startswith(("file:", "data:"))] == []


def click(browser: Any, element: str) -> None:
    """Click into the middle of an element that an expression gives."""
    found = browser.js(
        f"(() => {{const e = {element}; e.scrollIntoView({{block: 'center'}});"
        "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]})()"
    )
    for kind in ("mousePressed", "mouseReleased"):
        where = {"x": found[0], "y": found[1], "button": "left", "clickCount": 1}
        browser.call("Input.dispatchMouseEvent", type=kind, **where)
    settle(browser)


def press(browser: Any, name: str) -> None:
    codes = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowUp": 38, "ArrowDown": 40}
    facts = {"key": name, "code": name, "windowsVirtualKeyCode": codes[name]}
    typed = {"text": "\r"} if name == "Enter" else {}
    browser.call("Input.dispatchKeyEvent", type="keyDown", **facts, **typed)
    browser.call("Input.dispatchKeyEvent", type="keyUp", **facts)
    settle(browser)


def settle(browser: Any) -> None:
    browser.js("new Promise(done => setTimeout(() => requestAnimationFrame(done), 60))")


@pytest.mark.parametrize("width", [375, 768, 1280])
@pytest.mark.parametrize("name", ["graph", "timeline", "hostile", "hand-made"])
def test_nothing_overflows(watched: Any, pages: dict[str, Path], name: str, width: int) -> None:
    watched.show(pages[name], width=width, dark=width == 768)
    assert watched.js("document.documentElement.scrollWidth") <= width
    assert watched.js("document.title").startswith(("Demo: ", "<script>"))
    drawn = "[...document.querySelectorAll('.drawing svg.ct-figure, .axis-box svg.ct-figure')]"
    assert watched.js(f"{drawn}.filter(s => s.getBoundingClientRect().width > 200).length") == 1


@pytest.mark.parametrize("width", [375, 1280])
def test_labels_do_not_cover_each_other(watched: Any, pages: dict[str, Path], width: int) -> None:
    watched.show(pages["graph"], width=width)
    boxes = watched.js(
        f"[...({WIDE}).querySelectorAll('text.label')].map(t => "
        "{const b = t.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]})"
    )
    assert len(boxes) == 12
    for number, a in enumerate(boxes):
        for b in boxes[number + 1 :]:
            across = min(a[2], b[2]) - max(a[0], b[0])
            down = min(a[3], b[3]) - max(a[1], b[1])
            assert min(across, down) <= 1


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


def test_a_click_on_a_line_shows_what_both_ends_share(
    watched: Any, pages: dict[str, Path], demo: Collection
) -> None:
    shown = demo.map.graph(limit=12)
    watched.show(pages["graph"], width=1280)
    watched.js("location.hash = '#link-0'")
    settle(watched)
    assert watched.js(SHOWN) == ["link-0"]
    assert shown.edges[0].quote is not None
    first = shown.edges[0].quote.citation
    assert first in watched.js("document.querySelector('#link-0').textContent")
    hot = watched.js(f"({WIDE}).querySelectorAll('a.node.hot').length")
    assert hot == 2
    press(watched, "Escape")
    assert watched.js(SHOWN) == []


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
    assert watched.js("document.getElementById('found').textContent") == f"{left} of {count}"
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


def test_names_that_mean_no_good_stay_text(watched: Any, pages: dict[str, Path]) -> None:
    watched.show(pages["hostile"])
    assert watched.js("document.scripts.length") == 1
    assert watched.js("document.images.length") == 0
    watched.js("location.hash = '#name-0'")
    settle(watched)
    assert watched.js("document.querySelector('#name-0 h2').textContent") == HOSTILE[0]
    assert watched.js("document.title").startswith("<script>")


def test_they_print_with_their_passages(watched: Any, pages: dict[str, Path]) -> None:
    for name, words in (("graph", "Passages"), ("timeline", "casetrack show")):
        watched.show(pages[name])
        with pymupdf.open("pdf", watched.pdf()) as printed:
            text = "".join(page.get_text() for page in printed)
        assert words.casefold() in text.casefold()
