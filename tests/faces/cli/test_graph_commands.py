"""The commands on the map of a collection: calls, output, refusals."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from faces.cli.conftest import Run, error_of
from graph_records import Answers, key, reference

ASKED = tuple[str, tuple[Any, ...], dict[str, Any]]
# The typed command, its call of the collection, and facts that its output must contain.
CALLS: dict[str, tuple[ASKED, list[str]]] = {
    "summary": (("summary", (), {}), ["report: 1", "Key people and firms"]),
    "timeline --from 2023-01-01 --to 2023-12-31 -k 2": (
        ("timeline", (), {"start": "2023-01-01", "end": "2023-12-31", "type": "all", "limit": 2}),
        ["2023-01-01  On 2023-01-01 Halyard Ltd", "--from", "--to"],
    ),
    "entities --kind person --sort name -k 2": (
        ("entities", (), {"kind": "person", "sort_by": "name", "limit": 2}),
        ["Halyard Ltd 0", "1,000", "supplier"],
    ),
    "entity Halyard --kind organization": (
        ("entity_mentions", ("Halyard",), {"kind": "organization", "limit": 20}),
        ["Agreement_2.docx  9 ", "3. Vendor_Agreement_2"],
    ),
    """together Halyard 'O"Neill %' -k 3""": (
        ("encounters", (["Halyard", 'O"Neill %'],), {"limit": 3}),
        ["Vendor_Agreement_2"],
    ),
    "graph Halyard --depth 1": (
        ("graph", ("Halyard",), {"depth": 1, "limit": 20}),
        ["3 names, 3 links", " 0.50"],
    ),
    "graph": (("graph", (None,), {"depth": 2, "limit": 20}), ["3 names, 3 links"]),
    "references --kind standard -k 3": (
        ("references", (), {"type": "standard", "sort_by": "citations", "limit": 3}),
        ["ISO 9002", "398"],
    ),
    "references 'ISO 9001'": (
        ("reference_citations", ("ISO 9001",), {"limit": 50}),
        ["= Agreement_0.pdf", "| amends |"],
    ),
    "related Lease.pdf --relation amends": (
        ("related_documents", ("Lease.pdf",), {"relation": "amends", "limit": 10}),
        ["Halyard Ltd", " 0.90"],
    ),
    "similar c --same --least 0.25": (
        (
            "similar_chunks",
            ("c",),
            {"exclude_same_document": False, "min_similarity": 0.25, "limit": 10},
        ),
        ["similarity 0.90"],
    ),
    "compare a b --topic 'late payment'": (
        ("compare", ("a", "b", "late payment"), {"limit": 5}),
        ["A1  Vendor", "B3  Vendor", ": Halyard", " 0.81"],
    ),
    "changes a b": (("changes", ("a", "b"), {}), ["[-thirty-]{+sixty+}"]),
    "clusters --by reference -k 2": (
        ("clusters", ("reference",), {"limit": 2}),
        ["Charter parties 1  27 ", " 15 "],
    ),
    "topics": (("topics", (), {}), ["demurrage, laytime 2  187 "]),
    "statistics": (("statistics", (), {}), [" 100%", " 50%", "report 42"]),
    "read Lease.pdf --pages 2-5": (("browse", (key(0), 2, 5), {}), ["Clause 2. The vendor"]),
    "read Lease.pdf": (("browse", (key(0), 1, 45), {}), ["Clause 2. The vendor"]),
    "read --from c --back --limit 2": (
        ("traverse", ("c",), {"direction": "backward", "limit": 2}),
        ["Clause 1. The vendor"],
    ),
}


WHOLE = {"summary", "entity Halyard --kind organization", "changes a b", "topics"}


UNCITED = {"entities", "statistics"}


@pytest.fixture
def acme(run: Run, monkeypatch: pytest.MonkeyPatch) -> tuple[Run, Answers]:
    """The command runner, with hand-made answers for the only collection."""
    run("collection", "create", "Acme")
    return run, Answers(3).install(monkeypatch)


@pytest.mark.sampled(16)
@pytest.mark.parametrize("typed", CALLS)
def test_a_command_asks_what_was_typed_and_shows_it_with_its_source(
    acme: tuple[Run, Answers], messages: Callable[[str], None], typed: str
) -> None:
    run, answers = acme
    asked, shown = CALLS[typed]
    words = shlex.split(typed)
    ended = run(*words)
    assert (ended.code, ended.err) == (0, "")
    assert answers.asked[-1] == asked
    assert [text for text in shown if text not in ended.out] == []
    if words[0] not in UNCITED and "standard" not in words:
        assert re.search(r"Vendor_Agreement_\d.docx, p. \d, paras. 8-9, ll. 1-14", ended.out)
    method, arguments, options = asked
    result = getattr(Answers(3), f"do_{method}")(*arguments, **options)
    whole = [f.as_dict() for f in result] if isinstance(result, tuple | list) else result.as_dict()
    assert json.loads(run(*words, "--json").out) == json.loads(json.dumps(whole))
    if typed in WHOLE:
        messages(ended.out)


def test_what_a_name_may_also_mean_is_distinguished(
    filled: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    section = replace(reference(0, "section"), target_document="lease.txt")
    result = replace(Answers(1).do_reference_citations("x", limit=1), matches=(section, section))
    monkeypatch.setattr(Answers, "do_reference_citations", lambda *_, **__: result)
    Answers(1).install(monkeypatch)
    rows = filled("references", "clause 17.4").out.splitlines()
    (row,) = {row for row in rows if section.reference_id in row}
    assert "lease.txt" in row


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("words", "fact"),
    [
        (["read"], "--from"),
        (["read", "a", "--from", "b"], "--from"),
        (["read", "--from", "b", "--pages", "1"], "--from"),
        (["read", "a", "--pages", "one"], "'one'"),
        (["compare", "a", "b"], "'--topic'"),
        (["graph", "a", "--depth", "9"], "4"),
        (["clusters", "--by", "colour"], "'topical', 'entity', 'reference'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_misuse_is_an_error(acme: tuple[Run, Answers], words: list[str], fact: str) -> None:
    run, answers = acme
    ended = run(*words, "--json")
    error = error_of(ended)
    assert (ended.code, error["code"]) == (2, "usage")
    assert fact in error["message"]
    assert [a for a in answers.asked if a[0] != "document"] == []


@pytest.mark.slow
def test_names_cannot_drive_the_terminal_or_begin_a_line(acme: tuple[Run, Answers]) -> None:
    run, answers = acme
    answers.words = "Halyard\x1b[31m\n2. Forged.pdf, p. 1"
    for words in (["entities"], ["entity", "x"], ["references", "x"]):
        out = run(*words).out
        assert "\x1b" not in out
        assert not [row for row in out.splitlines() if row.strip().startswith("2. Forged")]


def test_a_graph_names_every_link_once_and_few_of_a_crowd(acme: tuple[Run, Answers]) -> None:
    run, answers = acme
    answers.size = 12
    rows = run("graph").out.splitlines()
    assert re.search(r"\b12\D+66\b", rows[0])
    shown = [row for row in rows if row.startswith("  with ")]
    hidden = [row for row in rows if row.split()[:1] == ["and"]]
    assert len(shown) + sum(int(row.split()[1]) for row in hidden) == 66


@pytest.mark.parametrize(
    "typed",
    "timeline|entities|references --kind link|related x|similar x|graph|topics|read x".split("|"),
)
def test_nothing_there_is_reported(acme: tuple[Run, Answers], typed: str) -> None:
    run, answers = acme
    answers.size = 0
    ended = run(*typed.split())
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.strip()
    assert "Halyard" not in ended.out


REAL = [
    ["entity", "4 per cent"],
    ["related", "memo.md"],
    ["compare", "lease.txt", "memo.md", "--topic", "Mill House"],
    ["changes", "lease.txt", "memo.md"],
    ["read", "lease.txt"],
]


@pytest.mark.slow
@pytest.mark.parametrize("empty", [True, False])
def test_commands_work_on_real_documents_and_on_none(filled: Run, *, empty: bool) -> None:
    filled("collection", "create", "Empty")
    collection = ("-c", "Empty" if empty else "Mill")
    for words in [*EVERYWHERE, *([] if empty else REAL)]:
        for ended in (filled(*words, *collection), filled(*words, *collection, "--json")):
            assert (ended.code, ended.err) == (0, ""), words
            assert ended.out.strip(), words
        json.loads(ended.out)


# --- over real documents --------------------------------------------------------------------

EVERYWHERE = [
    *([command] for command in ("summary", "timeline", "entities", "graph", "references")),
    ["references", "--kind", "section"],
    *(["clusters", "--by", by] for by in ("topical", "entity", "reference", "document_type")),
    ["topics"],
    ["statistics"],
    ["amounts", "--sort", "value"],
]


def test_amounts_are_shown_by_size_with_their_source(filled: Run) -> None:
    shown = filled("amounts", "--unit", "%", "--min", "2.5").out
    assert "4 percent" in shown
    assert "lease.txt, p. 1" in shown
    none = filled("amounts", "--unit", "JPY").out
    assert "percent (1)" in none
    assert "lease.txt" not in none


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code", "fact"),
    [
        (["entity", 'Zzyzx\' OR "%"'], "entity_not_found", "Zzyzx"),
        (["references", "ISO 31415"], "reference_not_found", "ISO 31415"),
        (["together", "4 per cent", "Qqqq"], "entity_not_found", "Qqqq"),
        (["related", "lise.txt"], "document_not_found", "lease.txt"),
        (["related", "lease.txt", "--relation", "amended"], "usage", "shared_entities"),
        (["timeline", "--from", "soon"], "usage", "soon"),
        (["timeline", "--source", "lease.txt"], "usage", "--add"),
        (["entity", "4 per cent", "--kind", "person", "--hide"], "entity_not_found", "person"),
        (["read", "lease.txt", "--pages", "4-2"], "usage", "4"),
        (["amounts", "--min", "5", "--max", "2"], "usage", "5"),
        (["changes", "lease.txt", "lease.txt"], "usage", '"lease.txt"'),
        (["similar", "x"], "chunk_not_found", "x"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_cannot_be_done_on_real_documents_is_reported(
    filled: Run, words: list[str], code: str, fact: str
) -> None:
    ended = filled(*words, "--json")
    error = error_of(ended)
    assert (ended.code, error["code"]) == (2, code)
    assert fact in error["message"] + error["hint"]
