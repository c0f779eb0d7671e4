"""The encoder: its output by text, and errors of a broken model."""

from __future__ import annotations

import itertools
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.base.errors import ModelCorrupt, ModelNotFound
from casetrack.models.encoders import Encoder
from casetrack.models.pull import pull

SHORT = "The lease ends in May."
LONG = " ".join(
    f"Clause {n}: the tenant pays {n * 7} euros for the storage room." for n in range(90)
)


@pytest.fixture(scope="session")
def mini(models_dir) -> Encoder:
    return Encoder.load(models_dir)


@pytest.fixture
def tiny_dir(tiny, memory, tmp_path):
    pull(tiny.spec, tmp_path, sources=[memory(tiny.files)])
    return tmp_path


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Ünïted 😀 rent", ["Ünïted", "😀", "rent"]),
        ("東京 ete\u0301s", ["東", "京", "et", "e\u0301s"]),
        ("§ 4(b)—ends\u2028now", ["§", "4", "(", "b", ")", "—", "ends", "now"]),
        ("Rückzahlung", ["Rü", "ck", "za", "hl", "ung"]),
        # Characters that the tokenizer drops may be inside a token, and never move the next.
        ("a\x00b rent", ["a\x00b", "rent"]),
        ("x \ud800 rent", ["x", "rent"]),
    ],
)
def test_spans_are_code_points_of_the_text_as_given(mini, text, pieces):
    spans = mini.encode_query(text).token_spans
    assert [text[start:end] for start, end in spans] == pieces
    # The same as for a whole text, although each word of a document is tokenized once.
    assert mini.document_spans(text).tolist() == spans.tolist()


@pytest.mark.slow
@settings(max_examples=15)
@given(text=st.text(max_size=60))
def test_spans_are_ordered_and_inside_for_any_text(mini, text):
    text = f"rent {text}"
    result = mini.encode_query(text)
    starts, ends = result.token_spans.T
    assert len(starts) == len(result.tokens) > 0
    assert (starts >= 0).all()
    assert (starts < ends).all()
    assert (ends <= len(text)).all()
    assert (np.diff(starts) >= 0).all()
    assert np.isfinite(result.dense).all()
    assert mini.document_spans(text).tolist() == result.token_spans.tolist()


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b", "\x00"])
def test_text_without_tokens_is_refused(mini, text):
    with pytest.raises(ValueError, match=r"\w"):
        mini.encode_query(text)
    stream = mini.encode_documents([SHORT, text])
    assert len(next(stream).tokens) == 6
    with pytest.raises(ValueError, match=r"\w"):
        next(stream)


@pytest.mark.slow
def test_encoded_together_equals_encoded_alone(models_dir):
    texts = [SHORT, LONG[:900], "rent", LONG[200:1500], SHORT.upper()]
    for sessions in (1, 2):
        encoder = Encoder.load(models_dir, sessions=sessions)
        for text, together in zip(texts, encoder.encode_documents(texts), strict=True):
            alone = encoder.encode_query(text)
            np.testing.assert_allclose(together.dense, alone.dense, atol=1e-4)
            np.testing.assert_allclose(together.tokens, alone.tokens, atol=1e-4)


