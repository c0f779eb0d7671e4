"""What a report says: cited throughout, bounded, safe, and honest about what it leaves out."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pymupdf
import pytest

from casetrack.config import load_settings
from casetrack.errors import UsageError
from casetrack.library import Library
from casetrack.license.tiers import FREE
from casetrack.viewer.report import report_page
from casetrack.viewer.report.pictures import draw_pages
from casetrack.viewer.report.proof import bears_date
from viewer.reports import DATA, MADE, check_report, handmade, refs, text_of
from viewer.sheets import HOSTILE, Tree

if TYPE_CHECKING:
    from casetrack.collection import Collection
    from casetrack.records.graph import Event


MOST_BYTES = 12_000_000


def borne_out(demo: Collection) -> list[Event]:
    """Return the events of a report: those whose passages name their dates."""
    return [e for e in demo.map.timeline(limit=60).events if bears_date(e.quote, e)]


def test_it_holds_all_sections_and_every_statement_is_cited(
    demo_report: str, demo: Collection
) -> None:
    tree = check_report(demo_report)
    said = text_of(tree)
    for title in ("At a glance", "Timeline", "People and firms", "Amounts", "Documents", "Health"):
        assert title in tree.within("h2.")
    stats = demo.stats()
    assert f"{stats.document_count} Documents{stats.page_count} Pages" in said
    assert "1 March 2026, 12:00 UTC" in said
    cited = [a["title"] or "" for t, a in tree.tags if a.get("class") == "ref"]
    assert len(refs(tree)) > 150
    known = {d.name for d in demo.documents()}
    assert all(any(c.startswith(f"{name}, ") for name in known) for c in cited)
    events = [a for t, a in tree.tags if (a.get("id") or "").startswith("event-")]
    assert len(events) == len(borne_out(demo))
    rows = sum(t == "tr" for t, _ in tree.tags)
    assert rows > len(known)


def test_what_is_marked_stands_in_the_passage(demo_report: str, demo: Collection) -> None:
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
    assert f"{len(images)} pages with cited words are pictured" in text_of(tree)
    assert len(demo_report.encode()) < MOST_BYTES


def test_only_the_time_differs(demo: Collection) -> None:
    first = demo.report(made=MADE, pictures=False)
    later = demo.report(made=MADE.replace(year=2027), pictures=False)
    assert first == demo.report(made=MADE, pictures=False)
    assert first != later
    assert first == later.replace("2027-03-01", "2026-03-01").replace("March 2027", "March 2026")


def test_pictures_are_bounded_and_what_is_left_out_is_said(demo: Collection) -> None:
    quotes = [e.quote for e in demo.map.timeline(limit=60).events]
    told: list[tuple[int, int]] = []
    few = draw_pages(
        demo.workspace.state(),
        quotes,
        limit=2,
        progress=lambda _, done, of: told.append((done, of)),
    )
    assert len(few.pages) == 2
    assert few.skipped > 0
    assert all("pictures of 2 pages already" in note for note in few.notes.values())
    assert told[-1] == (2, 2)
    small = draw_pages(demo.workspace.state(), quotes[:12], budget=1)
    assert not small.pages
    assert small.skipped
    html = report_page(handmade(3), lambda _: ({}, few))
    assert f"{few.skipped} cited pages are not pictured" in text_of(check_report(html))


def test_the_free_tier_goes_without_the_graph_and_says_so(
    demo: Collection, demo_report: str
) -> None:
    free = Library(demo.workspace.settings, tier=FREE).get("Demo").report(made=MADE, pictures=False)
    tree = check_report(free)
    assert "The graph of names is left out: the Free tier has none." in text_of(tree)
    assert not [a for t, a in tree.tags if a.get("class") == "ct-figure graph"]
    assert [a for t, a in Tree(demo_report).tags if a.get("class") == "ct-figure graph"]
    assert len(refs(tree)) > 100


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_words_that_mean_no_good_stay_text(words: str) -> None:
    html = report_page(handmade(4, words))
    tree = check_report(html)
    assert sum(t == "script" for t, _ in tree.tags) == 1
    assert (
        sum(t == "title" for t, _ in tree.tags)
        == 1 + sum(1 for path, _ in tree.texts if path[-1:] == ("title.",) and "svg." in str(path))
        or "ct-figure" in html
    )
    assert "\x00" not in html
    assert "\x1b" not in html
    assert len(html.encode("utf-8", "replace")) < 1_000_000
    if words.isprintable() and len(words) < 60 and words.strip():
        assert " ".join(words.split()) in text_of(tree)


def test_figures_equal_what_the_commands_print(
    demo_report: str,
    demo: Collection,
    demo_home: Path,
    models_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from casetrack.cli.main import main

    monkeypatch.setenv("CASETRACK_MODELS", str(models_dir))

    def told(*words: str) -> Any:
        assert main(["--data-dir", str(demo_home), *words, "-c", "Demo", "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    tree = check_report(demo_report)
    tiles = re.findall(r'<li><a href="#\w+"><b>([\d,]+)</b> ([^<]+)</a></li>', demo_report)
    shown = {name: int(count.replace(",", "")) for count, name in tiles}
    figures, timeline = told("statistics"), told("timeline", "--limit", "60")
    assert shown.pop("Sums of money") == len(
        {
            (a["unit"], a["value"], a["high"])
            for a in demo_rows(demo_home, "amounts")
            if a["kind"] == "money"
        }
    )
    assert shown == {
        "Documents": figures["document_count"],
        "Pages": figures["page_count"],
        "People": len(told("entities", "--kind", "person", "--limit", "500")),
        "Firms": len(told("entities", "--kind", "organization", "--limit", "500")),
        "Dated events": timeline["total"],
        "References": len(told("references", "--limit", "500")),
    }
    said = text_of(tree)
    proven = {e.description for e in borne_out(demo)}
    assert len(proven) > 50
    for dated in timeline["events"]:
        shown = " ".join(dated["description"].split())[:140] in said
        assert shown or dated["description"] not in proven
    # What stands in the summary stands here in the same order.
    place = 0
    for actor in told("summary")["key_actors"]:
        place = said.index(actor["name"], place)
    for one in told("topics"):
        assert f"{one['chunk_count']} passages in {one['document_count']} doc" in said


def demo_rows(home: Path, view: str) -> list[dict[str, Any]]:
    """Return the rows of a view of the sample collection."""
    demo = Library(load_settings(home)).get("Demo")
    return demo.sql(f"SELECT * FROM {view}").to_pylist()


def test_an_interruption_leaves_the_old_report(demo: Collection, tmp_path: Path) -> None:
    target = demo.report(tmp_path / "r.html", pictures=False, made=MADE)
    before = target.read_bytes()

    def interrupt(_: str, done: int, __: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        demo.report(target, progress=interrupt)
    assert [p.name for p in tmp_path.iterdir()] == ["r.html"]
    assert target.read_bytes() == before


def test_an_empty_collection_has_a_report(bare: Library) -> None:
    empty = bare.create("Empty", description="Nothing yet")
    said = text_of(check_report(empty.report(made=MADE)))
    assert "This collection holds no documents yet." in said
    assert "0 Documents" in said
    assert "Nothing is cited here." in said


def test_one_document_without_a_model_whose_file_is_gone(bare: Library, tmp_path: Path) -> None:
    path = tmp_path / "lease.pdf"
    with pymupdf.open() as pdf:
        words = "The tenant pays EUR 12,500 on 3 May 2024 to Harbour Holdings Ltd, see ISO 9001."
        pdf.new_page().insert_text((72, 90), words)
        pdf.save(path)
    lone = bare.create("Lone", collection_type="contract")
    lone.ingest([path])
    before = check_report(lone.report(made=MADE))
    assert sum(t == "image" for t, _ in before.tags) == 1
    path.unlink()
    lone.admin.close()
    tree = check_report(lone.report(made=MADE))
    said = text_of(tree)
    assert "1 Document1 Page" in said
    assert "EUR\u00a012,500" in "".join(tree.within("b.name"))
    assert "3 May 2024" in said
    assert "ISO 9001" in said
    assert "No model has seen the" in said
    assert "1 document: the file is not there any more" in said
    assert "The file is no longer where it was ingested from." in said
    assert "closed" in said
    assert not [t for t, _ in tree.tags if t == "image"]


def test_it_is_written_and_only_a_report_is_replaced(demo: Collection, tmp_path: Path) -> None:
    path = demo.report(tmp_path / "Demo.html", made=MADE, pictures=False)
    assert path == tmp_path / "Demo.html"
    assert path.read_text(encoding="utf-8") == demo.report(made=MADE, pictures=False)
    demo.report(str(path), pictures=False)
    (tmp_path / "mine.html").write_text("<p>mine</p>", encoding="utf-8")
    for name, words in (
        ("mine.html", "holds no report"),
        ("report.pdf", "does not name a page of HTML"),
        ("nowhere/report.html", "There is no folder"),
    ):
        with pytest.raises(UsageError, match=words):
            demo.report(tmp_path / name)
    assert (tmp_path / "mine.html").read_text(encoding="utf-8") == "<p>mine</p>"


def test_the_command_writes_a_report(
    demo_home: Path,
    models_dir: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from casetrack.cli.main import main

    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda url: bool(opened.append(url)) or True)
    monkeypatch.setenv("CASETRACK_MODELS", str(models_dir))
    monkeypatch.chdir(tmp_path)
    start = ["--data-dir", str(demo_home), "report", "-c", "Demo", "--light"]
    assert main([*start, "--open"]) == 0
    written = tmp_path / "Demo report.html"
    assert str(written) in "".join(capsys.readouterr().out.split("\n"))
    assert opened == [written.as_uri()]
    check_report(written.read_text(encoding="utf-8"))
    assert main([*start, "-o", str(tmp_path / "other.html"), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said == {
        "file": str(tmp_path / "other.html"),
        "bytes": Path(said["file"]).stat().st_size,
    }
    assert main([*start, "-o", str(tmp_path / "report.txt")]) == 2
    assert "ends in .html" in capsys.readouterr().err


@pytest.mark.slow
def test_a_thousand_documents_make_a_bounded_report(bare: Library, tmp_path: Path) -> None:
    source = tmp_path / "letters"
    source.mkdir()
    for n in range(1000):
        day = f"{n % 28 + 1} March {2000 + n % 24}"
        text = f"On {day} Firm{n} Ltd pays EUR {1000 + n * 37:,}, see ISO {9000 + n}."
        (source / f"Letter {n:04}.txt").write_text(text, encoding="utf-8")
    many = bare.create("Many")
    assert many.ingest([source]).count("ingested") == 1000
    html = many.report(made=MADE)
    said = text_of(check_report(html))
    assert "1,000 Documents" in said
    assert "and 800 more documents." in said
    assert "and 988 more sums." in said
    assert len(html.encode()) < 2_000_000
