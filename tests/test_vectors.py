"""Vectors as tools of a user's own find them: searched by LanceDB, unpacked to numbers."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import lancedb
import numpy as np
import pytest
from lancedb.index import IvfSq

import casetrack
from casetrack.encoders import Encoders
from casetrack.models.token_matrix import TokenForm, token_form

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.collection import Collection

QUESTION = "termination for convenience"


def cosines(collection: Collection, dense: np.ndarray) -> dict[str, float]:
    """Return the cosine of every live chunk by its id."""
    rows = collection.workspace.state().snapshot.scan(["chunk_id", "dense"])
    matrix = np.array(rows["dense"].to_pylist(), np.float32)
    return dict(zip(rows["chunk_id"].to_pylist(), (matrix @ dense).tolist(), strict=True))


def test_lancedb_finds_the_nearest_vectors(demo: Collection) -> None:
    asked = casetrack.question_vectors(demo, QUESTION)
    true = cosines(demo, asked.dense)
    query = (
        demo.read.table().search(asked.dense, vector_column_name="dense").distance_type("cosine")
    )
    found = query.select(["chunk_id", "_distance"]).limit(10).to_list()
    assert {r["chunk_id"] for r in found} == set(sorted(true, key=lambda i: -true[i])[:10])
    for row in found:
        assert 1 - row["_distance"] == pytest.approx(true[row["chunk_id"]], abs=1e-5)


def test_lance_can_index_them(demo: Collection, tmp_path: Path) -> None:
    """On a copy: an index is a change, and changes are for one writer at a time."""
    asked = casetrack.question_vectors(demo, QUESTION)
    true = cosines(demo, asked.dense)
    shutil.copytree(demo.folder / "chunks.lance", tmp_path / "chunks.lance")
    table = lancedb.connect(tmp_path).open_table("chunks")
    table.create_index("dense", config=IvfSq(distance_type="cosine", num_partitions=2))
    query = table.search(asked.dense, vector_column_name="dense").distance_type("cosine")
    found = query.nprobes(2).refine_factor(5).select(["chunk_id"]).limit(10)
    assert "ANNSubIndex" in found.explain_plan(verbose=True)
    ids = {row["chunk_id"] for row in found.to_list()}
    assert len(ids & set(sorted(true, key=lambda i: -true[i])[:10])) >= 9


def test_unpacked_matrices_rank_as_the_program_does(demo: Collection) -> None:
    asked = casetrack.question_vectors(demo, QUESTION)
    assert asked.tokens is not None
    packed = demo.read.table().search().select(["tokens"]).limit(50).to_arrow()["tokens"]
    rows = casetrack.unpack_tokens(packed)
    assert all(r.dtype == np.float32 and r.shape[1] == asked.tokens.shape[1] for r in rows)
    maxsim = [float((asked.tokens @ r.T).max(axis=1).mean()) for r in rows]
    encoder = Encoders.of(demo.workspace.settings).get("mini")
    form = token_form(encoder)
    states = encoder.encode_query(QUESTION).tokens
    assert form is not None
    assert form.score(states, packed.to_pylist()).tolist() == pytest.approx(maxsim, abs=1e-5)


@pytest.mark.parametrize("bits", [1, 4])
def test_rows_say_what_was_packed(bits: int) -> None:
    rng = np.random.default_rng(bits)
    states = rng.standard_normal((7, 64)).astype(np.float32)
    rows = states / np.linalg.norm(states, axis=1, keepdims=True)
    form = TokenForm("plain", 64, 1, bits)
    (found, none) = casetrack.unpack_tokens([form.pack(states), None])
    assert none is None
    # The factor takes the bias out: the product of a row with itself before rounding is 1.
    assert np.einsum("ij,ij->i", found, rows) == pytest.approx(1.0, abs=1e-2)
    assert found.shape == rows.shape


def test_what_is_no_matrix_is_refused() -> None:
    for bad in (b"", b"\x01", b"\x03\x40\x00", b"\x01\x40\x00rest"):
        with pytest.raises(ValueError, match=r"\w"):
            casetrack.unpack_tokens([bad])
