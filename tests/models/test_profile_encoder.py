"""The models of a profile together: vectors, and the output of each model for a text."""

from __future__ import annotations

import dataclasses
import hashlib
import shutil
import threading

import numpy as np
import onnx
import pytest
from safetensors.numpy import save

from casetrack.base.errors import ModelCorrupt, ModelNotFound, UsageError
from casetrack.base.models.profiles import Profile, find_profile
from casetrack.base.models.spec import ModelFile, Recipe
from casetrack.models.bert_onnx import BertConfig, build_encoder, build_pairs
from casetrack.models.encoders import Encoder, load_profile
from casetrack.models.model import Model
from casetrack.models.pull import pull, verify
from models import textbook

COLBERT = Recipe(
    kind="tokens",
    query_marker="[unused0]",
    document_marker="[unused1]",
    query_length=12,
    skips_punctuation=True,
)
RECIPES = {
    "t-dense": Recipe(pooling="cls", query_prefix="query: "),
    "t-mean": Recipe(document_prefix="query: "),
    "t-sparse": Recipe(kind="sparse"),
    "t-special": Recipe(kind="sparse", pools_special=True),
    "t-tokens": COLBERT,
}
FULL = Profile("full", "", dense="t-dense", sparse="t-sparse", tokens="t-tokens")
TEXT = "the lease, ends in may."
LONG = " ".join(["the lease ends in may ."] * 9)


@pytest.fixture(scope="module")
def folder(headed, memory, tmp_path_factory):
    folder = tmp_path_factory.mktemp("profile")
    for name, recipe in RECIPES.items():
        dimension = {"sparse": 18, "tokens": 8}.get(recipe.kind, 32)
        spec = dataclasses.replace(headed.spec, name=name, recipe=recipe, dimension=dimension)
        pull(spec, folder, sources=[memory(headed.files)])
        assert {check.state for check in verify(spec, folder)} == {"ok"}
    return folder


@pytest.fixture(scope="module")
def config(headed):
    return BertConfig.from_json(headed.config)


@pytest.fixture
def full(folder) -> Encoder:
    return load_profile(folder, FULL, sessions=2)


def ids_of(headed, *words: str) -> np.ndarray:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(headed.files["tokenizer.json"].decode())
    return np.array([tokenizer.token_to_id(word) for word in words])


def close(result: np.ndarray, expected: np.ndarray, least: float = 0.98) -> bool:
    """Return whether rows have the same direction, up to the error of 8 bits."""
    lengths = np.linalg.norm(result, axis=-1) * np.linalg.norm(expected, axis=-1)
    return bool(((result * expected).sum(-1) / lengths).min() > least)


def test_dense_is_the_state_of_cls_and_queries_have_their_instruction(headed, folder, config):
    model = Model.open(folder, "t-dense")
    for is_query, words in ((True, "[CLS] query : rent [SEP]"), (False, "[CLS] rent [SEP]")):
        ids = ids_of(headed, *words.split())
        expected = textbook.states(headed.weights, config, ids)[-1][0]
        result = model.encode("rent", is_query=is_query)
        assert close(result.dense, expected)
        assert result.spans.tolist() == [[0, 4]]
        assert len(result.tokens) == 1


def test_mean_runs_over_all_tokens_of_the_pass(headed, folder, config):
    ids = ids_of(headed, "[CLS]", "query", ":", "rent", "[SEP]")
    expected = textbook.states(headed.weights, config, ids)[-1].mean(axis=0)
    opened = Model.open(folder, "t-mean").encode("rent", is_query=False)
    assert close(opened.dense, expected)
    without = Model.open(folder, "t-mean").encode("rent", is_query=True)
    assert not np.allclose(without.dense, opened.dense, atol=0.01)


@pytest.mark.parametrize(("name", "special"), [("t-sparse", False), ("t-special", True)])
def test_sparse_has_the_weights_above_zero(headed, folder, config, name, special):
    ids = ids_of(headed, "[CLS]", "the", "lease", "ends", "[SEP]")
    expected = textbook.term_weights(headed.weights, config, ids, pools_special=special)
    terms, weights = Model.open(folder, name).encode("the lease ends", is_query=False).sparse
    result = np.zeros_like(expected)
    result[terms] = weights
    assert 0 < len(terms) < len(expected)
    assert close(result, expected)


