"""The page of the graph: whole by itself, safe, every passage cited, no name on top of another."""

from __future__ import annotations

import base64
import io
import pickle
import random
import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PIL import Image

from api.viewer.sheets import HOSTILE, check_page
from casetrack.api.viewer import entity_graph_html, entity_graph_page
from casetrack.api.viewer.gather import graph_quotes
from casetrack.api.viewer.graph_figure import entity_graph_figure, place_nodes
from casetrack.api.viewer.quotes import pieces
from casetrack.base.records.graph import Edge, EntityGraph
from casetrack.faces.cli.main import main
from graph_records import entity, graph, key, quote

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection

KINDS = ("person", "organization", "location", "date", "amount", "concept")


def hostile() -> EntityGraph:
    """Return a graph whose names come from documents that mean no good."""
    nodes = tuple(
        replace(
            entity(n, KINDS[n % len(KINDS)], name),
            aliases=(name, f"{name}!"),
            role=name,
            entity_id=f"kind:{name[:40]}",
        )
        for n, name in enumerate(HOSTILE)
    )
    edges = tuple(
        Edge(
            *(a.entity_id, b.entity_id, "co_occurrence", 1 / (n + 1), n + 1, (key(n),)),
            quote(n, name, document_name=name[:100]),
        )
        for n, (name, (a, b)) in enumerate(zip(HOSTILE, pairwise(nodes), strict=False))
    )
    return EntityGraph(HOSTILE[0], nodes[0], nodes, tuple(range(len(nodes))), edges)


@pytest.mark.slow
@pytest.mark.parametrize("size", [0, 1, 2, 20])
@pytest.mark.parametrize("centered", [False, True])
def test_a_page_is_whole_and_cites_every_passage(size: int, centered: bool) -> None:
    shown = graph(size, entity(0) if centered and size else None)
    html = entity_graph_html(shown)
    tree = check_page(html)
    assert html == entity_graph_html(shown)
    assert "http://" not in html
    assert "https://" not in html
    cards = tree.within("article.card")
    quotes = [t for t in tree.within("p.cited") if t.strip()]
    assert len(quotes) == html.count("<article")
    exact = {e.quote.citation for e in shown.edges if e.quote}
    assert len(quotes) == html.count("<blockquote")
    assert set(quotes) == exact
    if size == 0:
        return
    assert html.count('class="entry"') == size + len(shown.edges)
    # Every edge shows the passage that it names first, and how to see it on its page.
    if size > 1:
        assert f"casetrack show {key(0)} -c Acme" in cards


def test_names_of_documents_cannot_become_part_of_the_page() -> None:
    shown = hostile()
    tree = check_page(entity_graph_html(shown))
    messages = "".join(data for _, data in tree.texts)
    assert HOSTILE[0] in messages
    assert HOSTILE[2] in messages
    assert "\x00" not in messages
    assert "\x1b" not in messages
    assert "x" * 700 not in messages
    labels = "".join(tree.within("text.label"))
    assert "\u202e" not in labels
    figure = entity_graph_figure(shown)
    assert "<img" not in figure
    assert "<script" not in figure
    assert figure.count("</style>") == 1


def test_a_quote_marks_its_words_and_nothing_else() -> None:
    result = quote(1, "Halyard & Co")
    assert [text for text, marked in pieces(result) if marked] == ["Halyard & Co"]
    first = (result.char_start, result.char_start + 7)
    second = (result.char_end - 2, result.char_end)
    assert [t for t, marked in pieces(result, (second, first)) if marked] == ["Halyard", "Co"]
    lines = replace(
        result,
        text="a\nb",
        char_end=result.char_start + 3,
        snippet="1\n\na\nb\n\n2",
        snippet_start=3,
    )
    assert [p for p in pieces(lines) if p[0]][-3:] == [
        ("1\n", False),
        ("a b", True),
        ("\n2", False),
    ]
    # A span outside of the displayed words is not marked.
    assert not any(marked for _, marked in pieces(result, ((9_000, 9_001),)))


def test_a_link_shows_both_names_where_they_are_known() -> None:
    nodes = (entity(0), entity(1), entity(2))
    pairs = ((0, 1), (0, 2))
    joint = quote(7, "Alba and Berg")
    edges = tuple(
        Edge(nodes[a].entity_id, nodes[b].entity_id, "co_occurrence", 0.5, 1, (key(7),), cited)
        for (a, b), cited in zip(pairs, (joint, None), strict=True)
    )
    shown = EntityGraph("Acme", None, nodes, (), edges)
    at = joint.char_start
    first = replace(joint, text="Alba", char_end=at + 4)
    second = replace(joint, text="Berg", char_start=at + 9, snippet_start=joint.snippet_start + 9)
    third = replace(joint, text="Carr", char_start=300, char_end=304)
    quotes = (first, second, third)
    mentions = {n.entity_id: (q,) for n, q in zip(nodes, quotes, strict=True)}
    result = graph_quotes(shown, mentions)
    assert result.names == tuple((q,) for q in quotes)
    # The second link has no quote and shows its two names.
    assert [(c.quote, c.spans) for c in result.links[0]] == [
        (joint, ((at, at + 4), (at + 9, joint.char_end)))
    ]
    assert [c.quote for c in result.links[1]] == [first, third]
    assert graph_quotes(shown, {}).links[1] == ()
    rows = re.findall("<tr>(.*?)</tr>", entity_graph_figure(shown))
    assert [joint.citation in row for row in rows] == [False, True, False]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("count", [1, 7, 60])
