"""Two collections of the same files answer alike, whatever ids and order of adding they have."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.ingest.pipeline import Tools
from casetrack.store.session import write_session
from fakes import FakeEncoders, WordEncoder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from casetrack.api.collection import Collection

WORDS = ("rent", "notice", "harbour", "deed", "loan", "survey", "repair", "board")
PEOPLE = ("Ms. Ada Lind", "Mr. Bo Krantz", "Dr. Cara Voss", "Mr. Dirk Hahn")
FIRMS = ("Mill Harbour Ltd", "Lind & Sons GmbH", "Voss Freight Inc.")
_DAY = datetime(2021, 5, 1, tzinfo=UTC)
_TIMES = dict.fromkeys(("file_modified_at", "ingested_at", "updated_at"), _DAY)
_VOLATILE = re.compile(r"(_at|seconds|storage_bytes|row_id|^collection\w*|_ms|last_updated)$")


def texts(count: int, seed: int) -> dict[str, list[str]]:
    """Return pages of documents: few words, people and days, so that many scores are equal."""
    chance = random.Random(seed)
    by_name = {}
    for number in range(count):
        pages = []
        for _ in range(chance.choice([1, 1, 2, 3])):
            day, month = chance.randint(1, 4), chance.choice(["March", "April"])
            one, other = chance.sample(PEOPLE, 2)
            pages.append(
                f"# The {chance.choice(WORDS)}\n\nOn {day} {month} 2021 {one} of "
                f"{chance.choice(FIRMS)} wrote to {other} about the {chance.choice(WORDS)}.\n\n"
                f"The {chance.choice(WORDS)} costs EUR {chance.choice([500, 700])}. See "
                f"{chance.choice(['Case No. 21-117', 'Invoice 4711', 'Section 12'])}."
            )
        by_name[f"/files/{chance.choice('ab')}/{number:03d}.txt"] = pages
    for path in list(by_name)[: count // 4]:
        by_name[path.replace(".txt", " copy.txt")] = by_name[path]
    return by_name


def made(home: Path, files: Mapping[str, list[str]], seed: int, store_text: Any) -> Collection:
    """Store files in an order, and in commits, that depend on the seed."""
    chance, encoder = random.Random(seed), WordEncoder("mini", token_width=None)
    library = Library(replace(load_settings(home), models_dir=home / "no-models"))
    library.encoders = FakeEncoders(encoder)  # type: ignore[assignment]
    collection = library.create("Case", profile="mini")
    left = sorted(files)
    chance.shuffle(left)
    while left:
        with write_session(collection.folder) as session:
            for path in [left.pop() for _ in range(min(len(left), chance.randint(1, 9)))]:
                name = path.rpartition("/")[2]
                tools = Tools(encoder=encoder)
                store_text(session, name, *files[path], tools=tools, path=path, **_TIMES)
        if chance.random() < 0.4:
            collection.search("rent")
    return collection


class Plain:
    """Answers of a collection without random values."""

    def __init__(self, collection: Collection) -> None:
        self.names = {collection.info.id: "collection"}
        documents = collection.documents()
        self.names |= {d.document_id: d.path for d in documents}
        self.names |= {d.revision: f"revision of {d.path}" for d in documents}
        for d in documents:
            for chunk in collection.read.chunks(d.document_id):
                place = chunk.provenance
                self.names[place.chunk_id] = f"{d.path}#{place.chunk_index}"

    def __call__(self, value: Any) -> Any:
        if hasattr(value, "as_dict"):
            value = value.as_dict()
        if hasattr(value, "to_pylist"):
            # Rows of SQL have no order where the statement names none.
            return sorted((self(row) for row in value.to_pylist()), key=repr)
        if isinstance(value, dict):
            return {self(k): self(v) for k, v in value.items() if not _VOLATILE.search(str(k))}
        if isinstance(value, str):
            for known in re.findall(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16}-\d{6}", value):
                value = value.replace(known, self.names.get(known, known))
            return value
        if isinstance(value, float):
            return round(value, 9)
        if isinstance(value, set | frozenset):
            return sorted(map(str, map(self, value)))
        if isinstance(value, list | tuple) or hasattr(value, "__iter__"):
            return [self(each) for each in value]
        return value


def questions(count: int) -> list[tuple[str, Callable[[Collection], Any]]]:
    """Return searches of all kinds by name."""
    chance, result = random.Random(7), list[tuple[str, Any]]()
    for number in range(count):
        words = " ".join(chance.sample([*WORDS, "Lind", "Krantz", "2021"], chance.randint(1, 3)))
        mode = chance.choice(["keyword", "semantic", "hybrid", "full"])
        limit, fold = chance.choice([3, 7, 40]), chance.random() < 0.7

        def search(c: Collection, words=words, mode=mode, limit=limit, fold=fold) -> Any:
            return c.search(words, mode=mode, limit=limit, fold=fold, related=3)

        result.append((f"{number} {mode} {words} {limit} {fold}", search))
    for words in WORDS:
        for function in ("search", "bm25"):
            statement = f"SELECT * FROM {function}('{words} Lind', k := 5)"
            result.append((statement, lambda c, s=statement: c.sql(s).to_pylist()))
    return result


def walks(c: Collection) -> list[Any]:
    """Return rows of SQL in their order; of an undirected edge the smaller id is the source."""
    names = {d.path: d.document_id for d in c.documents()}
    one, other = names[min(names)], names[max(names)]
    path = "from_id, to_id, type, weight, evidence"
    statements = [
        f"SELECT {path} FROM shortest_path('{one}', '{other}')",
        "SELECT * FROM components(types => ['similar', 'version', 'same_thread'])",
        f"FROM neighbours('{one}', depth => 2)",
    ]
    firm = min(e.entity_id for e in c.map.entities(kind="organization", limit=None))
    people = sorted(e.entity_id for e in c.map.entities(kind="person", limit=None))
    statements += [f"SELECT {path} FROM shortest_path('{firm}', '{p}')" for p in people]
    return [row for s in statements for row in c.sql(s).to_pylist()]


def answers() -> dict[str, Callable[[Collection], Any]]:
    """Return all questions to the map."""

    def first(c: Collection) -> str:
        return min(c.documents(), key=lambda d: d.path).document_id

    def second(c: Collection) -> str:
        return sorted(c.documents(), key=lambda d: d.path)[1].document_id

    def firms(c: Collection) -> list[str]:
        return sorted(e.name for e in c.map.entities(kind="organization", limit=None))[:2]

    def reference(c: Collection) -> str:
        return min(r.name for r in c.map.references(limit=None))

    return {
        "summary": lambda c: c.map.summary(),
        "statistics": lambda c: c.map.statistics(),
        "versions": lambda c: c.map.versions(),
        "timeline": lambda c: c.map.timeline(limit=None),
        "topics": lambda c: c.map.topics(),
        **{s: lambda c, s=s: c.map.clusters(s) for s in ("topical", "entity", "reference")},
        "entities": lambda c: c.map.entities(limit=None),
        "find": lambda c: c.map.find_entity("Lind"),
        "mentions": lambda c: c.map.entity_mentions(firms(c)[0]),
        "encounters": lambda c: c.map.encounters(firms(c), limit=None),
        "graph": lambda c: c.map.graph(),
        "around": lambda c: c.map.graph(firms(c)[0]),
        "references": lambda c: c.map.references(limit=None),
        "citations": lambda c: c.map.reference_citations(reference(c), limit=None),
        "related": lambda c: c.map.related_documents(first(c), limit=None),
        "similar": lambda c: c.map.similar_chunks(c.read.chunks(first(c))[0].provenance.chunk_id),
        "compare": lambda c: c.map.compare(first(c), second(c), "rent"),
        "amounts": lambda c: c.map.amounts(limit=None),
        "of document": lambda c: c.map.document_entities(first(c)),
        "documents": lambda c: c.documents(),
        "chunks": lambda c: c.sql("SELECT chunk_id FROM bm25('rent', k := 1000)"),
        # Of an undirected edge the smaller id is the source.
        "edges": lambda c: c.sql(
            "SELECT * REPLACE (CASE WHEN directed THEN source_id END AS source_id,"
            " CASE WHEN directed THEN target_id END AS target_id) FROM edges"
        ),
        "walks": walks,
        "entity table": lambda c: sorted(c.sql("SELECT * FROM entities").to_pylist(), key=repr),
        "topic table": lambda c: sorted(c.sql("SELECT * FROM topics").to_pylist(), key=repr),
    }


def differing(one: Collection, other: Collection, count: int) -> list[str]:
    """Return the questions that two collections answer differently."""
    plain = [(c, Plain(c)) for c in (one, other)]
    every = [*questions(count), *answers().items()]
    return [name for name, ask in every if len({repr(p(ask(c))) for c, p in plain}) > 1]


def test_equal_collections_answer_alike(tmp_path: Path, store_text: Any) -> None:
    files = texts(10, 1)
    one, other = (made(tmp_path / str(seed), files, seed, store_text) for seed in (1, 2))
    assert differing(one, other, 15) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_many_equal_collections_answer_alike(tmp_path: Path, store_text: Any, seed: int) -> None:
    files = texts(150, seed)
    one, other = (made(tmp_path / str(n), files, 10 * seed + n, store_text) for n in (1, 2))
    assert differing(one, other, 300) == []
