"""The ranking of the context edition: names, paths, lines and words of documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from casetrack.api.library import Library
from casetrack.base.arguments import Filter
from casetrack.base.config import load_settings
from casetrack.base.errors import EmbeddingsDisabled, UsageError
from casetrack.search.blend import BlendedDocument, BlendSettings, blended_search
from sourced import WORDS, sourced_collection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.api.collection import Collection

QUERIES = ["token refresh", "rollback", "schema migrate lock shard", "nothing of it", "the of"]


def documents(
    collection: Collection, query: str, mode: str | None = "keyword", **settings: float
) -> Sequence[BlendedDocument]:
    return blended_search(
        collection.workspace.state(),
        query,
        mode=mode,  # type: ignore[arg-type]
        where=Filter(),
        settings=BlendSettings(**settings),  # type: ignore[arg-type]
    ).documents


def ranked(collection: Collection, query: str, mode: str | None, **settings: float) -> list[str]:
    return [each.match.document_id for each in documents(collection, query, mode, **settings)]


@pytest.mark.parametrize("query", QUERIES)
def test_meaning_alone_is_the_list_itself(
    sourced: Collection, passages: dict[str, list[str]], query: str
) -> None:
    of = {chunk: document for document, chunks in passages.items() for chunk in chunks}
    best: dict[str, float] = {}
    for hit in sourced.search(query, mode="semantic", limit=80, fold=False):
        document = of[hit.chunk_id]
        best[document] = max(hit.score, best.get(document, -1.0))
    alone = ranked(sourced, query, "semantic")
    expected = pytest.approx(sorted(best.values(), reverse=True)[:12], rel=1e-5)
    assert [best[document] for document in alone] == expected
    assert ranked(sourced, query, "hybrid", hybrid_alpha=1.0) == alone
    assert ranked(sourced, query, "hybrid", hybrid_alpha=0.0) == ranked(sourced, query, "keyword")


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
def test_the_score_is_a_probability_that_falls_with_the_rank(
    sourced: Collection, mode: str
) -> None:
    for query in QUERIES:
        scores = [each.match.score for each in documents(sourced, query, mode)]
        assert scores == sorted(scores, reverse=True)
        assert all(0.0 < score < 1.0 for score in scores)


FILES = {
    "tree/grow.go": "package tree\n\n// Grow adds rings.\nfunc (t *Tree) Grow(by int) {\n"
    "\tt.rings += by\n}\n\nconst MaxRings = 900\n",
    "tree/tree.go": "package tree\n\ntype Tree struct {\n\trings int\n}\n",
    "tree/grow_test.go": "package tree\n\nfunc TestGrow(t *testing.T) {\n\tvar tree Tree\n"
    "\ttree.Grow(MaxRings)\n\ttree.Grow(1)\n\t// Grow adds rings, Tree.Grow, MaxRings.\n}\n",
    "wood/fell.py": "class Saw:\n    def fell(self, tree):\n        return tree.grow()\n\n\n"
    + "\n".join(f"STEP_{n} = {n}" for n in range(400))
    + "\n\n\ndef stack_logs(logs):\n    raise ValueError('the pile of logs is full')\n",
    "wood/main.py": "from tools import split_it, carry_it, plane_it\n",
    "tree/sensor.go": "package tree\n\n"
    "func measureWaterLevel() int {\n\treturn pins.read(4) * 3\n}\n",
    "wood/report.py": "# Measure the water level: measure water, measure level.\n"
    "rows = read('measure water level')\nprint('water level', rows)\n",
    "CHANGES.md": "# Changes\n\nTree.Grow adds rings. MaxRings, stack_logs in fell.py.\n",
}
for each in ("split", "carry", "plane"):
    FILES[f"tools/{each}.py"] = f"def {each}_it(log):\n    return log.{each}()\n"
    FILES[f"checks/{each}_seen.py"] = (
        f"def sees_{each}():\n    # {each} logs to the yard, {each} logs\n    {each}_it(logs)\n"
        f"    raise ValueError('{each} is not what was asked')\n"
    )


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    root = tmp_path_factory.mktemp("code")
    for name, text in FILES.items():
        (root / "src" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "src" / name).write_text(text)
    collection = Library(load_settings(root / "data")).create("code")
    collection.ingest(root / "src")
    return collection


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("grow.go", "tree/grow.go"),
        ("tree/tree.go", "tree/tree.go"),
        ("/srv/src/wood/fell.py", "wood/fell.py"),
        ("Grow", "tree/grow.go"),
        ("Tree.Grow", "tree/grow.go"),
        ("MaxRings", "tree/grow.go"),
        ("Tree", "tree/tree.go"),
        ("stackLogs", "wood/fell.py"),
        ("TestGrow", "tree/grow_test.go"),
        ("where does a tree add rings", "tree/grow.go"),
        ('"the pile of logs is full"', "wood/fell.py"),
        ("measure the water level", "tree/sensor.go"),
        # Files of checks extend other names by a word; no other file uses their definitions.
        ("split logs to the yard", "tools/split.py"),
        ("seen: split logs to the yard", "checks/split_seen.py"),
        ("sees_plane", "checks/plane_seen.py"),
        ('"carry is not what was asked"', "checks/carry_seen.py"),
    ],
)
def test_the_definition_is_before_its_use(code: Collection, query: str, first: str) -> None:
    names = {d.document_id: d.path for d in code.documents()}
    assert names[ranked(code, query, "keyword")[0]].endswith(first)


@pytest.mark.parametrize("query", ["fell.py:390", 'File "/src/wood/fell.py", line 390, in fell'])
def test_a_line_of_a_file_is_found(code: Collection, query: str) -> None:
    best = documents(code, query)[0]
    assert best.match.line == 390
    state = code.workspace.state()
    assert "STEP_384 " in state.index.texts([best.chunks[0].chunk])[best.chunks[0].chunk]


def test_what_cannot_be_is_refused(library: Library) -> None:
    for name, value, allowed in [
        ("hybrid_alpha", 1.2, "0 and 1"),
        ("candidate_k_keyword", 0, "1 .* 1,000"),
        ("final_limit", 1001, "1 .* 1,000"),
        ("max_chunks_per_doc", 0, "1 "),
    ]:
        with pytest.raises(UsageError, match=f"{name}.* .*{allowed}"):
            BlendSettings(**{name: value})
    bare = sourced_collection(library, 3, vectors=False)
    for mode in ("hybrid", "semantic"):
        with pytest.raises(EmbeddingsDisabled, match=mode):
            ranked(bare, WORDS[0], mode)
    assert ranked(bare, WORDS[0], None) == ranked(bare, WORDS[0], "keyword")
