"""Content of a report: complete citations, limits, safety, and a list of omissions."""

from __future__ import annotations

import base64
import json
import re
from typing import TYPE_CHECKING, Any

import pymupdf
import pytest

from api.viewer.reports import DATA, MADE, check_report, handmade, refs, text_of
from api.viewer.sheets import HOSTILE, Tree
from casetrack import __version__
from casetrack.api.library import Library
from casetrack.api.viewer.report import report_page
from casetrack.api.viewer.report.passages import draw_pages
from casetrack.api.viewer.report.proof import contains_date
from casetrack.base.errors import UsageError
from casetrack.base.license.tiers import FREE

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.base.records.graph import Event


MOST_BYTES = 12_000_000


def borne_out(demo: Collection) -> list[Event]:
    """Return the events of a report: those whose passages name their dates."""
    return [e for e in demo.map.timeline(limit=60).events if contains_date(e.quote, e)]


@pytest.mark.slow
def test_it_holds_all_sections_and_every_statement_is_cited(
    demo_report: str, demo: Collection
) -> None:
    tree = check_report(demo_report)
    sections = {"glance", "timeline", "people", "amounts", "references", "topics", "documents"}
    assert sections | {"health", "passages"} <= {*tree.values("id")}
    assert "1 March 2026" in text_of(tree)
    cited = [a["title"] or "" for t, a in tree.tags if a.get("class") == "ref"]
    assert len(refs(tree)) > 150
    known = {d.name for d in demo.documents()}
    assert all(any(c.startswith(f"{name}, ") for name in known) for c in cited)
    events = [a for t, a in tree.tags if (a.get("id") or "").startswith("event-")]
    assert len(events) == len(borne_out(demo))
    rows = sum(t == "tr" for t, _ in tree.tags)
    assert rows > len(known)


@pytest.mark.slow
def test_what_is_marked_is_in_the_passage(demo_report: str, demo: Collection) -> None:
    bodies = re.findall(r'<article class="passage".*?</article>', demo_report, re.DOTALL)
    assert len(bodies) > 100
    for body in bodies[::7]:
        tree = Tree(body)
        chunk = demo.read.chunk("".join(tree.within("span.id")))
        assert (
            "".join(tree.within("h3.cited"))
            .split(" ", 1)[1]
            .startswith(chunk.provenance.document_name)
        )
        marked = Tree(re.findall("<blockquote.*?</blockquote>", body, re.DOTALL)[0]).within("mark.")
        words = "".join(marked).rstrip("\u2026").split()
        assert words
        assert " ".join(words) in " ".join(chunk.text.split())


def test_pages_are_pictured_once_and_highlighted(demo_report: str) -> None:
    tree = check_report(demo_report)
    images = [a for t, a in tree.tags if t == "image"]
    shown = [a["href"] for t, a in tree.tags if t == "use"]
    assert 10 < len(images) <= 60
    assert len({a["href"] for a in images}) == len(images)
    assert {f"#{a['id']}" for a in images} == set(shown)
    assert demo_report.count('<g class="pen"><rect') == len(shown)
    for image in images:
        raw = base64.b64decode((image["href"] or "").removeprefix(DATA))
        assert raw[8:12] == b"WEBP"
    assert len(demo_report.encode()) < MOST_BYTES


@pytest.fixture(scope="module")
def bare_report(demo: Collection) -> str:
    """The report of the sample case file without pictures."""
    return demo.report(made=MADE, pictures=False)


@pytest.mark.slow
def test_only_the_time_differs(demo: Collection, bare_report: str) -> None:
    later = demo.report(made=MADE.replace(year=2027), pictures=False)
    assert bare_report != later
    later = later.replace("2027-03-01", "2026-03-01").replace("March 2027", "March 2026")
    assert bare_report == later


def test_pictures_are_bounded_and_what_is_left_out_is_reported(demo: Collection) -> None:
    quotes = [e.quote for e in demo.map.timeline(limit=60).events]
    messages: list[tuple[int, int]] = []
    few = draw_pages(
        demo.workspace.state(),
        quotes,
        limit=2,
        progress=lambda _, done, of: messages.append((done, of)),
    )
    assert len(few.pages) == 2
    assert few.skipped > 0
    assert few.notes
    assert messages[-1] == (2, 2)
    small = draw_pages(demo.workspace.state(), quotes[:12], budget=1)
    assert not small.pages
    assert small.skipped
    text = text_of(check_report(report_page(handmade(3), lambda _: ({}, few))))
    assert re.search(rf"\b{few.skipped}\b", text)


@pytest.mark.slow
def test_the_free_tier_goes_without_the_graph_and_says_so(
    demo: Collection, demo_report: str
) -> None:
    free = Library(demo.workspace.settings, tier=FREE).get("Demo").report(made=MADE, pictures=False)
    tree = check_report(free)
    assert "Free" in text_of(tree)
    assert not [a for t, a in tree.tags if a.get("class") == "ct-figure graph"]
    assert [a for t, a in Tree(demo_report).tags if a.get("class") == "ct-figure graph"]
    assert len(refs(tree)) > 100


