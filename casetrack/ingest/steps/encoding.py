"""Steps that read the encoder's output for a chunk: names, terms, vectors, matrices."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from casetrack.base import schema
from casetrack.base.dataclass import dataclass, field
from casetrack.base.errors import CaseTrackError
from casetrack.ingest.steps.base import Contract, attempt
from casetrack.ingest.steps.words import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    import numpy as np

    from casetrack.ingest.steps.base import Batches
    from casetrack.ingest.steps.extract import NamesStep
    from casetrack.models.base import Encoding, ProfileEncoder
    from casetrack.models.token_matrix import TokenForm

    EncodingStep: TypeAlias = "EmbedStep | NamesStep"

# The context of a chunk: title, headings, running head, table columns, which are not part of its
# text. A chunk that says "The fee is 5 %" is about its document and section. The encoder and the
# keyword index see this context; the stored text and its offsets never include it. Measured on
# contracts, tables and abstracts (nDCG@10): questions that name their document gain 0.045, all
# others are unchanged within the noise. Leaving the context out of the dense mean, or adding it to
# the token matrix, gained nothing.

CONTEXT_VERSION = 1
"""Increase it when the context of any chunk changes: earlier outputs become stale."""
CONTEXT_COLUMNS = (
    "document_name",
    "document_title",
    "heading_path",
    "sheet_name",
    "page_header",
    "table_header",
    "text",
)
"""Columns of ``chunks`` that this module reads."""

_SIGNS = re.compile(r"[\W_]+")
_TITLE_CHARS = 120
_HEADING_CHARS = 80
_HEADINGS = 3
_HEADER_CHARS = 120
_COLUMNS_CHARS = 200
_OPENING_CHARS = 400
"""Context that a chunk's opening characters already contain is not repeated."""


def title_of(row: Mapping[str, Any], /) -> str:
    """Return the document title of a row of ``chunks``, unless its text contains it."""
    title = row["document_title"] or _SIGNS.sub(" ", PurePath(row["document_name"]).stem)
    return "".join(_unsaid([_cut(title, _TITLE_CHARS)], row))


def context_parts_of(row: Mapping[str, Any], /) -> list[str]:
    """Return the other context of a row of ``chunks``: headings, sheet, running head, columns."""
    headings = [_cut(h, _HEADING_CHARS) for h in (row["heading_path"] or ())[-_HEADINGS:]]
    inside = _unsaid(headings, row)
    parts = [
        " > ".join(inside),
        _cut(row["sheet_name"], _HEADING_CHARS),
        _cut(row["page_header"], _HEADER_CHARS),
        _cut(row["table_header"], _COLUMNS_CHARS),
    ]
    return _unsaid(parts, row)


def context_of(row: Mapping[str, Any], /) -> str:
    """Return the context of a row of ``chunks`` for an encoder, with a final newline."""
    parts = [title_of(row), *context_parts_of(row)]
    return "".join(f"{part}\n" for part in parts if part)


def _unsaid(parts: Iterable[str], row: Mapping[str, Any]) -> list[str]:
    opening = _words(row["text"][:_OPENING_CHARS])
    return [part for part in parts if part and _words(part) not in opening]


def _words(text: str) -> str:
    return f" {_SIGNS.sub(' ', text.casefold()).strip()} "


def _cut(text: str | None, chars: int) -> str:
    return " ".join((text or "").split())[:chars].rstrip()


@dataclass(frozen=True, slots=True)
class ContextText:
    """Encoder input of a chunk: its context, then its text."""

    context: str
    text: str

    @classmethod
    def of(cls, row: Mapping[str, Any], /) -> ContextText:
        """Return the encoder input of a row of ``chunks``."""
        return cls(context_of(row), row["text"])

    @property
    def whole(self) -> str:
        """Context and text."""
        return self.context + self.text


TABLE_PASSAGES = 2_000
"""Table passages per document that models read during the ingest; a reindex reads the others."""
_NOTHING = ContextText("", "")
Known = dict[ContextText, dict[str, Any]]
"""Known values of columns of ``chunks``, by encoder input."""


