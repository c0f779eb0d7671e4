"""Run an embedded model: text in, one dense vector and one vector per token out, in one pass.

Texts go through the graph one at a time, several side by side on a thread each. Measured on two
cores, that takes 26 to 27 ms per 2,000 characters (one pass on two threads 27.4), batches would
need padding, and so a text gets exactly the same numbers whatever it is encoded with. All threads
share one onnxruntime session, so the weights are in memory once. The memory arena is off: the
peak (165 MB over 870 chunks) and the time are the same with it, and so nothing is held on to.
"""

from __future__ import annotations

import os
import re
import threading
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from casetrack.errors import ModelCorrupt, ModelNotFound
from casetrack.models.bert_onnx import output_name
from casetrack.models.layout import BUILT_NAME, Manifest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from tokenizers import Tokenizer

_TOKENIZER = "tokenizer.json"
_MOST_SESSIONS = 4
_AHEAD = 2
"""Texts in work or finished but not fetched, per session."""
_SURROGATES = re.compile("[\ud800-\udfff]")
_HINT = "Run `casetrack models pull` to put it right."

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """What one pass says about a text.

    Attributes
    ----------
    dense
        float32 [dimension], unit length: the mean of all token states.
    tokens
        float32 [n, dimension], states of the last layer, without [CLS] and [SEP]; not normalised.
    token_spans
        int32 [n, 2], start and end of each token in the text, in code points, half-open.
    layers
        For every earlier layer that was asked for (1-based), float32 [n, dimension].
    """

    dense: Floats
    tokens: Floats
    token_spans: NDArray[np.int32]
    layers: Mapping[int, Floats] = field(default_factory=dict)


