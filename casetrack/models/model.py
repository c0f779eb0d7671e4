"""One model of the models folder: encodes texts in as few passes as possible."""

from __future__ import annotations

import functools
import re
import string
import threading
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.base.dataclass import dataclass, field
from casetrack.base.errors import ModelCorrupt, ModelNotFound, See
from casetrack.models.bert_onnx import (
    ATTENDED_INPUT,
    LABELS_OUTPUT,
    LAST_OUTPUT,
    SPARSE_OUTPUT,
    TOKENS_OUTPUT,
    TYPES_INPUT,
    output_name,
)
from casetrack.models.layout import Manifest
from casetrack.models.runtime import onnx_runtime

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from casetrack.models.base import Floats, Sparse

_OTHER_NAMES = {"[CLS]": "<s>", "[SEP]": "</s>", "[MASK]": "<mask>"}
"""Names of BERT's special tokens in XLM-R vocabularies."""
_SURROGATES = re.compile("[\ud800-\udfff]")
_HINT = f"Run {See('models pull', '{}')} to put it right."
_WORD = re.compile(r"[!-/:-@\[-`{-~]|[^ \t\n\r\xa0!-/:-@\[-`{-~]+")
"""A sign of ASCII, or text between them; BERT's tokenizers split a text at each of them."""
_MARK = re.compile(r"\[[A-Z]+\]")
"""Special tokens, which tokenizers also find in texts."""
_RESIDENT_SHARE = 2.0
"""Memory of a loaded graph relative to its file; measured 1.7 (large) to 2.9 (small graphs)."""


@dataclass(frozen=True, slots=True, eq=False)
class Outputs:
    """The output of one model for a text; ``None`` for outputs of other kinds of models."""

    dense: Floats | None = None  # float32 [dimension], unit length
    # float32 [n, width], one row per token: states of the last layer, or probabilities of labels.
    tokens: Floats | None = None
    # int32 [n, 2], positions of *tokens* in the text, in code points.
    spans: NDArray[np.int32] | None = None
    # By requested earlier layer of a dense model, float32 [n, width].
    layers: Mapping[int, Floats] = field(default_factory=dict)
    sparse: Sparse | None = None  # vocabulary ids, ascending, and their weights above zero


_OUTPUTS = {"sparse": SPARSE_OUTPUT, "tokens": TOKENS_OUTPUT, "names": LABELS_OUTPUT}