@dataclass(frozen=True, slots=True)
class SharedPass:
    """Runs steps over one pass of the encoder.

    Attributes
    ----------
    known
        Reusable outputs: a changed file embeds only the chunks whose text changed.
    table_passages
        Maximum number of unknown table passages per call; further ones stay empty.
    """

    steps: tuple[EncodingStep, ...]
    dimension: int
    known: Known = field(default_factory=dict)
    table_passages: int | None = None

    def __call__(self, batches: Batches, /) -> Batches:
        """Add the columns of all steps to every batch of one document's ``chunks``."""
        left = self.table_passages
        adds = [name for step in self.steps for name in step.contract.adds]
        declared = schema.table("chunks").arrow(adds, dimension=self.dimension)
        for batch in batches:
            if all(step.is_idle for step in self.steps):
                rows = list(self.read([_NOTHING])) * batch.num_rows
            else:
                texts = [ContextText.of(row) for row in batch.select(CONTEXT_COLUMNS).to_pylist()]
                later = set[int]()
                if left is not None:
                    fresh = self._fresh_table_rows(batch, texts)
                    later = set(fresh[left:])
                    left -= len(fresh) - len(later)
                made = self.read([text for n, text in enumerate(texts) if n not in later])
                rows = [
                    self._unread(text) if n in later else next(made) for n, text in enumerate(texts)
                ]
            for name in adds:
                column = declared.field(name)
                values = pa.array([row[name] for row in rows], column.type)
                batch = batch.append_column(column, values)  # noqa: PLW2901 - columns are added
            yield batch

    def read(self, texts: Sequence[ContextText], /) -> Iterator[dict[str, Any]]:
        """Yield the values of all columns for each text, in order."""
        todo = [self._lacking(self.known.get(text, {})) for text in texts]
        passes = [any(step.layers is not None for step in steps) for steps in todo]
        fresh = self._encodings([t for t, needs in zip(texts, passes, strict=True) if needs])
        for text, steps, needs in zip(texts, todo, passes, strict=True):
            encoding = next(fresh) if needs else None
            values = dict(self.known.get(text, {}))
            for step in steps:
                read = partial(_read, step, text, encoding)
                values |= attempt(step.contract.name, read, step.nothing)
            yield values

    def _unread(self, text: ContextText) -> dict[str, Any]:
        empty = {name: value for step in self.steps for name, value in step.nothing.items()}
        return empty | self.known.get(text, {})

    def _fresh_table_rows(self, batch: pa.RecordBatch, texts: Sequence[ContextText]) -> list[int]:
        """Return the positions of table passages that models have yet to read."""
        if "row_start" not in batch.schema.names:
            return []
        is_row = batch["row_start"].is_valid().to_pylist()
        return [
            n
            for n, text in enumerate(texts)
            if is_row[n] and self._lacking(self.known.get(text, {}))
        ]

    def _lacking(self, values: Mapping[str, Any]) -> list[EncodingStep]:
        return [s for s in self.steps if not values.keys() >= set(s.contract.adds)]

    def _encodings(self, texts: Sequence[ContextText]) -> Iterator[Encoding | Exception]:
        """Yield the encoding of each text, or the encoder's error."""
        encoder = next((s.encoder for s in self.steps if s.encoder is not None), None)
        if encoder is None:
            return
        layers = tuple(dict.fromkeys(n for step in self.steps for n in step.layers or ()))
        done = 0
        while done < len(texts):
            rest = texts[done:]
            made = encoder.encode_documents((text.whole for text in rest), layers=layers)
            try:
                for _, encoding in zip(rest, made, strict=True):
                    done += 1
                    yield encoding
            except CaseTrackError:
                raise
            except Exception as error:  # noqa: BLE001 - raised for each step that needs it
                done += 1
                yield error


def _read(
    step: EncodingStep, text: ContextText, encoding: Encoding | Exception | None
) -> dict[str, Any]:
    if not isinstance(encoding, Exception):
        return step.read(text, encoding)
    if step.layers is not None:
        raise encoding
    return step.read(text, None)


# Step ``embed``: vectors and token matrices of every chunk, by the profile.

_ADDS = ("dense", "tokens", "sparse_terms", "sparse_weights", "embedders", "embedded_at")


@dataclass(frozen=True, slots=True)
class EmbedStep:
    """Embeds every chunk with the models of the collection's profile; without models, null."""

    encoder: ProfileEncoder | None
    dimension: int
    contract = Contract("embed", 5, "chunks", "chunks", CONTEXT_COLUMNS, _ADDS)

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the models and of the stored form of their outputs, or ``none``."""
        if self.encoder is None:
            return "none"
        form = _form(self.encoder)
        return f"{self.encoder.fingerprint} {form.name if form else '-'} {CONTEXT_VERSION}"

    @property
    def is_idle(self) -> bool:
        """Whether no models are installed."""
        return self.encoder is None

    @property
    def layers(self) -> tuple[int, ...] | None:
        """Only the last layer."""
        return None if self.encoder is None else ()

    @property
    def nothing(self) -> dict[str, Any]:
        """Placeholder for a chunk without vectors."""
        return dict.fromkeys(_ADDS) | {"embedders": []}

    def __call__(self, batches: Batches, /) -> Batches:
        """Add the columns to every batch."""
        return SharedPass((self,), self.dimension)(batches)

    def read(self, text: ContextText, encoding: Encoding | None, /) -> dict[str, Any]:
        """Return the values of the columns for one chunk."""
        if self.encoder is None or encoding is None:
            return self.nothing
        tokens, form = None, _form(self.encoder)
        if form is not None and encoding.tokens is not None:
            tokens = form.pack(_own_tokens(text, encoding.tokens, encoding.token_spans, form))
        terms, weights = encoding.sparse or (None, None)
        return {
            "dense": encoding.dense,
            "tokens": tokens,
            "sparse_terms": terms,
            "sparse_weights": weights,
            "embedders": [self.encoder.fingerprint],
            "embedded_at": datetime.now(UTC),
        }


def _own_tokens(
    text: ContextText, states: np.ndarray, spans: np.ndarray | None, form: TokenForm
) -> np.ndarray:
    """Return the states of the text's meaningful tokens, without those of the context."""
    from casetrack.models.token_matrix import content_tokens

    if spans is None:
        return states
    own = spans[:, 0] >= len(text.context)
    if own.any():
        states, spans = states[own], spans[own]
    return states[content_tokens(text.whole, spans, STOP_WORDS)] if form.content_only else states


def _form(encoder: ProfileEncoder) -> TokenForm | None:
    from casetrack.models.token_matrix import token_form

    return token_form(encoder)
