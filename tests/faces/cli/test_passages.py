"""Search results as people read them: citation, marked words, the best part of a passage."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from casetrack.base.records import SearchResult, SearchResults, Signal
from casetrack.base.records.reading import AnswerLocation, Pinpoint, known
from casetrack.base.records.search import NO_CONTEXT
from casetrack.faces.cli.search import _tell
from graph_records import provenance as recorded

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from casetrack.base.provenance import Provenance

FILLER = "The parties have agreed on the form of this schedule. " * 20
ANSWER = "Invoices are payable within thirty days of receipt."


def provenance(**changes: object) -> Provenance:
    place = {"document_name": "Lease.pdf", "document_path": "/files/Lease.pdf", "chunk_id": "c1"}
    lines = {"page": 12, "paragraph_end": 8, "line_end": 4, "char_start": 0, "char_end": 100}
    return recorded(0, **(place | lines | {"heading_path": ()} | changes))


def answer(*hits: SearchResult, query: str = "payable invoices") -> SearchResults:
    return SearchResults(
        query, "Acme", "hybrid", hits, ("bm25", "semantic"), {"bm25": 1.25}, 86.6, 5, 1051
    )


AROUND = partial(known, NO_CONTEXT | {"before": "before it", "after": "after it"})


def hit(text: str = ANSWER, **changes: object) -> SearchResult:
    signals = {"bm25": Signal(12.5, 1, 0.5), "semantic": Signal(0.61, None, -0.1)}
    signals["named"] = Signal(1.0, None, 0.2, has_list=False)
    source = provenance(**changes)
    return SearchResult(
        1, 0.944, text, source, signals, relevance=0.82, evidence="strong", around=AROUND
    )


def shown(
    capsys: pytest.CaptureFixture[str],
    results: SearchResults,
    *,
    context: bool = False,
    full: bool = False,
    explain: bool = False,
) -> str:
    _tell(results, context=context, full=full, explain=explain)
    return capsys.readouterr().out


def test_what_is_probably_not_there_is_said_first(
    capsys: pytest.CaptureFixture[str], messages: Callable[[str], None]
) -> None:
    absent = replace(answer(hit()), evidence="none", notes=("No passage contains 'X-1'.",))
    message = shown(capsys, absent)
    messages(message)
    doubt = message.splitlines()[3]
    assert doubt not in shown(capsys, answer(hit()))
    assert doubt not in shown(capsys, replace(absent, results=()))


def test_an_answer_names_what_was_searched_and_every_source(
    capsys: pytest.CaptureFixture[str], messages: Callable[[str], None]
) -> None:
    text = shown(capsys, answer(hit(), replace(hit(page_is_estimated=True), rank=2)))
    messages(text)


def test_a_sheet_is_cited_by_its_cells_and_by_page_and_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cells = dict.fromkeys(("row_start", "column_start", "line_end"), 1)
    cells |= dict.fromkeys(("row_end", "column_end", "page"), 2)
    sheet = hit("Item | Cost\nRent | 12", sheet_name="Q3", **cells)
    text = shown(capsys, answer(sheet))
    assert 'Lease.pdf, sheet "Q3", rows 1-2, columns A-B\n' in text
    assert '"Item | Cost\nRent | 12"' in text  # rows stay rows


def test_context_and_explanation_are_shown_on_request(
    capsys: pytest.CaptureFixture[str], messages: Callable[[str], None]
) -> None:
    plain = shown(capsys, answer(hit()))
    assert "before it" not in plain
    assert "bm25:" not in plain
    messages(shown(capsys, answer(hit()), context=True, explain=True))


def test_long_context_is_cut_away_from_the_passage(capsys: pytest.CaptureFixture[str]) -> None:
    long = "first " + "middle " * 200 + "last"
    around = partial(known, NO_CONTEXT | {"before": long, "after": long})
    result = replace(hit(f"{ANSWER} {FILLER}"), around=around)
    text = shown(capsys, answer(result), context=True)
    before, after = text.split(FILLER.strip())
    assert "\u2026 middle " in before
    assert "first" not in before
    assert "last" in before
    assert after.rstrip().endswith('middle \u2026"')
    assert "last" not in after


def test_a_long_passage_is_quoted_where_the_words_are(capsys: pytest.CaptureFixture[str]) -> None:
    passage = f"{FILLER}{ANSWER} {FILLER}"
    text = shown(capsys, answer(hit(passage)))
    assert ANSWER in text
    assert '"The parties' in text
    assert len(text) < 1200
    assert passage.strip() in shown(capsys, answer(hit(passage)), full=True)


def test_the_pinpoint_is_cited_and_stands_out_from_what_is_quoted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    passage = f"{FILLER}{ANSWER} {FILLER}"
    start = len(FILLER)
    end = start + len(ANSWER)
    place = provenance(line_start=3, line_end=3, char_start=start, char_end=end)
    result = AnswerLocation((Pinpoint(ANSWER, 0.9, "sentence", place, "\u00a7 8.2"),))
    text = shown(capsys, answer(replace(hit(passage, char_end=5000), locate=lambda: result)))
    assert "At: Lease.pdf, p. 12, \u00a7 8.2, l. 3\n" in text
    assert f"schedule. {ANSWER} The parties" in text


def test_no_result_says_what_to_try(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--- Result" not in shown(capsys, answer())
    assert len(shown(capsys, answer()).splitlines()) > 3


def test_several_collections_are_searched_together(run: Any, tmp_path: Path) -> None:
    for name, text in (("Mill", "The rent of the mill is due."), ("Ships", "The rent of a crane.")):
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
        run("ingest", tmp_path / f"{name}.txt", "--create", "-c", name)
    for words in (["--all"], ["-c", "Mill", "-c", "Ships"]):
        ended = run("search", "rent of the mill", *words)
        assert (ended.code, ended.err) == (0, "")
        heads = [row for row in ended.out.splitlines() if row.startswith("--- ")]
        assert [" in Mill " in head for head in heads] == [True, False]
    refused = run("search", "rent", "--all", "--document", "Mill.txt")
    assert (refused.code, "--document" in refused.err) == (2, True)
