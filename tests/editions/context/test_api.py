"""Operations behind the faces of the edition: search, get and sources of one collection."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.errors import AmbiguousName, DocumentNotFound, UsageError
from casetrack.editions.context import api
from casetrack.search.documents import FIELDS
from sourced import sourced_collection

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

HIT = {"id", "score", "title", "source", "source_id", "updated_at", "snippet", "source_url"}
READ = {"id", "source", "source_id", "source_url", "title", "author", "created_at", "updated_at",
        "content_type", "body", "metadata", "chunks"}  # fmt: skip
QUERY = "refresh the session token"


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return sourced_collection(Library(load_settings(tmp_path_factory.mktemp("api") / "data")))


def told(result: Any) -> Any:
    """Return the JSON form, as it goes over a wire."""
    return json.loads(json.dumps(result.as_dict()))


@pytest.mark.slow
@pytest.mark.parametrize("mode", [None, "keyword", "semantic", "hybrid", "full"])
def test_a_result_is_a_document_with_its_place(collection: Collection, mode: Any) -> None:
    answers = api.search(collection, QUERY, mode=mode)
    answer = told(answers)
    assert answer["mode"] == (mode or "hybrid") or mode == "full"  # no token vectors are here
    assert 0 < len(answer["results"]) <= 12
    scores = [hit["score"] for hit in answer["results"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)
    for hit, record in zip(answer["results"], answers.results, strict=True):
        assert set(hit) > HIT
        assert "explain" not in hit
        assert len(hit["more"]) <= 2
        chunk, place = collection.read.chunk(hit["chunk_id"]), record.place.provenance
        start = place.char_start - chunk.provenance.char_start
        assert chunk.text[start : start + len(hit["snippet"])] == hit["snippet"]
        for other in (hit, *hit["more"]):
            chunk = collection.read.chunk(other["chunk_id"])
            assert chunk.provenance.chunk_index == other["index"]
            assert chunk.provenance.line_start <= other["line_start"]
            assert other["line_end"] <= chunk.provenance.line_end
        if (hit["source_url"] or "").endswith(".py"):
            lines = f"#L{hit['line_start']}"
            assert hit["url"].startswith(hit["source_url"] + lines)


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid", "full"])
def test_explained(collection: Collection, mode: Any) -> None:
    for hit in told(api.search(collection, QUERY, mode=mode, explain=True))["results"]:
        why = hit["explain"]
        assert why["alpha"] == {"keyword": 0.0, "semantic": 1.0, "hybrid": 0.6}.get(mode)
        if mode == "full":
            assert why["signals"]
            assert why["blended"] == hit["score"]
            continue
        blended = (1 - why["alpha"]) * why["keyword_normalised"]
        blended += why["alpha"] * why["vector_normalised"]
        assert why["blended"] == pytest.approx(blended, abs=2e-6)
        assert (why["keyword_score"] is None) == (mode == "semantic")
        assert (why["vector_score"] is None) == (mode == "keyword")
        assert set(why["fields"]) == set(FIELDS)


def test_filters_and_limit(collection: Collection) -> None:
    answer = api.search(collection, QUERY, sources="git", limit=3)
    assert [hit.source.partition(":")[0] for hit in answer.results] == ["git"] * 3
    answer = api.search(collection, QUERY, since="2024-01-01T00:00:00Z", limit=100)
    assert all(hit.updated_at.isoformat() >= "2024" for hit in answer.results)
    with pytest.raises(UsageError, match=r'"git:platfrom".* git:platform'):
        api.search(collection, QUERY, sources=["git:platfrom"])
    for query, limit in ((" ", 1), (QUERY, 0), (QUERY, 1001)):
        with pytest.raises(UsageError):
            api.search(collection, query, limit=limit)


def test_a_document_is_read_whole_and_in_parts(collection: Collection) -> None:
    document = next(d for d in collection.documents() if d.chunk_count > 2 and d.metadata)
    whole = told(api.get(collection, document.document_id))
    assert set(whole) > READ
    assert [c["index"] for c in whole["chunks"]] == list(range(document.chunk_count))
    pages = [page.text for page in collection.read.pages(document)]
    assert whole["body"] == "\n\n".join(pages)
    assert whole["metadata"] == dict(document.properties) | json.loads(document.metadata or "{}")
    assert (whole["author"], whole["next"]) == ("Ada", None)
    part = told(api.get(collection, document.document_id, first=1, count=1))
    assert [c["text"] for c in part["chunks"]] == [whole["chunks"][1]["text"]]
    assert (part["chunk_count"], part["next"]) == (document.chunk_count, 2)
    for named in (document.document_id[:8], document.path):
        assert told(api.get(collection, named)) == whole


def test_missing_objects_are_reported(collection: Collection) -> None:
    with pytest.raises(DocumentNotFound):
        api.get(collection, "nowhere/at-all.md")
    document = next(iter(collection.documents()))
    with pytest.raises(UsageError, match="99"):
        api.get(collection, document.document_id, first=99)
    with pytest.raises(UsageError, match="0"):
        api.get(collection, document.document_id, count=0)


def test_what_its_source_calls_it_names_a_document(collection: Collection) -> None:
    called = [d.source_id for d in collection.documents() if d.source_id]
    one = next(name for name in called if called.count(name) == 1)
    assert api.get(collection, one).source_id == one


def test_two_sources_may_call_two_documents_the_same(library: Library) -> None:
    from casetrack.store.session import write_session
    from conftest import store_text

    collection = library.create("Two")
    with write_session(collection.folder) as session:
        for source in ("git:web", "git:platform"):
            facts = {"source": source, "source_id": "docs/a.md", "path": f"{source}/docs/a.md"}
            store_text(session, "a.md", f"About {source}.", **facts)
    with pytest.raises(AmbiguousName, match=r"git:web/docs/a\.md"):
        api.get(collection, "docs/a.md")
    assert api.get(collection, "git:web/docs/a.md").source == "git:web"


def test_sources(collection: Collection) -> None:
    answer = told(api.sources(collection, configured=["git:platform", "git:new"]))["sources"]
    named = {each["name"]: each for each in answer}
    assert named["git:new"]["documents"] == 0
    assert (named["git:platform"]["configured"], named["git:web"]["configured"]) == (True, False)
    assert sum(each["documents"] for each in answer) == len(collection.documents())
    assert {"name", "configured", "healthy", "notes"} < set(answer[0])
    assert (named["git:new"]["healthy"], named["git:web"]["healthy"]) == (False, False)
    assert named["git:new"]["notes"]


def test_results_of_sources_that_the_config_lacks_are_stale(collection: Collection) -> None:
    answer = api.search(collection, QUERY, limit=100, configured=["git:platform"])
    assert {hit.stale for hit in answer.results if hit.source == "git:web"} == {True}
    assert {hit.stale for hit in answer.results if hit.source == "git:platform"} == {False}
    assert sum("git:web" in note for note in answer.notes) == 1
    document = next(d for d in collection.documents() if d.source == "git:web")
    assert api.get(collection, document.document_id, configured=["git:platform"]).stale


HERE = Path(__file__).with_name("lines")
FILES = {path.name: path.read_text("utf-8") for path in sorted(HERE.iterdir())} | {
    "long.py": "".join(
        f"def task_{n}(given):\n    found = given + {n}\n\n\n"
        f"    # {'zebra token renewed' * (n == 60)}\n"
        f"    return found * {n}\n\n\n"
        for n in range(90)
    ),
    "long.md": "".join(
        f"## Part {n}\n\nIt says {'zebra token renewed' * (n == 60)} here\n"
        "and there.\n\n\n- one\n- two\n\n"
        for n in range(90)
    ),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", FILES)
def test_an_address_opens_its_lines(library: Library, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(FILES[name], encoding="utf-8")
    collection = library.create("One")
    collection.ingest([path])
    hit = api.search(collection, "zebra token renewed", mode="keyword").results[0]
    url = f"https://github.com/acme/web/blob/4f1c/{name}"
    document = replace(next(iter(collection.documents())), source_url=url)
    address = api.address(document, hit.place.provenance)
    assert address is not None
    if name == "paged.txt":
        # Lines are numbered per page, so those of the file are unknown.
        assert address == url
        return
    numbers = [int(n) for n in re.findall(r"L(\d+)", address)]
    opened = "\n".join(FILES[name].splitlines()[numbers[0] - 1 : numbers[-1]])
    messages, shown = ("".join(re.findall(r"\w+", text)) for text in (hit.snippet, opened))
    assert messages in shown
    # No more than the text before and after it in the same line.
    assert len(shown) < len(messages) + 100