class Encoder:
    """An embedded model, ready to run; make one with `Encoder.load`.

    Safe to use from several threads. onnxruntime and the tokenizer are loaded when the first text
    comes.
    """

    def __init__(self, folder: Path, manifest: Manifest, *, sessions: int, threads: int) -> None:
        self._folder = folder
        self._manifest = manifest
        self._sessions = sessions
        self._threads = threads
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None

    @classmethod
    def load(
        cls,
        models_dir: Path,
        name: str = "mini",
        *,
        sessions: int | None = None,
        threads: int | None = None,
    ) -> Encoder:
        """Open a model of the models folder.

        Parameters
        ----------
        models_dir, name
            The models folder, and the model's name in it.
        sessions
            Passes side by side when documents are encoded; by default one per physical core, at
            most 4.
        threads
            Threads within each pass; by default 1.

        Raises
        ------
        ModelNotFound
            The model, or a file of it, is not there.
        ModelCorrupt
            A file has not the length it should have, or the manifest cannot be read.
        """
        folder = models_dir / name
        manifest = Manifest.read(folder)
        if manifest is None:
            raise ModelNotFound(name, models_dir)
        wanted = {**manifest.built, _TOKENIZER: manifest.files.get(_TOKENIZER, ("", -1))}
        for file, (_, size) in wanted.items():
            path = folder / file
            if not path.is_file():
                raise ModelNotFound(name, models_dir)
            if path.stat().st_size != size:
                raise ModelCorrupt(
                    f"{path} has {path.stat().st_size} bytes, expected {size}.", hint=_HINT
                )
        chosen = default_sessions() if sessions is None else max(1, sessions)
        return cls(folder, manifest, sessions=chosen, threads=max(1, threads or 1))

    @property
    def name(self) -> str:
        """The model's name."""
        return self._manifest.name

    @property
    def dimension(self) -> int:
        """Length of the dense vector and of every token's state."""
        return self._manifest.dimension

    @property
    def fingerprint(self) -> str:
        """Short hash of the model's files and of the code that built its graph.

        Vectors of two encoders can be compared only if this is the same.
        """
        return self._manifest.fingerprint

    @property
    def sessions(self) -> int:
        """Passes side by side when documents are encoded."""
        return self._sessions

    def encode_query(self, text: str, /) -> Encoding:
        """Encode one text in the calling thread.

        Raises
        ------
        ValueError
            The text has no tokens.
        ModelCorrupt
            The model's files cannot be loaded.
        """
        return self._encode(text, ())

    def encode_documents(
        self, texts: Iterable[str], /, *, layers: Sequence[int] = ()
    ) -> Iterator[Encoding]:
        """Encode texts in their order, several side by side, and only a few ahead of the reader.

        A text longer than the model takes is cut into as few windows as it needs, of about equal
        length; the states of their tokens are joined, and the dense vector is the mean of all.

        Parameters
        ----------
        texts
            Read as the encodings are fetched, at most twice the number of sessions ahead.
        layers
            Earlier layers (1-based) whose states are wanted as well.

        Yields
        ------
        Encoding
            One per text.

        Raises
        ------
        ValueError
            A text has no tokens (it comes when that text's turn does), or there is no such layer.
        ModelCorrupt
            The model's files cannot be loaded.
        """
        wanted = tuple(layers)
        if self._sessions == 1:
            for text in texts:
                yield self._encode(text, wanted)
            return
        source = iter(texts)
        pool = ThreadPoolExecutor(self._sessions, thread_name_prefix="casetrack-encoder")
        pending: deque[Future[Encoding]] = deque()
        try:
            for text in islice(source, self._sessions * _AHEAD):
                pending.append(pool.submit(self._encode, text, wanted))
            while pending:
                encoding = pending.popleft().result()
                for text in islice(source, 1):
                    pending.append(pool.submit(self._encode, text, wanted))
                yield encoding
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _encode(self, text: str, layers: tuple[int, ...]) -> Encoding:
        return self._load().encode(text, layers, self._manifest.max_tokens)

    def _load(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                self._loaded = _Loaded.open(self._folder, self._threads)
            return self._loaded


def default_sessions() -> int:
    """Return how many passes run side by side by default: one per usable core, at most 4."""
    import psutil

    cores = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else cores
    return max(1, min(cores, usable, _MOST_SESSIONS))


@dataclass(frozen=True, slots=True)
class _Loaded:
    """Session and tokenizer of a model."""

    session: Any
    tokenizer: Tokenizer
    first: int
    last: int
    depth: int

    @classmethod
    def open(cls, folder: Path, threads: int) -> _Loaded:
        tokenizer = _open_tokenizer(folder / _TOKENIZER)
        marks = (tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]"))
        if marks[0] is None or marks[1] is None:
            raise ModelCorrupt(f"{folder / _TOKENIZER} has no [CLS] and [SEP].", hint=_HINT)
        session = _open_session(folder / BUILT_NAME, threads)
        depth = len(session.get_outputs())
        return cls(session, tokenizer, marks[0], marks[1], depth)

    def encode(self, text: str, layers: tuple[int, ...], max_tokens: int) -> Encoding:
        # The tokenizer takes only what has a UTF-8 form; this keeps every offset.
        found = self.tokenizer.encode(_SURROGATES.sub("\ufffd", text), add_special_tokens=False)
        if not found.ids:
            raise ValueError("cannot encode a text without tokens (empty or only white space)")
        outputs = [output_name(layer, self.depth) for layer in (self.depth, *layers)]
        passes = [self._run(ids, outputs) for ids in _windows(found.ids, max_tokens - 2)]
        # The mean runs over [CLS] and [SEP] too, as the model was trained.
        total = np.sum([states[0].sum(axis=0, dtype=np.float64) for states in passes], axis=0)
        inner = [_join([states[i][1:-1] for states in passes]) for i in range(len(outputs))]
        return Encoding(
            dense=(total / np.linalg.norm(total)).astype(np.float32),
            tokens=inner[0],
            token_spans=np.array(found.offsets, dtype=np.int32),
            layers=dict(zip(layers, inner[1:], strict=True)),
        )

    def _run(self, ids: Sequence[int], outputs: list[str]) -> list[Floats]:
        row = np.array([[self.first, *ids, self.last]], dtype=np.int64)
        return [states[0] for states in self.session.run(outputs, {"input_ids": row})]


def _join(parts: list[Floats]) -> Floats:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _windows(ids: Sequence[int], limit: int) -> list[Sequence[int]]:
    """Cut into the fewest windows of at most *limit*, their lengths apart by at most one."""
    count = -(-len(ids) // limit)
    cuts = [len(ids) * i // count for i in range(count + 1)]
    return [ids[a:b] for a, b in pairwise(cuts)]


def _open_tokenizer(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_str(path.read_text(encoding="utf-8"))
    except Exception as error:  # the library raises plain Exception for content it cannot read
        raise ModelCorrupt(f"Cannot read {path}: {error}", hint=_HINT) from error
    # The published file cuts at 128 tokens and pads; here the encoder decides.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _open_session(path: Path, threads: int) -> Any:
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    # The extended level would fuse Add and LayerNormalization into a slower operator (bert_onnx).
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.log_severity_level = 4
    try:
        return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's own exceptions share no other base
        raise ModelCorrupt(f"Cannot load {path}: {error}", hint=_HINT) from error
