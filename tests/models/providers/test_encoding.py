"""Output of a provider: vectors in order, of one length, of whole texts."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from casetrack.base.errors import ProviderError
from casetrack.models import providers
from casetrack.models.providers.encoder import batches, cut, estimated_tokens

from .conftest import WIDTH, direction, replying, unit

BOTH = pytest.mark.parametrize("name", providers.PROVIDERS)


def dense(encodings) -> np.ndarray:
    return np.stack([encoding.dense for encoding in encodings])


@BOTH
def test_vectors_come_in_the_order_of_the_texts_over_several_batches(name, server, encoder):
    texts = [f"clause number {number}" for number in range(150)]
    result = list(encoder(name, model="some-model").encode_documents(iter(texts)))
    np.testing.assert_allclose(
        dense(result), [unit(direction(text)) for text in texts], rtol=0, atol=1e-6
    )
    assert [text for group in server.inputs for text in group] == texts
    assert 1 < len(server.inputs) < len(texts)
    assert result[0].dense.dtype == np.float32
    assert result[0].tokens is None
    assert result[0].sparse is None


@BOTH
def test_texts_are_not_read_far_ahead(name, server, encoder):
    read = []

    def source():
        for number in range(1000):
            read.append(number)
            yield f"clause {number}"

    stream = encoder(name, model="some-model").encode_documents(source())
    next(stream)
    assert len(read) <= 65
    assert len(server.bodies) == 1
    stream.close()


def test_openai_sends_what_its_protocol_wants(server, encoder):
    encoder("openai", dimensions=4).encode_query("rent")
    assert server.bodies == [
        {
            "model": "text-embedding-3-small",
            "input": ["rent"],
            "encoding_format": "base64",
            "dimensions": 4,
        }
    ]
    assert server.headers[0]["Authorization"].startswith("Bearer sk-test")
    assert server.headers[0]["Content-Type"] == "application/json"


def test_openai_may_answer_with_lists_of_numbers(server, encoder):
    server.floats = True
    result = encoder("openai", model="other").encode_query("rent").dense
    np.testing.assert_allclose(result, unit(direction("rent")), atol=1e-6)


def test_ollama_never_lets_the_server_cut_a_text(server, encoder):
    encoder("ollama", model="all-minilm").encode_query("rent")
    assert server.bodies == [{"model": "all-minilm", "input": ["rent"], "truncate": False}]
    assert "Authorization" not in server.headers[0]


def test_the_default_model_of_ollama_gets_its_task_prefixes(server, encoder):
    server.width = 768
    made = encoder("ollama")
    made.encode_query("rent")
    list(made.encode_documents(["The rent is due."]))
    assert server.inputs == [["search_query: rent"], ["search_document: The rent is due."]]


@BOTH
def test_a_long_text_becomes_windows_whose_mean_counts_by_length(name, server, encoder):
    text = " ".join(f"word{number}" for number in range(100))
    made = encoder(name, model="some-model", max_tokens=100)
    result = next(made.encode_documents([text])).dense
    sent = [window for group in server.inputs for window in group]
    assert len(sent) == 3
    assert "".join(sent) == text
    assert all(estimated_tokens(window) <= 105 for window in sent)
    mean = np.sum([len(window) * unit(direction(window)) for window in sent], axis=0)
    np.testing.assert_allclose(result, unit(mean), atol=1e-6)
    assert np.linalg.norm(result) == pytest.approx(1.0, abs=1e-6)


@BOTH
def test_what_the_service_finds_too_long_is_sent_in_pieces(name, server, encoder):
    server.longest = 40
    texts = ["short", "long " * 25, "short too"]
    result = list(encoder(name, model="some-model").encode_documents(texts))
    np.testing.assert_allclose(result[0].dense, unit(direction("short")), atol=1e-6)
    np.testing.assert_allclose(result[2].dense, unit(direction("short too")), atol=1e-6)
    taken = [g for g in server.inputs if all(len(text) <= 40 for text in g)]
    pieces = [text for group in taken for text in group if "long" in text]
    assert "".join(pieces) == texts[1]


@BOTH
def test_the_vector_of_a_long_text_does_not_depend_on_its_batch(name, server, encoder):
    server.longest = 40
    alone = next(encoder(name, model="some-model").encode_documents(["long " * 25])).dense
    texts = ["a", "b", "long " * 25, "c"]
    among = list(encoder(name, model="some-model").encode_documents(texts))[2].dense
    assert alone.tobytes() == among.tobytes()


@BOTH
def test_a_service_that_finds_everything_too_long_is_an_error(name, server, encoder):
    server.longest = 0
    with pytest.raises(ProviderError, match=r"\b1\b"):
        encoder(name, model="some-model").encode_query("some words")


@BOTH
@pytest.mark.parametrize("text", ["", " ", "\n\t "])
def test_an_empty_text_is_refused_here_and_in_its_turn(name, text, server, encoder):
    made = encoder(name, model="some-model")
    with pytest.raises(ValueError, match=r"\w"):
        made.encode_query(text)
    assert server.bodies == []
    stream = made.encode_documents(["first", text, "third"])
    assert next(stream).dense.shape == (WIDTH,)
    with pytest.raises(ValueError, match=r"\w"):
        next(stream)
    assert server.inputs == [["first"]]


@BOTH
def test_lone_surrogates_do_not_reach_the_service(name, server, encoder):
    encoder(name, model="some-model").encode_query("rent \ud800 due")
    assert server.inputs == [["rent \ufffd due"]]


@BOTH
def test_there_are_no_layers_tokens_or_sparse_vectors(name, encoder):
    made = encoder(name, model="some-model")
    with pytest.raises(ValueError, match="layers"):
        next(made.encode_documents(["text"], layers=(3,)))
    assert made.token_width is None
    assert not made.has_sparse
    assert made.resident_bytes == 0
    assert made.name == name


@BOTH
def test_the_first_answer_fixes_the_length(name, server, encoder):
    made = encoder(name, model="some-model")
    made.encode_query("rent")
    assert made.dimension == WIDTH
    assert len(server.bodies) == 1
    server.width = WIDTH + 3
    with pytest.raises(ProviderError, match=r"\b8\b.*\b11\b"):
        made.encode_query("rent")


@BOTH
def test_lengths_that_differ_within_one_answer_are_refused(name, server, encoder):
    vectors = [[1.0, 2.0], [1.0, 2.0, 3.0]]
    data = [{"index": i, "embedding": vector} for i, vector in enumerate(vectors)]
    server.faults = [replying(200, {"data": data, "embeddings": vectors})]
    with pytest.raises(ProviderError, match=r"\b2\b.*\b3\b"):
        list(encoder(name, model="some-model").encode_documents(["a", "b"]))


@BOTH
def test_a_collection_holds_the_service_to_its_length(name, server, encoder):
    made = encoder(name, model="some-model", dimension=5)
    with pytest.raises(ProviderError, match=r"\b5\b.*\b8\b") as caught:
        made.encode_query("rent")
    assert caught.value.hint


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("openai", {}, r"1536\b.*'text-embedding-3-small'.*\b5\b"),
        ("openai", {"dimensions": 512}, "512"),
        ("ollama", {}, "768.*'nomic-embed-text'"),
    ],
)
def test_a_known_model_of_another_length_is_refused_before_anything_is_sent(
    name, options, words, server, encoder
):
    with pytest.raises(ProviderError, match=words):
        encoder(name, dimension=5, **options)
    assert server.bodies == []


@BOTH
def test_the_length_is_asked_for_where_nothing_is_known(name, server, encoder):
    assert encoder(name, model="some-model").dimension == WIDTH
    assert server.inputs == [["length"]]


def test_the_fingerprint_follows_the_model_and_not_the_address(server, encoder):
    def mark(name, **options):
        return encoder(name, **options).fingerprint

    base = mark("openai")
    assert len(base) == 16
    assert int(base, 16) >= 0
    assert base == mark("openai", url="https://elsewhere.example/v1")
    others = [
        mark("ollama"),
        mark("openai", model="text-embedding-3-large"),
        mark("openai", dimensions=512),
        mark("openai", max_tokens=512),
    ]
    assert len({base, *others}) == 5
    assert mark("ollama", model="nomic-embed-text:latest") == mark("ollama")
    assert server.bodies == []


@BOTH
def test_several_threads_get_their_own_vectors(name, encoder):
    made = encoder(name, model="some-model")
    texts = [f"thread {number}" for number in range(6)]
    by_name: dict[str, np.ndarray] = {}
    threads = [
        threading.Thread(target=lambda t=text: by_name.update({t: made.encode_query(t).dense}))
        for text in texts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for text in texts:
        np.testing.assert_allclose(by_name[text], unit(direction(text)), atol=1e-6)


def test_cuts_fall_between_words_where_one_is_near():
    assert cut("one two three four five six", 2) == ["one two three ", "four five six"]
    assert cut("onetwothreefourfivesix", 2) == ["onetwothree", "fourfivesix"]


def test_batches_keep_to_number_and_size():
    texts = ["a" * 30, "b" * 30, "c" * 300, "d", "e", "f"]
    assert [len(group) for group in batches(texts, 2, 25)] == [2, 1, 2, 1]
