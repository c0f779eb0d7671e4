"""Fixtures of the model tests: the real `mini`, pulled once, a tiny random model, and a hub."""

from __future__ import annotations

import base64
import hashlib
import http.server
import json
import os
import threading
import zipfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from casetrack.models.pull import pull
from casetrack.models.sources import HubSource
from casetrack.models.spec import ModelFile, ModelSpec, WheelOrigin

CHECKOUT = Path(__file__).parents[2]
WIDTH, INNER, LAYERS, HEADS, POSITIONS = 32, 64, 2, 2, 24
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "lease", "ends", "in", "may", "rent", "##s"]


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


def random_weights() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)

    def tensor(*shape: int) -> np.ndarray:
        return (rng.standard_normal(shape) * 0.3).astype(np.float32)

    weights = {
        "embeddings.word_embeddings.weight": tensor(len(WORDS), WIDTH),
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
    for name, shape in linear.items():
        weights[f"{name}.weight"] = tensor(*shape)
        weights[f"{name}.bias"] = tensor(shape[0])
    for name in norms:
        weights[f"{name}.weight"] = 1.0 + tensor(WIDTH)
        weights[f"{name}.bias"] = tensor(WIDTH)
    return weights


@pytest.fixture(scope="session")
def tiny() -> TinyModel:
    from safetensors.numpy import save
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    config = {
        "model_type": "bert",
        "hidden_act": "gelu",
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": INNER,
        "layer_norm_eps": 1e-12,
        "max_position_embeddings": POSITIONS,
    }
    tokenizer = Tokenizer(
        models.WordPiece({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    weights = random_weights()
    files = {
        "config.json": json.dumps(config).encode(),
        "tokenizer.json": tokenizer.to_str().encode(),
        "model.safetensors": save(weights),
    }
    spec = ModelSpec(
        name="tiny",
        repository="nobody/tiny",
        revision="0123abcd",
        files=tuple(
            ModelFile(name, hashlib.sha256(data).hexdigest(), len(data))
            for name, data in files.items()
        ),
        licence="CC0-1.0",
        dimension=WIDTH,
        max_tokens=POSITIONS,
        wheel=WheelOrigin(package="tiny-model-files", version="1.0", folder="tiny_files/model"),
    )
    return TinyModel(spec=spec, files=files, config=config, weights=weights)


class Hub(http.server.ThreadingHTTPServer):
    """A local server that speaks the hub's paths and can be told to fail."""

    def __init__(self, spec, files) -> None:
        super().__init__(("127.0.0.1", 0), HubHandler)
        self.files = {
            f"/{spec.repository}/resolve/{spec.revision}/{name}": data
            for name, data in files.items()
        }
        self.faults: dict[str, list[str]] = {}
        self.requests: list[tuple[str, str | None, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def source(self, **options) -> HubSource:
        return HubSource(self.url, timeout=5.0, delays=(0.0, 0.0, 0.0), **options)

    def asked(self) -> Counter[str]:
        return Counter(name for name, _, _ in self.requests)


class HubHandler(http.server.BaseHTTPRequestHandler):
    server: Hub

    def log_message(self, *args) -> None:
        """Stay quiet."""

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2]
        wanted = self.headers.get("Range")
        faults = self.server.faults.get(name, [])
        fault = faults.pop(0) if faults else "none"
        self.server.requests.append((name, wanted, fault))
        data = self.server.files.get(self.path)
        if data is None or fault.isdigit():
            self.send_error(int(fault) if fault.isdigit() else 404)
            return
        if fault == "redirect":
            self.send_response(302)
            self.send_header("Location", self.path)
            self.end_headers()
            return
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        if start and fault == "no range":
            start = 0
        if fault == "wrong":
            data = bytes(len(data))
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        body = data[start:]
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if fault == "drop" else body)


@pytest.fixture
def hub(tiny):
    with Hub(tiny.spec, tiny.files) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def make_wheel():
    """Write the wheel that the tiny model names, with files of one's choice, to a new folder."""
    return write_wheel


@pytest.fixture
def wheelhouse(tiny, tmp_path):
    """A folder with a wheel that holds the tiny model."""
    return write_wheel(tmp_path / "wheels", tiny.files)


def write_wheel(folder, files):
    folder.mkdir()
    members = {f"tiny_files/model/{name}": data for name, data in files.items()}
    members["tiny_files/__init__.py"] = b"raise SystemExit('a model wheel must not be imported')\n"
    info = "tiny_model_files-1.0.dist-info"
    members[f"{info}/METADATA"] = b"Metadata-Version: 2.1\nName: tiny-model-files\nVersion: 1.0\n"
    members[f"{info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    record = []
    for name, data in members.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(data)}")
    members[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    with zipfile.ZipFile(folder / "tiny_model_files-1.0-py3-none-any.whl", "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return folder