@pytest.mark.parametrize("width", [350.0, 760.0])
def test_no_label_is_on_another(count: int, width: float) -> None:
    rng = random.Random(count)
    boxes = [(rng.uniform(20, 150), rng.uniform(20, 60)) for _ in range(count)]
    edges = [(rng.randrange(count), rng.randrange(count), rng.random() + 0.01) for _ in boxes * 3]
    edges = [e for e in edges if e[0] != e[1]]
    layout = place_nodes(boxes, edges, width=width)
    sizes = np.array(boxes)
    gaps = np.abs(layout.points[:, None] - layout.points[None])
    over = (gaps < (sizes[:, None] + sizes[None]) / 2 - 1e-6).all(axis=2)
    np.fill_diagonal(over, val=False)
    assert not over.any()
    assert (layout.points - sizes / 2 >= 0).all()
    assert (layout.points + sizes / 2 <= [layout.width, layout.height]).all()
    again = place_nodes(boxes, edges, width=width)
    assert np.array_equal(layout.points, again.points)


@pytest.fixture(scope="module")
def page(demo: Collection) -> str:
    """The page of six names of the sample case file."""
    return entity_graph_page(demo.workspace.state(), demo.map.graph(limit=6))


def test_the_sample_case_file_shows_pictures_of_passages(demo: Collection, page: str) -> None:
    shown = demo.map.graph(limit=6)
    tree = check_page(page)
    assert len(shown.nodes) == 6
    for node in shown.nodes:
        assert node.name in "".join(tree.within("bdi."))
    cited = [t for t in tree.within("p.cited") if t.strip()]
    assert all(re.search(r", (p\.|sheet|slide|section|message) ", c) for c in cited)
    data = [h.partition(",")[2] for h in tree.values("href") if h.startswith("data:")]
    assert data
    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(data[0]))).convert("RGB"), float)
    assert ((pixels[..., 0] > 150) & (pixels[..., 2] < 0.7 * pixels[..., 0])).mean() > 0.005
    # A picture is in the page once, however often it is shown.
    assert len(data) == len(set(data))


def test_a_notebook_shows_the_drawing_with_cited_links(demo: Collection) -> None:
    shown = demo.map.graph(limit=30)
    html = shown._repr_html_()
    assert html is not None
    assert html.count('class="node') == min(20, len(shown.nodes))
    drawn = {node.entity_id for node in shown.nodes[:20]}
    quotes = [e.quote for e in shown.edges if {e.source, e.target} <= drawn]
    assert quotes[0] is not None
    assert quotes[0].citation in html
    assert {"20", "30"} <= {*re.findall(r"\d+", re.sub(r"<[^>]*>", " ", html))}
    assert pickle.loads(pickle.dumps(shown)) == shown
    assert "<table>" in graph(3, None)._repr_html_()
    assert "<svg" not in entity_graph_figure(graph(0, None))


def run(*words: Any) -> int:
    return main([str(w) for w in words])


@pytest.mark.slow
def test_the_command_writes_the_page_and_says_where(
    demo_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("CASETRACK_HOME", str(demo_home))
    out = tmp_path / "graph.html"
    assert run("graph", "-k", "3", "--html", out) == 0
    assert str(out) in capsys.readouterr().out
    check_page(out.read_text(encoding="utf-8"))
    assert [p.name for p in tmp_path.iterdir()] == ["graph.html"]
    # Its own page is replaced; anything else is not.
    assert run("graph", "-k", "2", "--html", out) == 0
    assert run("timeline", "-k", "2", "--html", out) != 0
    assert str(out) in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "name"),
    [("graph", "missing/page.html"), ("graph", "page.txt"), ("timeline", "taken.html")],
)
def test_a_page_that_cannot_be_written_is_told_in_words(
    demo_home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Any,
    command: str,
    name: str,
    messages: Any,
) -> None:
    monkeypatch.setenv("CASETRACK_HOME", str(demo_home))
    (tmp_path / "taken.html").write_text("mine")
    assert run(command, "--html", tmp_path / name) == 2
    messages(capsys.readouterr().err)
    assert (tmp_path / "taken.html").read_text() == "mine"
