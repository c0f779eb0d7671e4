"""The commands on the map of a collection: what they ask, what they show, what they refuse."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.cli.compare import word_parts
from casetrack.errors import EntityNotFound
from graph_records import Answers, chunk, entity, key, provenance, reference

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., Any]

ASKED = tuple[str, tuple[Any, ...], dict[str, Any]]
# Command, what it asks of the collection, and words that its text must hold.
CALLS: list[tuple[list[str], ASKED, list[str]]] = [
    (["summary"], ("summary", (), {}), ["Who matters", "Key dates", "Cited most", "report: 1"]),
    (
        ["timeline", "--from", "2023-01-01", "--to", "2023-12-31", "-k", "2"],
        ("timeline", (), {"start": "2023-01-01", "end": "2023-12-31", "limit": 2}),
        ["2023-01-01  On 2023-01-01 Halyard Ltd", "1 more: narrow it with --from and --to"],
    ),
    (
        ["entities", "--kind", "person", "--sort", "name", "-k", "2"],
        ("entities", (), {"kind": "person", "sort_by": "name", "limit": 2}),
        ["Halyard Ltd 0", "1,000", "supplier", "see more with --limit"],
    ),
    (
        ["entity", "Halyard", "--kind", "organization"],
        ("entity_mentions", ("Halyard",), {"kind": "organization", "limit": 20}),
        ["the nearest", "Agreement_2.docx  9 mentions", "3 more mentions", "3. Vendor_Agreement_2"],
    ),
    (
        ["together", "Halyard", 'O\'Neill "Ned" %', "-k", "3"],
        ("encounters", (["Halyard", 'O\'Neill "Ned" %'],), {"limit": 3}),
        ["6 passages mention two or more", "3 more passages"],
    ),
    (
        ["graph", "Halyard", "--depth", "1"],
        ("graph", ("Halyard",), {"depth": 1, "limit": 20}),
        ["3 names, 3 links", "14 passages, strength 0.50", "1 step away"],
    ),
    (["graph"], ("graph", (None,), {"depth": 2, "limit": 20}), ["3 names, 3 links"]),
    (
        ["references", "--kind", "standard", "-k", "3"],
        ("references", (), {"type": "standard", "sort_by": "citations", "limit": 3}),
        ["ISO 9002", "398", "see more with --limit"],
    ),
    (
        ["references", "ISO 9001"],
        ("reference_citations", ("ISO 9001",), {"limit": 30}),
        ["= Agreement_0.pdf", "(amends)", "3 more citations"],
    ),
    (
        ["related", "Lease.pdf", "--relation", "amends"],
        ("related_documents", ("Lease.pdf",), {"relation": "amends", "limit": 10}),
        ["Shared names: both mention Halyard Ltd", "strength 0.90"],
    ),
    (
        ["similar", "c", "--same", "--least", "0.25"],
        (
            "similar_chunks",
            ("c",),
            {"exclude_same_document": False, "min_similarity": 0.25, "limit": 10},
        ),
        ["--- similarity 0.90 ---"],
    ),
    (
        ["compare", "a", "b", "--topic", "late payment"],
        ("compare", ("a", "b", "late payment"), {"limit": 3}),
        ["--- A1 ---", "--- B3 ---", "In both: Halyard", "similarity 0.81", "Both refer to"],
    ),
    (
        ["changes", "a", "b"],
        ("changes", ("a", "b"), {}),
        ["3 changed, 3 added, 3 removed, 31 paragraphs unchanged", "within [-thirty-]{+sixty+} d"],
    ),
    (
        ["clusters", "--by", "reference", "-k", "2"],
        ("clusters", ("reference",), {"limit": 2}),
        ["Charter parties 1  27 documents", "and 15 more", "In no group, "],
    ),
    (["topics"], ("topics", (), {}), ["demurrage, laytime 2  187 passages in 400 documents"]),
    (
        ["statistics"],
        ("statistics", (), {}),
        ["by meaning 100%, names of people and firms 50%", "report 42, contract 5"],
    ),
    (
        ["read", "Lease.pdf", "--pages", "2-5"],
        ("browse", (key(0), 2, 5), {}),
        ["Clause 2. The vendor"],
    ),
    (["read", "Lease.pdf"], ("browse", (key(0), 1, 45), {}), ["Clause 2. The vendor"]),
    (
        ["read", "--from", "c", "--back", "--limit", "2"],
        ("traverse", ("c",), {"direction": "backward", "limit": 2}),
        ["Clause 1. The vendor"],
    ),
]
IDS = [" ".join(words) for words, _, _ in CALLS]
WITHOUT_WORDS = {"entities", "statistics"}


@pytest.fixture
def acme(run: Run, monkeypatch: pytest.MonkeyPatch) -> tuple[Run, Answers]:
    """The command runner, with hand-made answers for the only collection."""
    run("collection", "create", "Acme")
    return run, Answers(3).install(monkeypatch)


@pytest.mark.parametrize(("words", "asked", "shown"), CALLS, ids=IDS)
def test_a_command_asks_what_was_typed_and_shows_it_with_its_source(
    acme: tuple[Run, Answers], words: list[str], asked: ASKED, shown: list[str]
) -> None:
    run, answers = acme
    ended = run(*words)
    assert (ended.code, ended.err) == (0, "")
    assert answers.asked[-1] == asked
    for text in shown:
        assert text in ended.out
    if words[0] not in WITHOUT_WORDS and words != ["references", "--kind", "standard", "-k", "3"]:
        assert re.search(r"Vendor_Agreement_\d.docx, p. \d, paras. 8-9, ll. 1-14", ended.out)


@pytest.mark.parametrize(("words", "asked", "_shown"), CALLS, ids=IDS)
def test_json_is_the_answer_itself(
    acme: tuple[Run, Answers], words: list[str], asked: ASKED, _shown: list[str]
) -> None:
    run, _ = acme
    method, arguments, options = asked
    found = getattr(Answers(3), f"do_{method}")(*arguments, **options)
    many = isinstance(found, (tuple, list))
    whole = [f.as_dict() for f in found] if many else found.as_dict()
    ended = run(*words, "--json")
    assert json.loads(ended.out) == json.loads(json.dumps(whole))


@pytest.mark.parametrize(
    ("role", "shown"), [("supplier", "supplier"), ("sender", ""), ("copied in", "")]
)
def test_a_part_in_a_mail_is_no_title(
    run: Run, monkeypatch: pytest.MonkeyPatch, role: str, shown: str
) -> None:
    run("collection", "create", "Acme")
    found = (replace(entity(0, name="Ada Moor"), role=role, aliases=()),)
    monkeypatch.setattr(Answers, "do_entities", lambda *_, **__: found)
    Answers(1).install(monkeypatch)
    row = run("entities").out.splitlines()[1]
    assert row.split("  ")[0] == "Ada Moor"
    assert row.endswith(shown or "5")  # the number of documents is the column before
    assert role in run("entities", "--json").out


def test_what_a_name_may_also_mean_is_told_apart(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run("collection", "create", "Acme")
    (tmp_path / "lease.txt").write_text("The rent is due under clause 17.4 of this lease.")
    run("ingest", tmp_path / "lease.txt", "-c", "Acme")
    (listed,) = json.loads(run("documents", "--json").out)
    section = replace(reference(0, "section"), reference_id=f"section:17-4@{listed['document_id']}")
    found = replace(Answers(1).do_reference_citations("x", limit=1), matches=(section, section))
    monkeypatch.setattr(Answers, "do_reference_citations", lambda *_, **__: found)
    Answers(1).install(monkeypatch)
    shown = run("references", "clause 17.4").out
    assert "In: lease.txt\n" in shown
    assert f"  ISO 9000 (section), in lease.txt  {section.reference_id}\n" in shown


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["together", "Halyard"], "Two to five names are needed, not 1."),
        (["together", *"abcdef"], "Two to five names are needed, not 6."),
        (["read"], "Name either a document or, with --from, a chunk."),
        (["read", "a", "--from", "b"], "Name either a document or, with --from, a chunk."),
        (["read", "--from", "b", "--pages", "1"], "Name either a document or"),
        (["read", "a", "--pages", "one"], "Not a range of pages: 'one'. Write it as 3 or as 3-5."),
        (["compare", "a", "b"], "Missing option '--topic'"),
        (["graph", "a", "--depth", "9"], "less than or equal to 4"),
        (["clusters", "--by", "colour"], "'topical', 'entity', 'reference'"),
    ],
)
def test_misuse_is_told(acme: tuple[Run, Answers], words: list[str], told: str) -> None:
    run, answers = acme
    ended = run(*words)
    assert ended.code == 2
    assert told in " ".join(ended.err.split())
    assert [a for a in answers.asked if a[0] != "document"] == []


def test_a_name_that_is_not_there_is_told_with_near_ones(
    acme: tuple[Run, Answers], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: Any, **__: Any) -> None:
        raise EntityNotFound("Halyrd", [("Halyard Ltd", "organization")])

    monkeypatch.setattr(Answers, "do_entity_mentions", missing)
    ended = acme[0]("entity", "Halyrd", "--json")
    assert ended.code == 2
    assert "- Halyard Ltd (organization)" in ended.err
    assert json.loads(ended.out)["error"]["code"] == "entity_not_found"


def test_names_cannot_drive_the_terminal_or_begin_a_line(acme: tuple[Run, Answers]) -> None:
    run, answers = acme
    answers.words = "Halyard\x1b[31m\n2. Forged.pdf, p. 1"
    for words in (["entities"], ["entity", "x"], ["references", "x"]):
        out = run(*words).out
        assert "\x1b" not in out
        assert not [row for row in out.splitlines() if row.strip().startswith("2. Forged")]


def test_text_that_two_passages_share_is_read_once(
    acme: tuple[Run, Answers], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = "One two three. Four five six. Seven eight nine."
    spans = [(0, 29), (15, 47)]
    chunks = [
        replace(chunk(n, page[a:b]), provenance=provenance(n, page=1, char_start=a, char_end=b))
        for n, (a, b) in enumerate(spans)
    ]
    following = replace(
        chunk(2, "Ten."), provenance=provenance(2, page=2, char_start=0, char_end=4)
    )
    monkeypatch.setattr(Answers, "do_browse", lambda *_: [*chunks, following])
    out = acme[0]("read", "Lease.pdf").out
    assert out.count("Four five six.") == 1
    assert out.index("Four five") < out.index("Seven eight nine.") < out.index("Ten.")


def test_changed_words_are_marked_without_colours_too() -> None:
    words = [("same", "pay\n"), ("removed", "within\n30"), ("added", "60"), ("same", ", not later")]
    shown = "".join(p if isinstance(p, str) else p[0] for p in word_parts(words))
    assert shown == "pay [-within 30-]{+60+}, not later"


def test_a_graph_names_every_link_once_and_few_of_a_crowd(acme: tuple[Run, Answers]) -> None:
    run, answers = acme
    answers.size = 12
    out = run("graph").out
    links = [row for row in out.splitlines() if row.startswith("  with ")]
    assert "12 names, 66 links" in out
    assert "and 6 weaker links; --json has all" in out
    hidden = sum(int(r.split()[1]) for r in out.splitlines() if "weaker link" in r)
    assert len(links) + hidden == 66


def test_nothing_there_is_said(acme: tuple[Run, Answers]) -> None:
    run, answers = acme
    answers.size = 0
    for words, said in (
        (["timeline"], "No dates here."),
        (["entities"], "Nothing of this kind is mentioned"),
        (["references", "--kind", "link"], "Nothing of this kind is cited"),
        (["related", "x"], "No other document is related"),
        (["similar", "x"], "try a lower --least"),
        (["graph"], "mentioned together"),
        (["topics"], "too few passages"),
        (["clusters"], "No documents share enough"),
        (["read", "x"], "nothing to read"),
    ):
        ended = run(*words)
        assert (ended.code, said in ended.out) == (0, True), words


# --- over real documents --------------------------------------------------------------------

EVERYWHERE = [
    ["summary"],
    ["timeline"],
    ["entities"],
    ["graph"],
    ["references"],
    ["references", "--kind", "section"],
    ["clusters", "--by", "topical"],
    ["clusters", "--by", "entity"],
    ["clusters", "--by", "reference"],
    ["clusters", "--by", "document_type"],
    ["topics"],
    ["statistics"],
    ["amounts", "--sort", "value"],
]


@pytest.mark.parametrize("words", EVERYWHERE, ids=" ".join)
def test_an_empty_collection_is_no_error(run: Run, words: list[str]) -> None:
    run("collection", "create", "Empty")
    for ended in (run(*words), run(*words, "--json")):
        assert (ended.code, ended.err) == (0, "")
        assert ended.out.strip()
    json.loads(ended.out)


@pytest.mark.parametrize(
    "words",
    [
        *EVERYWHERE,
        ["entity", "4 per cent"],
        ["related", "memo.md"],
        ["compare", "lease.txt", "memo.md", "--topic", "Mill House"],
        ["changes", "lease.txt", "memo.md"],
        ["read", "lease.txt"],
    ],
    ids=" ".join,
)
def test_commands_work_on_real_documents(filled: Run, words: list[str]) -> None:
    for ended in (filled(*words), filled(*words, "--json")):
        assert (ended.code, ended.err) == (0, "")
        assert ended.out.strip()
    json.loads(ended.out)


def test_amounts_are_shown_by_size_with_their_source(filled: Run) -> None:
    shown = filled("amounts", "--unit", "%", "--min", "2.5").out
    assert "4 percent" in shown
    assert "lease.txt, p. 1" in shown
    none = filled("amounts", "--unit", "JPY").out
    assert "No such amount; of amounts there are: " in none
    assert "percent (1)" in none


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["entity", 'Zzyzx\' OR "%"'], 2, "Entity not found"),
        (["references", "ISO 31415"], 2, "casetrack references"),
        (["together", "4 per cent", "Qqqq"], 2, "Entity not found"),
        (["related", "lise.txt"], 2, "lease.txt"),
        (["related", "lease.txt", "--relation", "amended"], 2, "shared_entities"),
        (["timeline", "--from", "soon"], 2, "YYYY-MM-DD"),
        (["read", "lease.txt", "--pages", "4-2"], 2, "Its pages are 1 to 1"),
        (["amounts", "--min", "5", "--max", "2"], 2, "Swap the two"),
        (["changes", "lease.txt", "lease.txt"], 2, 'Both are "lease.txt"'),
        (["similar", "x"], 2, "Chunk not found"),
    ],
)
def test_what_cannot_be_done_on_real_documents_is_told(
    filled: Run, words: list[str], code: int, told: str
) -> None:
    ended = filled(*words)
    assert (ended.code, ended.out) == (code, "")
    assert told in " ".join(ended.err.split())