@pytest.mark.sampled(1)
@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_words_that_mean_no_good_stay_text(words: str) -> None:
    html = report_page(handmade(4, words))
    tree = check_report(html)
    assert sum(t == "script" for t, _ in tree.tags) == 1
    assert "\x00" not in html
    assert "\x1b" not in html
    assert len(html.encode("utf-8", "replace")) < 1_000_000
    if words.isprintable() and len(words) < 60 and words.strip():
        assert " ".join(words.split()) in text_of(tree)


@pytest.mark.slow
def test_figures_equal_those_of_the_collection(demo_report: str, demo: Collection) -> None:
    tree = check_report(demo_report)
    tiles = re.findall(r'<li><a href="#\w+"><b>([\d,]+)</b>', demo_report)
    figures, timeline = demo.map.statistics(), demo.map.timeline(limit=60)
    money = (a for a in demo.sql("SELECT * FROM amounts").to_pylist() if a["kind"] == "money")
    assert [int(count.replace(",", "")) for count in tiles] == [
        figures.document_count,
        figures.page_count,
        len(demo.map.entities(kind="person", limit=None)),
        len(demo.map.entities(kind="organization", limit=None)),
        timeline.total,
        len({(a["unit"], a["value"], a["high"]) for a in money}),
        len(demo.map.references(limit=None)),
    ]
    text = text_of(tree)
    proven = borne_out(demo)
    assert len(proven) > 50
    assert all(" ".join(e.description.split())[:140] in text for e in proven)
    # This section has the order of the summary.
    place = 0
    for actor in demo.map.summary().key_actors:
        place = text.index(actor.entity.name, place)


@pytest.fixture
def lone(bare: Library, tmp_path: Path) -> Collection:
    """A collection of one PDF, made without a model."""
    with pymupdf.open() as pdf:
        words = "The tenant pays EUR 12,500 on 3 May 2024 to Harbour Holdings Ltd, see ISO 9001."
        pdf.new_page().insert_text((72, 90), words)
        pdf.save(tmp_path / "lease.pdf")
    collection = bare.create("Lone", collection_type="contract")
    collection.ingest([tmp_path / "lease.pdf"])
    return collection


@pytest.mark.slow
def test_an_interruption_leaves_the_old_report(lone: Collection, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    target = lone.report(folder / "r.html", pictures=False, made=MADE)
    before = target.read_bytes()

    def interrupt(_: str, __: int, pages: int) -> None:
        if pages == 1:  # its one page is drawn
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lone.report(target, progress=interrupt)
    assert [p.name for p in folder.iterdir()] == ["r.html"]
    assert target.read_bytes() == before


@pytest.mark.slow
def test_an_empty_collection_has_a_report(bare: Library, messages: Any) -> None:
    empty = bare.create("Empty", description="Nothing yet")
    text = text_of(check_report(empty.report(made=MADE))).replace(". ", ".\n")
    messages(re.sub(r"\d+ \w+ 20\d\d", "<date>", text), hide={__version__: "<version>"})


def test_one_document_without_a_model_whose_file_is_gone(lone: Collection, tmp_path: Path) -> None:
    before = check_report(lone.report(made=MADE))
    assert sum(t == "image" for t, _ in before.tags) == 1
    (tmp_path / "lease.pdf").unlink()
    lone.admin.close()
    tree = check_report(lone.report(made=MADE))
    text = text_of(tree)
    assert "EUR\u00a012,500" in "".join(tree.within("b.name"))
    assert "3 May 2024" in text
    assert "ISO 9001" in text
    assert "closed" in text
    assert not [t for t, _ in tree.tags if t == "image"]


@pytest.mark.parametrize("name", ["mine.html", "report.pdf", "nowhere/report.html"])
def test_a_report_that_cannot_be_written_is_refused(
    bare: Library, tmp_path: Path, name: str
) -> None:
    mine = tmp_path / "mine.html"
    mine.write_text("<p>mine</p>", encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        bare.create("Empty").report(tmp_path / name)
    assert name.split("/", maxsplit=1)[0] in caught.value.message
    assert mine.read_text(encoding="utf-8") == "<p>mine</p>"


def test_the_command_writes_a_report(
    bare: Library,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from casetrack.faces.cli.main import main

    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda url: bool(opened.append(url)) or True)
    monkeypatch.chdir(tmp_path)
    bare.create("Empty")
    start = ["--data-dir", str(bare.settings.data_dir), "report", "-c", "Empty", "--light"]
    assert main([*start, "--open"]) == 0
    written = tmp_path / "Empty report.html"
    assert str(written) in "".join(capsys.readouterr().out.split("\n"))
    assert opened == [written.as_uri()]
    check_report(written.read_text(encoding="utf-8"))
    assert main([*start, "-o", str(written), "--json"]) == 0  # its own report is replaced
    facts = json.loads(capsys.readouterr().out)
    assert facts == {"file": str(written), "bytes": written.stat().st_size}
    assert main([*start, "-o", str(tmp_path / "report.txt")]) == 2
    assert ".html" in capsys.readouterr().err
