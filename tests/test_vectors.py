"""Vectors for other tools: searched by LanceDB, unpacked to numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import casetrack
from casetrack.models.encoders import Encoders
from casetrack.models.token_matrix import token_form

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

QUESTION = "termination for convenience"


def cosines(collection: Collection, dense: np.ndarray) -> dict[str, float]:
    """Return the cosine of every live chunk by its id."""
    rows = collection.workspace.state().snapshot.scan(["chunk_id", "dense"])
    matrix = np.array(rows["dense"].to_pylist(), np.float32)
    return dict(zip(rows["chunk_id"].to_pylist(), (matrix @ dense).tolist(), strict=True))


@pytest.mark.needs("lancedb")
def test_lancedb_finds_the_nearest_vectors(demo: Collection) -> None:
    asked = casetrack.question_vectors(demo, QUESTION)
    true = cosines(demo, asked.dense)
    query = (
        demo.read.table().search(asked.dense, vector_column_name="dense").distance_type("cosine")
    )
    result = query.select(["chunk_id", "_distance"]).limit(10).to_list()
    assert {r["chunk_id"] for r in result} == set(sorted(true, key=lambda i: -true[i])[:10])
    for row in result:
        assert 1 - row["_distance"] == pytest.approx(true[row["chunk_id"]], abs=1e-5)


@pytest.mark.needs("lancedb")
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


def test_what_is_no_matrix_is_refused() -> None:
    for bad in (b"", b"\x01", b"\x03\x40\x00", b"\x01\x40\x00rest"):
        with pytest.raises(ValueError, match=r"\w"):
            casetrack.unpack_tokens([bad])
