"""Models that label tokens: their graph, and the names that are read from the labels."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest

from casetrack.base.config import Settings
from casetrack.base.errors import ModelCorrupt, ModelNotFound, UsageError
from casetrack.base.models.spec import Recipe
from casetrack.extract.names.labels import LabelTagger
from casetrack.models.bert_onnx import BertConfig, build_labels
from casetrack.models.encoders import Encoders
from casetrack.models.model import Model, Outputs
from casetrack.models.pull import pull
from models import textbook
from models.conftest import CONFIG, LAYERS, WIDTH, WORDS, random_weights

LABELS = "O B-MISC I-MISC B-PER I-PER B-ORG I-ORG B-LOC I-LOC"
COUNT = len(LABELS.split())


@pytest.fixture(scope="module")
def weights() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(11)
    return random_weights() | {
        "classifier.weight": rng.standard_normal((COUNT, WIDTH)).astype(np.float32),
        "classifier.bias": rng.standard_normal(COUNT).astype(np.float32),
    }


def test_float_labels_are_the_textbook_formula(weights: dict[str, np.ndarray]) -> None:
    config, ids = BertConfig.from_json(CONFIG), np.array([2, 4, 5, 6, 3])
    graph = build_labels(weights, config, labels=COUNT, quantize=False)
    session = ort.InferenceSession(graph, providers=["CPUExecutionProvider"])
    ended = session.run(["labels"], {"input_ids": ids[None]})[0][0]
    states = textbook.states(weights, config, ids)[LAYERS - 1]
    logits = states @ weights["classifier.weight"].T + weights["classifier.bias"]
    expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(ended, expected, atol=1e-4)


def test_a_head_of_other_labels_is_refused(weights: dict[str, np.ndarray]) -> None:
    with pytest.raises(ModelCorrupt, match=r"classifier\.weight"):
        build_labels(weights, BertConfig.from_json(CONFIG), labels=COUNT + 1)


def test_pulled_and_used(tmp_path, make_spec, memory, weights) -> None:
    from safetensors.numpy import save

    heads = ("classifier.",)
    named = {n if n.startswith(heads) else f"bert.{n}": t for n, t in weights.items()}
    files = {
        "config.json": json.dumps(CONFIG).encode(),
        "vocab.txt": "\n".join([*WORDS, "Lease"]).encode(),
        "model.safetensors": save(
            named
            | {
                "bert.embeddings.word_embeddings.weight": np.concatenate(
                    [weights["embeddings.word_embeddings.weight"], np.ones((1, WIDTH), np.float32)]
                )
            }
        ),
    }
    recipe = Recipe(kind="names", labels=LABELS, cased=True)
    spec = make_spec("labels", files, recipe=recipe, dimension=COUNT)
    pull(spec, tmp_path, sources=[memory(files)])
    tagger = LabelTagger(Model.open(tmp_path, "labels"))
    assert tagger.layers is None
    text = "the lease ends in may"
    spans = tagger.tag(f"context {text}", None, start=8)
    for span in spans:
        assert text[span.start : span.end] == span.text
        assert 0 < span.confidence <= 1
    assert tagger.tag("   ", None) == ()
    # Capitals count: the cased vocabulary has a separate row for the word.
    one, other = (tagger.model.encode(word, is_query=False).tokens for word in ("lease", "Lease"))
    assert one is not None
    assert other is not None
    assert not np.allclose(one, other)
    np.testing.assert_allclose(one.sum(axis=1), 1.0, atol=1e-5)


TEXT = "Ms Adaeze Okafor-Hill met O'Neill of ACME-Foods plc in Port Louis, Mauritius."
MARKS = {
    "Adaeze": "B-PER",
    "Okafor": "I-PER",
    "-": "I-PER",
    "Hill": "I-PER",
    "ACME": "B-ORG",
    "Foods": "I-ORG",
    "plc": "I-ORG",
    "Port": "B-LOC",
    "Louis": "I-LOC",
    "Mauritius": "B-LOC",
}


class Scripted:
    """A model with given labels of words; the second half of long words is wrong."""

    manifest = SimpleNamespace(
        name="scripted", fingerprint="0", recipe=Recipe(kind="names", labels=LABELS)
    )

    def encode(self, text: str, /, *, is_query: bool) -> Outputs:
        import re

        spans, rows = [], []
        for word in re.finditer(r"\w+|[^\w\s]", text):
            start, end = word.span()
            mark = MARKS.get(word.group(), "O")
            if word.group() == "-" and text[start - 1] == "E":
                mark = "I-ORG"
            pieces = [(start, end)]
            if end - start > 5:
                pieces = [(start, start + 3), (start + 3, end)]
            for number, piece in enumerate(pieces):
                spans.append(piece)
                rows.append(self.row(mark if not number else "B-MISC"))
        return Outputs(tokens=np.array(rows, np.float32), spans=np.array(spans, np.int32))

    @staticmethod
    def row(mark: str) -> list[float]:
        return [0.92 if label == mark else 0.01 for label in LABELS.split()]


def test_names_are_whole_words_of_one_kind() -> None:
    tagger = LabelTagger(Scripted())  # type: ignore[arg-type]
    spans = [(s.text, s.kind) for s in tagger.tag(TEXT, None)]
    assert spans == [
        ("Adaeze Okafor-Hill", "person"),
        ("ACME-Foods plc", "organization"),
        ("Port Louis", "location"),
        ("Mauritius", "location"),
    ]


def test_the_settings_choose(tmp_path) -> None:
    def encoders(**more: Any) -> Encoders:
        return Encoders.of(Settings(tmp_path, tmp_path / "models", **more))

    assert encoders(names="off").names("mini") is None
    assert encoders().names("mini") is None  # nothing is installed
    with pytest.raises(ModelNotFound, match=r"bert-ner") as caught:
        encoders(names="bert-ner").names("mini")
    assert "bert-ner" in caught.value.hint
    with pytest.raises(UsageError, match=r".spacy.") as refused:
        encoders(names="spacy")
    assert "auto, bert-ner, off" in refused.value.hint