@pytest.mark.slow
def test_long_text_is_cut_into_few_even_windows_and_nothing_is_lost(mini):
    result = mini.encode_query(LONG)
    count = len(result.tokens)
    assert count > 2 * 510
    windows = -(-count // 510)
    cuts = [count * i // windows for i in range(windows + 1)]
    spans = result.token_spans
    sums, lengths = [], []
    for first, last in itertools.pairwise(cuts):
        part = mini.encode_query(LONG[spans[first][0] : spans[last - 1][1]])
        np.testing.assert_allclose(result.tokens[first:last], part.tokens, atol=1e-4)
        sums.append(part.dense)
        lengths.append(last - first)
    assert max(lengths) - min(lengths) <= 1
    assert spans[-1][1] == len(LONG)
    # Windows of equal length have equal weight, up to the length of their mean vectors.
    mean = np.mean(sums, axis=0)
    assert result.dense @ mean / np.linalg.norm(mean) > 0.999


def test_earlier_layers_come_from_the_same_pass(mini):
    plain = mini.encode_query(LONG)
    (result,) = mini.encode_documents([LONG], layers=(3, 4))
    assert sorted(result.layers) == [3, 4]
    assert result.layers[3].shape == result.layers[4].shape == result.tokens.shape
    assert not np.allclose(result.layers[3], result.layers[4], atol=0.1)
    np.testing.assert_array_equal(result.tokens, plain.tokens)
    with pytest.raises(ValueError, match=r"1 .* 6"):
        next(mini.encode_documents([SHORT], layers=(9,)))


@pytest.mark.parametrize("sessions", [1, 2])
def test_reads_only_a_few_texts_ahead_and_stops_when_dropped(models_dir, sessions):
    encoder = Encoder.load(models_dir, sessions=sessions)
    taken = []

    def endless():
        while True:
            taken.append(len(taken))
            yield f"Letter number {len(taken)}"

    stream = encoder.encode_documents(endless())
    first = [next(stream) for _ in range(3)]
    assert len(first) == 3
    assert len(taken) <= 3 + 2 * sessions
    stream.close()
    assert not [t for t in threading.enumerate() if t.name.startswith("casetrack-encoder")]


def test_no_texts_no_encodings(mini):
    assert list(mini.encode_documents([])) == []


def test_model_that_is_not_there(tmp_path, messages):
    with pytest.raises(ModelNotFound) as caught:
        Encoder.load(tmp_path)
    assert str(tmp_path) in caught.value.message
    messages(str(caught.value))


@pytest.mark.parametrize("name", ["model.int8.onnx", "tokenizer.json"])
def test_file_that_is_missing_or_cut_short(tiny_dir, name):
    path = tiny_dir / "tiny" / name
    path.write_bytes(path.read_bytes()[:-100])
    size = path.stat().st_size
    with pytest.raises(ModelCorrupt, match=rf"{size}\b.*\b{size + 100}\b") as caught:
        Encoder.load(tiny_dir, "tiny")
    assert "casetrack models pull" in caught.value.hint
    path.unlink()
    with pytest.raises(ModelNotFound):
        Encoder.load(tiny_dir, "tiny")


@pytest.mark.parametrize("name", ["model.int8.onnx", "tokenizer.json"])
def test_file_with_the_right_length_and_rubbish_in_it(tiny_dir, name):
    path = tiny_dir / "tiny" / name
    path.write_bytes(b"\xff" * path.stat().st_size)
    encoder = Encoder.load(tiny_dir, "tiny")
    with pytest.raises(ModelCorrupt, match=name) as caught:
        encoder.encode_query("the lease ends")
    assert "casetrack models pull" in caught.value.hint


def test_manifest_that_is_rubbish(tiny_dir):
    (tiny_dir / "tiny" / "manifest.json").write_text("[1, 2")
    with pytest.raises(ModelCorrupt, match=r"manifest\.json"):
        Encoder.load(tiny_dir, "tiny")


def test_copied_folder_works_without_the_weights_it_was_built_from(tiny_dir, tmp_path):
    copy = tmp_path / "elsewhere" / "tiny"
    shutil.copytree(tiny_dir / "tiny", copy)
    (copy / "model.safetensors").unlink()
    local, remote = Encoder.load(tiny_dir, "tiny"), Encoder.load(copy.parent, "tiny")
    assert local.fingerprint == remote.fingerprint
    text = "the rents in may"
    np.testing.assert_array_equal(local.encode_query(text).dense, remote.encode_query(text).dense)


@pytest.mark.slow
def test_is_quiet_and_light_to_import(tiny_dir):
    code = (
        "import sys, pathlib\n"
        "from casetrack.models.encoders import Encoder\n"
        "from casetrack.models import pull\n"
        "heavy = {'onnx', 'onnxruntime', 'tokenizers', 'safetensors'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "e = Encoder.load(pathlib.Path(sys.argv[1]), 'tiny')\n"
        "list(e.encode_documents(['the lease', 'ends in may']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tiny_dir)], capture_output=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