def test_documents_have_no_special_tokens_masks_or_punctuation(headed, folder, config):
    model = Model.open(folder, "t-tokens")
    result = model.encode(TEXT, is_query=False)
    assert [TEXT[a:b] for a, b in result.spans] == ["the", "lease", "ends", "in", "may"]
    words = "[CLS] [unused1] the lease , ends in may . [SEP]".split()
    expected = textbook.token_vectors(headed.weights, config, ids_of(headed, *words))
    assert close(result.tokens, expected[[2, 3, 5, 6, 7]])


def test_queries_keep_punctuation_and_are_filled_with_masks(headed, folder, config):
    opened = Model.open(folder, "t-tokens").encode(TEXT, is_query=True)
    words = "[CLS] [unused0] the lease , ends in may . [SEP] [MASK] [MASK]".split()
    expected = textbook.token_vectors(headed.weights, config, ids_of(headed, *words), 10)
    assert [TEXT[a:b] for a, b in opened.spans] == [*words[2:9], "", ""]
    assert close(opened.tokens, expected[[*range(2, 9), 10, 11]])


def test_long_query_is_neither_cut_nor_filled(folder):
    model = Model.open(folder, "t-tokens")
    spans = model.encode(LONG, is_query=True).spans
    assert len(spans) == 9 * 6
    assert (spans[:, 0] < spans[:, 1]).all()


def test_text_of_punctuation_only_keeps_it(folder):
    model = Model.open(folder, "t-tokens")
    assert [tuple(s) for s in model.encode("., .", is_query=False).spans] == [
        (0, 1),
        (1, 2),
        (3, 4),
    ]