class Model:
    """A model, opened with :meth:`open`; thread-safe.

    All threads share one session and its weights. The first text loads onnxruntime and the
    tokenizer.
    """

    def __init__(self, folder: Path, manifest: Manifest, *, threads: int) -> None:
        self.manifest = manifest
        self._folder = folder
        self._threads = threads
        size = {**manifest.files, **manifest.built}[manifest.graph_name][1]
        self._weights_bytes = round(_RESIDENT_SHARE * size)
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None
        self._splitter: _Splitter | None = None

    @classmethod
    def open(cls, models_dir: Path, name: str, /, *, threads: int = 1) -> Model:
        """Open a model without loading it; *threads* are per pass.

        Raises ``ModelNotFound``: the model or a file is missing; ``ModelCorrupt``: a file has the
        wrong length, or the manifest is unreadable.
        """
        folder = models_dir / name
        manifest = Manifest.read(folder)
        if manifest is None:
            raise ModelNotFound(name, models_dir)
        sizes = {**manifest.files, **manifest.built}
        for file in (manifest.graph_name, manifest.tokenizer_name):
            path, (_, size) = folder / file, sizes.get(file, ("", -1))
            if not path.is_file():
                raise ModelNotFound(name, models_dir)
            if path.stat().st_size != size:
                raise ModelCorrupt(
                    f"{path} has {path.stat().st_size} bytes, expected {size}.",
                    hint=_HINT.format(name),
                )
        return cls(folder, manifest, threads=threads)

    @property
    def resident_bytes(self) -> int:
        """Approximate bytes of the loaded weights."""
        return 0 if self._loaded is None else self._weights_bytes

    def unload(self) -> None:
        """Unload the weights; a running pass keeps them to its end."""
        with self._lock:
            self._loaded = self._splitter = None

    def encode(self, text: str, /, *, is_query: bool, layers: tuple[int, ...] = ()) -> Outputs:
        """Encode a text in the calling thread.

        A text longer than the model's maximum is split into the fewest windows of about equal
        length. Token states are joined; the dense vector is the mean over all tokens, or over the
        windows' [CLS] states; term weights are the maximum.

        Parameters
        ----------
        is_query
            Whether it is a query, which some models encode differently.
        layers
            Further requested layers (1-based).

        Raises ``ValueError``: the text has no tokens, or a layer does not exist; ``ModelCorrupt``:
        the model's files cannot be loaded.
        """
        return self._load().encode(text, is_query=is_query, layers=layers)

    def score(self, query: str, text: str, /) -> float:
        """Return the score of a text read together with a query, for models of the kind `pairs`.

        A pair longer than the model's maximum loses the end of its longer part. Raises
        ``ModelCorrupt``: the model's files cannot be loaded.
        """
        return self._load().score(query, text)

    def document_spans(self, text: str, /) -> NDArray[np.int32] | None:
        """Return the spans of a document's tokens, int32 [n, 2]; loads only the tokenizer."""
        with self._lock:
            splitter = self._split()
        try:
            return splitter.document_spans(text)
        except ValueError:
            return None

    def _split(self) -> _Splitter:
        if self._splitter is None:
            self._splitter = _Splitter.open(self._folder, self.manifest)
        return self._splitter

    def _load(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                self._loaded = _Loaded.open(self._folder, self._split(), self._threads)
            return self._loaded


@dataclass(frozen=True, slots=True)
class _Text:
    """A tokenized text."""

    lead: list[int]  # ids at the start of every window: [CLS], marker, prefix
    # ids, spans: ids and positions of the text's tokens.
    ids: list[int]
    spans: NDArray[np.int32]
    masks: int  # number of [MASK] tokens after the only window


@dataclass(frozen=True, slots=True)
class _Splitter:
    """Tokenizes texts for a model."""

    tokenizer: Tokenizer
    manifest: Manifest
    marks: Mapping[str, int]
    skipped: frozenset[int]
    # Returns the spans of the tokens of a word, cached; ``None`` if they may depend on its context.
    pieces: Callable[[str], list[tuple[int, int]]] | None

    @classmethod
    def open(cls, folder: Path, manifest: Manifest) -> _Splitter:
        recipe, hint = manifest.recipe, _HINT.format(manifest.name)
        path = folder / manifest.tokenizer_name
        tokenizer = _open_tokenizer(path, hint)
        wanted = ["[CLS]", "[SEP]", recipe.query_marker, recipe.document_marker]
        wanted += ["[MASK]"] if recipe.query_length else []
        numbers = {mark: _number_of(tokenizer, mark) for mark in wanted if mark}
        if missing := [mark for mark, number in numbers.items() if number is None]:
            raise ModelCorrupt(f"{path} has no {' and no '.join(missing)}.", hint=hint)
        if recipe.kind == "pairs":
            _set_up_pairs(tokenizer, numbers, manifest.max_tokens)
        marks = string.punctuation if recipe.skips_punctuation else ""
        skipped = {tokenizer.token_to_id(mark) for mark in marks}
        parts = type(tokenizer.normalizer).__name__, type(tokenizer.pre_tokenizer).__name__
        added = (each.content for each in tokenizer.get_added_tokens_decoder().values())
        by_word = parts == ("BertNormalizer", "BertPreTokenizer") and not skipped
        by_word = by_word and all(map(_MARK.fullmatch, added))
        return cls(
            tokenizer,
            manifest,
            marks={mark: number for mark, number in numbers.items() if number is not None},
            skipped=frozenset(number for number in skipped if number is not None),
            pieces=functools.lru_cache(32_768)(partial(_pieces, tokenizer)) if by_word else None,
        )

    def document_spans(self, text: str) -> NDArray[np.int32]:
        """Return the spans of a document's tokens; the same word is tokenized once."""
        pieces = self.pieces
        if pieces is None or _MARK.search(text):
            parts = self.take_apart(text, is_query=False)
            return parts.spans[self.kept(parts)]
        whole = _SURROGATES.sub("\ufffd", text)
        words = ((m.start(), pieces(m.group())) for m in _WORD.finditer(whole))
        ends = [at + end for at, spans in words for span in spans for end in span]
        if not ends:
            raise ValueError("the text has no tokens")
        return np.array(ends, dtype=np.int32).reshape(-1, 2)

    def take_apart(self, text: str, *, is_query: bool) -> _Text:
        # The tokenizer requires valid UTF-8; the replacement keeps every offset.
        encoded = self.tokenizer.encode(_SURROGATES.sub("\ufffd", text), add_special_tokens=False)
        if not encoded.ids:
            raise ValueError("cannot encode a text without tokens (empty or only white space)")
        recipe = self.manifest.recipe
        marker = recipe.query_marker if is_query else recipe.document_marker
        prefix = recipe.query_prefix if is_query else recipe.document_prefix
        lead = [self.marks["[CLS]"]] + ([self.marks[marker]] if marker else [])
        if prefix:
            lead += self.tokenizer.encode(prefix, add_special_tokens=False).ids
        masks = recipe.query_length - len(lead) - len(encoded.ids) - 1 if is_query else 0
        spans = np.array(encoded.offsets, dtype=np.int32)
        return _Text(lead, encoded.ids, spans, max(0, masks))

    def kept(self, parts: _Text) -> NDArray[np.bool_]:
        """Return which tokens of a document keep their states."""
        kept = np.array([number not in self.skipped for number in parts.ids], dtype=np.bool_)
        # A text of nothing but punctuation keeps it, to be found at all.
        return kept if kept.any() else np.ones(len(kept), dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class _Loaded:
    """Session and tokenizer of a model."""

    session: Any
    splitter: _Splitter
    depth: int
    inputs: frozenset[str]

    @classmethod
    def open(cls, folder: Path, splitter: _Splitter, threads: int) -> _Loaded:
        manifest = splitter.manifest
        hint = _HINT.format(manifest.name)
        session = _open_session(folder / manifest.graph_name, threads, hint)
        inputs = frozenset(node.name for node in session.get_inputs())
        return cls(session, splitter, len(session.get_outputs()), inputs)

    @property
    def manifest(self) -> Manifest:
        return self.splitter.manifest

    @property
    def marks(self) -> Mapping[str, int]:
        return self.splitter.marks

    def encode(self, text: str, *, is_query: bool, layers: tuple[int, ...]) -> Outputs:
        kind = self.manifest.recipe.kind
        if layers and (kind != "dense" or self.manifest.recipe.ready):
            raise ValueError(f'model "{self.manifest.name}" has no earlier layers to offer')
        if kind == "dense":
            names = [LAST_OUTPUT, *(output_name(layer, self.depth) for layer in layers)]
        else:
            names = [_OUTPUTS[kind]]
        if self.manifest.recipe.ready:
            names = [self.session.get_outputs()[0].name]
        parts = self.splitter.take_apart(text, is_query=is_query)
        limit = self.manifest.max_tokens - len(parts.lead) - 1
        passes = [self._run(parts, ids, names) for ids in _windows(parts.ids, limit)]
        if kind == "dense":
            return self._dense(parts, passes, layers)
        if kind == "sparse":
            return Outputs(sparse=_sparse(np.max([self._weights(p[0]) for p in passes], axis=0)))
        return self._tokens(parts, [p[0] for p in passes], is_query=is_query)

    def _run(self, parts: _Text, ids: Sequence[int], names: list[str]) -> list[Floats]:
        row = [*parts.lead, *ids, self.marks["[SEP]"]]
        attended = len(row)
        row += [self.marks["[MASK]"]] * parts.masks if parts.masks else []
        return self._forward(row, [0] * len(row), attended, names)

    def score(self, query: str, text: str) -> float:
        """Return the logit of a pair, or of two logits (no, yes) their difference."""
        query, text = (_SURROGATES.sub("\ufffd", part) for part in (query, text))
        encoded = self.splitter.tokenizer.encode(query, text)
        names = [self.session.get_outputs()[0].name]
        (logits,) = self._forward(encoded.ids, encoded.type_ids, len(encoded.ids), names)
        return float(logits[-1] - (logits[0] if len(logits) > 1 else 0.0))

    def _forward(
        self, ids: list[int], types: list[int], attended: int, names: list[str]
    ) -> list[Floats]:
        """Return the named outputs for one row of tokens."""
        feeds: dict[str, NDArray[Any]] = {"input_ids": np.array([ids], dtype=np.int64)}
        if ATTENDED_INPUT in self.inputs:
            feeds[ATTENDED_INPUT] = np.array([attended], dtype=np.int32)
        if "attention_mask" in self.inputs:
            feeds["attention_mask"] = (np.arange(len(ids)) < attended).astype(np.int64)[None]
        if TYPES_INPUT in self.inputs:
            feeds[TYPES_INPUT] = np.array([types], dtype=np.int64)
        return [states[0] for states in self.session.run(names, feeds)]

    def _dense(self, parts: _Text, passes: list[list[Floats]], layers: tuple[int, ...]) -> Outputs:
        if self.manifest.recipe.pooling == "cls":
            rows = [states[0][:1] for states in passes]
        else:
            # The mean runs over [CLS], [SEP] and a prefix too, as the models were trained.
            rows = [states[0] for states in passes]
        total = np.sum([part.sum(axis=0, dtype=np.float64) for part in rows], axis=0)
        first = len(parts.lead)
        inner = [_join([states[i][first:-1] for states in passes]) for i in range(len(passes[0]))]
        return Outputs(
            dense=(total / np.linalg.norm(total)).astype(np.float32),
            tokens=inner[0],
            spans=parts.spans,
            layers=dict(zip(layers, inner[1:], strict=True)),
        )

    def _weights(self, values: Floats) -> Floats:
        """Return the weights of one window [vocabulary]; a ready graph outputs logits per token."""
        if values.ndim == 1:
            return values
        inner = values if self.manifest.recipe.pools_special else values[1:-1]
        weights: Floats = np.log1p(np.maximum(inner.max(axis=0), 0.0))
        return weights

    def _tokens(self, parts: _Text, passes: list[Floats], *, is_query: bool) -> Outputs:
        first = len(parts.lead)
        last = -1 - parts.masks
        states, spans = _join([part[first:last] for part in passes]), parts.spans
        if not is_query and self.splitter.skipped:
            kept = self.splitter.kept(parts)
            states, spans = states[kept], spans[kept]
        if parts.masks:
            end = spans[-1, 1]
            states = np.concatenate([states, passes[-1][-parts.masks :]])
            spans = np.concatenate([spans, np.full((parts.masks, 2), end, dtype=np.int32)])
        if self.manifest.recipe.ready:
            states = states / np.maximum(np.linalg.norm(states, axis=1, keepdims=True), 1e-12)
        return Outputs(tokens=states.astype(np.float32, copy=False), spans=spans)


def _number_of(tokenizer: Tokenizer, mark: str) -> int | None:
    number = tokenizer.token_to_id(mark)
    if number is None and mark in _OTHER_NAMES:
        number = tokenizer.token_to_id(_OTHER_NAMES[mark])
    return number


def _sparse(weights: Floats) -> Sparse:
    ids = np.flatnonzero(weights > 0.0)
    return ids.astype(np.int32), weights[ids].astype(np.float32, copy=False)


def _join(parts: list[Floats]) -> Floats:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _windows(ids: Sequence[int], limit: int) -> list[Sequence[int]]:
    """Split into the fewest windows of at most *limit*, with lengths that differ by at most one."""
    count = -(-len(ids) // limit)
    cuts = [len(ids) * i // count for i in range(count + 1)]
    return [ids[a:b] for a, b in pairwise(cuts)]


def _pieces(tokenizer: Tokenizer, word: str) -> list[tuple[int, int]]:
    return tokenizer.encode(word, add_special_tokens=False).offsets


def _open_tokenizer(path: Path, hint: str) -> Tokenizer:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_str(path.read_text(encoding="utf-8"))
    except Exception as error:  # the library raises plain Exception for content it cannot read
        raise ModelCorrupt(f"Cannot read {path}: {error}", hint=hint) from error
    # Published files cut at some length and pad; here the recipe decides.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _set_up_pairs(tokenizer: Tokenizer, marks: Mapping[str, int | None], most: int) -> None:
    """Make *tokenizer* join the two texts of a pair, and shorten pairs of more than *most* tokens.

    Published tokenizers join pairs themselves; those built from a vocabulary join them like BERT.
    """
    from tokenizers import processors

    if tokenizer.post_processor is None:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]",
            pair="[CLS] $A [SEP] $B:1 [SEP]:1",
            special_tokens=[(mark, marks[mark]) for mark in ("[CLS]", "[SEP]")],
        )
    tokenizer.enable_truncation(most)


def _open_session(path: Path, threads: int, hint: str) -> Any:
    ort = onnx_runtime()
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    # The extended level would fuse Add and LayerNormalization into a slower operator (bert_onnx).
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.enable_mem_pattern = False
    options.log_severity_level = 4
    try:
        return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's own exceptions share no other base
        raise ModelCorrupt(f"Cannot load {path}: {error}", hint=hint) from error
