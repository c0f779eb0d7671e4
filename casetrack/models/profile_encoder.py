"""Open the models of a profile as one encoder."""

from __future__ import annotations

import hashlib
import os
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING

from casetrack.base.errors import ModelNotFound, ProfileIncomplete, See, UsageError
from casetrack.base.models.profiles import find_profile
from casetrack.models.base import Encoding, Floats, ProfileEncoder
from casetrack.models.model import Model

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from casetrack.base.models.profiles import Profile

# Run the models of a profile: text in; dense vector, token states and term weights out.

__all__ = ["Encoder", "Encoding", "Floats", "ProfileEncoder", "default_sessions"]

_MOST_SESSIONS = 4
_AHEAD = 2
"""Texts in work or finished but not fetched, per session."""


class Encoder:
    """The models of a profile, ready to run; see `casetrack.models.base.ProfileEncoder`.

    Parameters
    ----------
    name
        The profile's name, or that of its only model.
    dense
        Makes the dense vector.
    tokens
        Makes the token states; the same object as *dense* takes them from the same pass.
    sparse
        Makes the term weights.
    sessions
        Passes side by side when documents are encoded.
    """

    def __init__(
        self,
        name: str,
        dense: Model,
        *,
        tokens: Model | None = None,
        sparse: Model | None = None,
        sessions: int = 1,
    ) -> None:
        self._name = name
        self._dense = dense
        self._tokens = tokens
        self._sparse = sparse
        self._sessions = sessions

    @classmethod
    def load(
        cls,
        models_dir: Path,
        name: str = "mini",
        *,
        sessions: int | None = None,
        threads: int | None = None,
    ) -> Encoder:
        """Open one dense model of the models folder; its states are the tokens.

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
        UsageError
            The model makes no dense vectors.
        """
        model = Model.open(models_dir, name, threads=max(1, threads or 1))
        if (kind := model.manifest.recipe.kind) != "dense":
            raise UsageError(
                f'Model "{name}" makes {kind} vectors, which cannot stand alone.',
                hint=f"Choose a profile that it belongs to ({See('models list')}).",
            )
        return cls(name, model, tokens=model, sessions=chosen_sessions(sessions))

    @property
    def name(self) -> str:
        """The profile's name."""
        return self._name

    @property
    def dimension(self) -> int:
        """Length of the dense vector."""
        return self._dense.manifest.dimension

    @property
    def token_width(self) -> int | None:
        """Length of every token's state; ``None`` without token matrices."""
        return self._tokens.manifest.dimension if self._tokens else None

    @property
    def has_sparse(self) -> bool:
        """Whether there are term weights."""
        return self._sparse is not None

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the models' files and recipes and of what built their graphs.

        Vectors of two encoders can be compared only if this is the same. Where one model does all,
        it is that model's own.
        """
        parts = [
            f"{role}={model.manifest.fingerprint}"
            for role, model in (("tokens", self._tokens), ("sparse", self._sparse))
            if model is not None and model is not self._dense
        ]
        own = self._dense.manifest.fingerprint
        if not parts:
            return own
        return hashlib.sha256("\n".join([f"dense={own}", *parts]).encode()).hexdigest()[:16]

    @property
    def sessions(self) -> int:
        """Passes side by side when documents are encoded."""
        return self._sessions

    @property
    def resident_bytes(self) -> int:
        """Rough bytes of loaded weights; 0 while nothing is loaded."""
        return sum(model.resident_bytes for model in self._models())

    def unload(self) -> None:
        """Let go of all weights; they load again with the next text."""
        for model in self._models():
            model.unload()

    def trim(self) -> None:
        """Let go of the weights of all models but the one that makes dense vectors."""
        for model in self._models()[1:]:
            model.unload()

    def encode_query(self, text: str, /) -> Encoding:
        """Encode one text in the calling thread, as something searched for.

        Raises
        ------
        ValueError
            The text has no tokens.
        ModelCorrupt
            A model's files cannot be loaded.
        """
        return self._encode(text, is_query=True)

    def encode_documents(
        self, texts: Iterable[str], /, *, layers: Sequence[int] = ()
    ) -> Iterator[Encoding]:
        """Encode texts in their order, several side by side, and only a few ahead of the reader.

        A text longer than a model takes is cut into windows; see `Model.encode`.

        Parameters
        ----------
        texts
            Read as the encodings are fetched, at most twice the number of sessions ahead.
        layers
            Earlier layers (1-based) of the dense model whose states are wanted as well, row by row
            as in `Encoding.tokens`; only where the tokens come from the dense model.

        Yields
        ------
        Encoding
            One per text.

        Raises
        ------
        ValueError
            A text has no tokens (it comes when that text's turn does), or there is no such layer.
        ModelCorrupt
            A model's files cannot be loaded.
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

    def document_spans(self, text: str, /) -> NDArray[np.int32] | None:
        """Return where the tokens of a document's text lie; see `ProfileEncoder`."""
        return None if self._tokens is None else self._tokens.document_spans(text)

    def _encode(
        self, text: str, layers: tuple[int, ...] = (), *, is_query: bool = False
    ) -> Encoding:
        if layers and self._tokens is not self._dense:
            raise ValueError(
                f'profile "{self._name}" has no earlier layers: its tokens are of another model'
            )
        dense = self._dense.encode(text, is_query=is_query, layers=layers)
        tokens = dense
        if self._tokens is not None and self._tokens is not self._dense:
            tokens = self._tokens.encode(text, is_query=is_query)
        sparse = self._sparse.encode(text, is_query=is_query).sparse if self._sparse else None
        if dense.dense is None:
            raise TypeError(f'profile "{self._name}" has no dense model')
        return Encoding(
            dense=dense.dense,
            tokens=tokens.tokens if self._tokens else None,
            token_spans=tokens.spans if self._tokens else None,
            layers=dense.layers,
            sparse=sparse,
        )

    def _models(self) -> list[Model]:
        """Return every model once, the dense one first."""
        named = (self._dense, self._tokens, self._sparse)
        return list({id(model): model for model in named if model is not None}.values())


def chosen_sessions(sessions: int | None, /) -> int:
    """Return *sessions*, at least 1, or the default number where it is ``None``."""
    return default_sessions() if sessions is None else max(1, sessions)


def default_sessions() -> int:
    """Return how many passes run side by side by default: one per usable core, at most 4."""
    import psutil

    cores = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else cores
    return max(1, min(cores, usable, _MOST_SESSIONS))


def load_profile(
    models_dir: Path,
    profile: str | Profile,
    /,
    *,
    sessions: int | None = None,
    threads: int | None = None,
) -> Encoder:
    """Open the models of a profile; their weights are loaded with the first text.

    Parameters
    ----------
    models_dir
        The models folder.
    profile
        A profile whose models run on this machine, or its name.
    sessions
        Passes side by side when documents are encoded; by default one per physical core, at
        most 4.
    threads
        Threads within each pass; by default 1.

    Raises
    ------
    UsageError
        There is no such profile, or a provider makes its vectors.
    ModelNotFound
        Models of it are not installed; the text names all of them.
    ModelCorrupt
        A file has not the length it should have, or a manifest cannot be read.
    """
    found = find_profile(profile) if isinstance(profile, str) else profile
    if not found.dense:
        raise UsageError(
            f'Profile "{found.name}" has no models on this machine: {found.provider} makes its '
            "vectors.",
            hint=f"Choose one of the other profiles ({See('models list')}).",
        )
    models, missing = {}, []
    for name in found.model_names:
        try:
            models[name] = Model.open(models_dir, name, threads=max(1, threads or 1))
        except ModelNotFound:
            missing.append(name)
    if missing == [found.name]:
        raise ModelNotFound(found.name, models_dir)
    if missing:
        raise ProfileIncomplete(found.name, missing, models_dir)
    return Encoder(
        found.name,
        models[found.dense],
        tokens=models[found.tokens] if found.tokens else None,
        sparse=models[found.sparse] if found.sparse else None,
        sessions=chosen_sessions(sessions),
    )