def test_long_texts_lose_nothing(folder):
    whole = {name: Model.open(folder, name).encode(LONG, is_query=False) for name in RECIPES}
    words = [LONG[a:b] for a, b in whole["t-tokens"].spans]
    assert words == [word for word in LONG.split() if word != "."]
    # 54 tokens in windows of at most 24 - 2: 3 of 18, which are 3 whole sentences each.
    part = " ".join(["the lease ends in may ."] * 3)
    parts = {name: Model.open(folder, name).encode(part, is_query=False) for name in RECIPES}
    for name in ("t-dense", "t-mean"):
        limit = 24 - 2 - (2 if name == "t-mean" else 0)
        assert -(-54 // limit) == 3
        np.testing.assert_allclose(whole[name].dense, parts[name].dense, atol=1e-5)
    for name in ("t-sparse", "t-special"):
        for one, other in zip(whole[name].sparse, parts[name].sparse, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-5)
    tokens = parts["t-tokens"].tokens
    np.testing.assert_allclose(whole["t-tokens"].tokens, np.concatenate([tokens] * 3), atol=1e-5)


def test_sparse_of_several_windows_is_the_largest_of_each(folder):
    model = Model.open(folder, "t-sparse")
    one, two = " ".join(["rent"] * 22), " ".join(["lease"] * 22)
    both = dict(zip(*model.encode(f"{one} {two}", is_query=False).sparse, strict=True))
    by_name: dict[int, float] = {}
    for text in (one, two):
        for term, weight in zip(*model.encode(text, is_query=False).sparse, strict=True):
            by_name[term] = max(weight, by_name.get(term, 0.0))
    assert both == pytest.approx(by_name, abs=1e-5)


def test_documents_stream_in_order_and_equal_themselves_alone(full):
    texts = [TEXT, LONG, "rent", "the rent", TEXT.upper()]
    for text, together in zip(texts, full.encode_documents(texts), strict=True):
        alone = next(full.encode_documents([text]))
        np.testing.assert_array_equal(together.dense, alone.dense)
        np.testing.assert_array_equal(together.tokens, alone.tokens)
        np.testing.assert_array_equal(together.sparse[1], alone.sparse[1])


def test_layers_need_tokens_of_the_same_pass(full, folder):
    with pytest.raises(ValueError, match="full"):
        next(full.encode_documents([TEXT], layers=(1,)))
    same = load_profile(folder, Profile("same", "", dense="t-dense", tokens="t-dense"))
    (result,) = same.encode_documents([TEXT], layers=(1,))
    assert result.layers[1].shape == result.tokens.shape == (7, 32)


def test_profile_without_tokens_or_sparse(folder):
    encoder = load_profile(folder, Profile("bare", "", dense="t-dense"))
    result = encoder.encode_query(TEXT)
    assert (result.tokens, result.token_spans, result.sparse) == (None, None, None)
    assert (encoder.token_width, encoder.has_sparse) == (None, False)


def test_fingerprint_tells_profiles_and_recipes_apart(folder, models_dir):
    def fingerprint(**roles: str) -> str:
        return load_profile(folder, Profile("p", "", **roles)).fingerprint

    # All five models have the same files; only their recipes differ.
    different = [
        fingerprint(dense="t-dense"),
        fingerprint(dense="t-mean"),
        fingerprint(dense="t-dense", sparse="t-sparse"),
        fingerprint(dense="t-dense", sparse="t-special"),
        fingerprint(dense="t-dense", tokens="t-tokens"),
        fingerprint(dense="t-dense", tokens="t-tokens", sparse="t-sparse"),
    ]
    assert len(set(different)) == len(different)
    mini = load_profile(models_dir, "mini")
    assert mini.fingerprint == Encoder.load(models_dir).fingerprint == "9672ceaa688c1b0c"


def test_weights_come_and_go(full):
    assert full.resident_bytes == 0
    before = full.encode_query(TEXT)
    loaded = full.resident_bytes
    assert loaded > 10_000
    full.trim()
    assert 0 < full.resident_bytes < loaded
    full.unload()
    assert full.resident_bytes == 0
    np.testing.assert_array_equal(full.encode_query(TEXT).tokens, before.tokens)
    assert full.resident_bytes == loaded


@pytest.mark.slow
def test_unloading_never_disturbs_passes_in_other_threads(full):
    expected = full.encode_query(TEXT).dense
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(15):
                np.testing.assert_array_equal(full.encode_query(TEXT).dense, expected)
        except BaseException as error:  # noqa: BLE001 - told by the main thread
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        full.unload()
    assert not failures


def test_missing_models_are_named_with_the_profile_to_pull(folder, tmp_path, messages):
    shutil.copytree(folder / "t-dense", tmp_path / "t-dense")
    with pytest.raises(ModelNotFound) as caught:
        load_profile(tmp_path, FULL)
    assert "t-sparse, t-tokens" in caught.value.message
    messages(str(caught.value))
    with pytest.raises(ModelNotFound, match="standard"):
        load_profile(tmp_path, "standard")


def test_provider_has_no_models_here_and_parts_do_not_stand_alone(folder):
    with pytest.raises(UsageError, match="openai"):
        load_profile(folder, "openai")
    with pytest.raises(UsageError, match="t-sparse"):
        Encoder.load(folder, "t-sparse")
    with pytest.raises(UsageError, match=r"'maxi'.* mini, standard"):
        find_profile("maxi")


def test_tokenizer_without_a_marker_is_reported(tiny, headed, memory, tmp_path):
    files = {**headed.files, "tokenizer.json": tiny.files["tokenizer.json"]}
    changed = [
        dataclasses.replace(f, sha256=hashlib.sha256(files[f.name]).hexdigest(), size=None)
        for f in headed.spec.files
    ]
    spec = dataclasses.replace(headed.spec, files=tuple(changed), recipe=COLBERT)
    pull(spec, tmp_path, sources=[memory(files)])
    with pytest.raises(ModelCorrupt, match=r"\[unused0\] .*\[unused1\]"):
        Model.open(tmp_path, "headed").encode(TEXT, is_query=False)


def test_model_with_a_vocabulary_only_gets_its_tokenizer(headed, make_spec, memory, tmp_path):
    from tokenizers import Tokenizer

    words = Tokenizer.from_str(headed.files["tokenizer.json"].decode()).get_vocab()
    listed = sorted(words, key=words.__getitem__)
    files = {n: d for n, d in headed.files.items() if n != "tokenizer.json"}
    files["vocab.txt"] = "".join(f"{word}\n" for word in listed).encode()
    report = pull(make_spec("vocabulary", files), tmp_path, sources=[memory(files)])
    assert report.made == ("model.int8.onnx", "tokenizer.built.json")
    pull(headed.spec, tmp_path, sources=[memory(headed.files)])
    text = "The LEASE, ends zzz rents"
    one, two = (
        Encoder.load(tmp_path, name).encode_query(text) for name in ("vocabulary", "headed")
    )
    np.testing.assert_array_equal(one.tokens, two.tokens)
    assert [text[a:b] for a, b in one.token_spans] == [*"The LEASE , ends zzz rent s".split()]
    (tmp_path / "vocabulary" / "tokenizer.built.json").unlink()
    with pytest.raises(ModelNotFound):
        Encoder.load(tmp_path, "vocabulary")


def published(weights: dict[str, np.ndarray], config: BertConfig) -> bytes:
    """A graph as publishers export it: with a mask and token types, states as first output."""
    model = onnx.load_from_string(build_encoder(weights, config, quantize=False))
    graph = model.graph
    for name in ("attention_mask", "token_type_ids"):
        graph.input.append(
            onnx.helper.make_tensor_value_info(name, onnx.TensorProto.INT64, ["batch", "tokens"])
        )
    last = next(output for output in graph.output if output.name == "hidden")
    del graph.output[:]
    graph.output.append(last)
    return model.SerializeToString()


def test_ready_graph_is_run_as_it_is(headed, make_spec, memory, config, tmp_path):
    files = {
        "onnx/model.onnx": published(headed.weights, config),
        "tokenizer.json": headed.files["tokenizer.json"],
    }
    recipe = Recipe(pooling="cls", ready="onnx/model.onnx")
    spec = make_spec("ready", files, recipe=recipe)
    assert isinstance(spec.files[0], ModelFile)
    report = pull(spec, tmp_path, sources=[memory(files)])
    assert report.made == ()
    assert pull(spec, tmp_path, sources=()).unchanged
    encoder = Encoder.load(tmp_path, "ready")
    ids = ids_of(headed, "[CLS]", "the", "lease", "[SEP]")
    expected = textbook.states(headed.weights, config, ids)[-1]
    result = encoder.encode_query("the lease")
    np.testing.assert_allclose(result.dense, expected[0] / np.linalg.norm(expected[0]), atol=1e-5)
    np.testing.assert_allclose(result.tokens, expected[1:3], atol=1e-4)
    with pytest.raises(ValueError, match="ready"):
        next(encoder.encode_documents(["the"], layers=(1,)))


@pytest.mark.parametrize("ready", ["", "onnx/model.onnx"])
def test_cross_encoder_of_the_hub_scores_pairs(headed, make_spec, serve, config, tmp_path, ready):
    """Built from weights or published as a graph, with checksums that only the hub states."""
    rng = np.random.default_rng(3)
    weights = dict(headed.weights)
    for name, shape in (("pooler.dense", (32, 32)), ("classifier", (1, 32))):
        weights[f"{name}.weight"] = rng.standard_normal(shape).astype(np.float32)
        weights[f"{name}.bias"] = rng.standard_normal(shape[0]).astype(np.float32)
    files = {"tokenizer.json": headed.files["tokenizer.json"]}
    if ready:
        files[ready] = build_pairs(weights, config, quantize=False)
    else:
        files |= {"config.json": headed.files["config.json"], "model.safetensors": save(weights)}
    spec = make_spec("t-pairs", files, dimension=1, recipe=Recipe(kind="pairs", ready=ready))
    loose = [dataclasses.replace(file, sha256="", size=None) for file in spec.files]
    hub = serve(spec, files)
    hub.linked.update({"model.onnx", "model.safetensors"})
    pull(dataclasses.replace(spec, files=tuple(loose)), tmp_path, sources=[hub.source()])
    pull(headed.spec, tmp_path, sources=[serve(headed.spec, headed.files).source()])
    profile = Profile("pairs", "", dense="headed", rerank="t-pairs")
    encoder = load_profile(tmp_path, profile, sessions=2)
    types = weights["embeddings.token_type_embeddings.weight"]
    places = weights["embeddings.position_embeddings.weight"].copy()
    places[3:] += types[1] - types[0]  # the text's tokens have the other type
    typed = weights | {"embeddings.position_embeddings.weight": places}
    texts, expected = ["the rent ends", "in may", " ".join(["lease"] * 40)], []
    for text in texts:
        row = ["[CLS]", "rent", "[SEP]", *text.split()][: config.positions - 1]
        first = textbook.states(typed, config, ids_of(headed, *row, "[SEP]"))[-1][0]
        pooled = np.tanh(weights["pooler.dense.weight"] @ first + weights["pooler.dense.bias"])
        expected.append((weights["classifier.weight"] @ pooled + weights["classifier.bias"]).item())
    scores = encoder.reranker("rent", texts)
    np.testing.assert_allclose(scores, expected, atol=1e-4 if ready else 1.0)
    assert list(np.argsort(scores)) == list(np.argsort(expected))
    plain = load_profile(tmp_path, dataclasses.replace(profile, rerank=""))
    assert (plain.reranker, plain.fingerprint) == (None, encoder.fingerprint)  # no new vectors
