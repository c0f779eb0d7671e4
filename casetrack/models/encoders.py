"""The shared encoders of a data folder, loaded on first use and unloaded when memory is low."""

from __future__ import annotations

import hashlib
import os
import threading
from collections import deque
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from casetrack.base.config import Settings
from casetrack.base.dataclass import dataclass
from casetrack.base.errors import ModelNotFound, ProfileIncomplete, See, UsageError
from casetrack.base.models.profiles import PROFILES, Profile, find_profile
from casetrack.base.records import DEFAULT_PROFILE
from casetrack.models.memory import MemoryPlan, available_bytes, choose_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from casetrack.extract.finder import NameFinder
    from casetrack.models.base import Encoding, ProfileEncoder, Reranker
    from casetrack.models.model import Model

    Load = Callable[[Path, str, int | None, int | None], ProfileEncoder]
    """Opens a local profile: models folder, name, sessions, threads."""

_MOST_SESSIONS = 4
_AHEAD = 2
"""Texts per session that are in work or finished but not yet read."""


@dataclass(eq=False)
class Encoder:
    """The models of a profile; see :class:`casetrack.models.base.ProfileEncoder`.

    Parameters
    ----------
    name
        Name of the profile, or of its only model.
    tokens
        Model of the token states; the same object as *dense* uses the same pass.
    sessions
        Parallel passes for documents.
    """

    name: str
    dense: Model
    tokens: Model | None = None
    sparse: Model | None = None
    rerank: Model | None = None
    sessions: int = 1

    @classmethod
    def load(
        cls,
        models_dir: Path,
        name: str = "mini",
        *,
        sessions: int | None = None,
        threads: int | None = None,
    ) -> Encoder:
        """Open one dense model, whose states are the tokens.

        *sessions* are parallel passes, by default one per physical core, at most 4; *threads* are
        per pass. Raises ``ModelNotFound``: the model or a file is missing; ``ModelCorrupt``: a file
        has the wrong length, or the manifest is unreadable; ``UsageError``: the model has no dense
        vectors.
        """
        from casetrack.models.model import Model

        model = Model.open(models_dir, name, threads=max(1, threads or 1))
        if (kind := model.manifest.recipe.kind) != "dense":
            raise UsageError(
                f'Model "{name}" makes {kind} vectors, which need other vectors.',
                hint=f"Choose a profile that it belongs to ({See('models list')}).",
            )
        return cls(name, model, tokens=model, sessions=chosen_sessions(sessions))

    @property
    def dimension(self) -> int:
        """Length of the dense vector."""
        return self.dense.manifest.dimension

    @property
    def token_width(self) -> int | None:
        """Length of a token's state; ``None`` without token matrices."""
        return self.tokens.manifest.dimension if self.tokens else None

    @property
    def has_sparse(self) -> bool:
        """Whether there are term weights."""
        return self.sparse is not None

    @property
    def reranker(self) -> Reranker | None:
        """The cross-encoder, which reads several texts in parallel; or ``None``."""
        return None if self.rerank is None else self._scores

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the files, recipes and builder versions behind the vectors.

        Vectors are comparable only with equal fingerprints. A profile of one model has the model's.
        """
        parts = [
            f"{role}={model.manifest.fingerprint}"
            for role, model in (("tokens", self.tokens), ("sparse", self.sparse))
            if model is not None and model is not self.dense
        ]
        own = self.dense.manifest.fingerprint
        if not parts:
            return own
        return hashlib.sha256("\n".join([f"dense={own}", *parts]).encode()).hexdigest()[:16]

    @property
    def resident_bytes(self) -> int:
        """Approximate bytes of the loaded weights."""
        return sum(model.resident_bytes for model in self._models())

    def unload(self) -> None:
        """Unload all weights; the next text loads them again."""
        for model in self._models():
            model.unload()

    def trim(self) -> None:
        """Unload all models except the dense one."""
        for model in self._models()[1:]:
            model.unload()

    def encode_query(self, text: str, /) -> Encoding:
        """Encode one query in the calling thread.

        Raises ``ValueError``: the text has no tokens; ``ModelCorrupt``: a model's files cannot be
        loaded.
        """
        return self._encode(text, is_query=True)

    def encode_documents(
        self, texts: Iterable[str], /, *, layers: Sequence[int] = ()
    ) -> Iterator[Encoding]:
        """Encode texts in order, several in parallel, a few ahead of the reader.

        A text longer than the model's maximum is split into windows; see :meth:`Model.encode`.

        Parameters
        ----------
        texts
            Read on demand, at most twice the number of sessions ahead.
        layers
            Further requested layers (1-based) of the dense model, with rows as in
            ``Encoding.tokens``; requires tokens from the dense model.

        Raises ``ValueError``: a text has no tokens (raised at its turn), or a layer does not exist;
        ``ModelCorrupt``: a model's files cannot be loaded.
        """
        from concurrent.futures import ThreadPoolExecutor

        wanted = tuple(layers)
        if self.sessions == 1:
            for text in texts:
                yield self._encode(text, wanted)
            return
        source = iter(texts)
        pool = ThreadPoolExecutor(self.sessions, thread_name_prefix="casetrack-encoder")
        pending: deque[Future[Encoding]] = deque()
        try:
            for text in islice(source, self.sessions * _AHEAD):
                pending.append(pool.submit(self._encode, text, wanted))
            while pending:
                encoding = pending.popleft().result()
                for text in islice(source, 1):
                    pending.append(pool.submit(self._encode, text, wanted))
                yield encoding
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def document_spans(self, text: str, /) -> NDArray[np.int32] | None:
        """Return the spans of a document's tokens; see :class:`ProfileEncoder`."""
        return None if self.tokens is None else self.tokens.document_spans(text)

    def _encode(
        self, text: str, layers: tuple[int, ...] = (), *, is_query: bool = False
    ) -> Encoding:
        from casetrack.models.base import Encoding

        if layers and self.tokens is not self.dense:
            raise ValueError(
                f'profile "{self.name}" has no earlier layers: its tokens are of another model'
            )
        dense = self.dense.encode(text, is_query=is_query, layers=layers)
        tokens = dense
        if self.tokens is not None and self.tokens is not self.dense:
            tokens = self.tokens.encode(text, is_query=is_query)
        sparse = self.sparse.encode(text, is_query=is_query).sparse if self.sparse else None
        if dense.dense is None:
            raise TypeError(f'profile "{self.name}" has no dense model')
        return Encoding(
            dense=dense.dense,
            tokens=tokens.tokens if self.tokens else None,
            token_spans=tokens.spans if self.tokens else None,
            layers=dense.layers,
            sparse=sparse,
        )

    def _scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        if self.rerank is None:
            raise TypeError(f'profile "{self.name}" has no reranker')
        score = partial(self.rerank.score, query)
        if self.sessions == 1:
            return np.array([score(text) for text in texts], dtype=np.float32)
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(self.sessions, thread_name_prefix="casetrack-encoder") as pool:
            return np.array(list(pool.map(score, texts)), dtype=np.float32)

    def _models(self) -> list[Model]:
        """Return the distinct models, the dense one first."""
        named = (self.dense, self.tokens, self.sparse, self.rerank)
        return list({id(model): model for model in named if model is not None}.values())


def chosen_sessions(sessions: int | None, /) -> int:
    """Return *sessions*, at least 1, or the default for ``None``."""
    return default_sessions() if sessions is None else max(1, sessions)


def default_sessions() -> int:
    """Return the default number of parallel passes: one per usable core, at most 4."""
    import psutil

    cores = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else cores
    return max(1, min(cores, usable, _MOST_SESSIONS))


def load_profile(
    models_dir: Path,
    profile: str | Profile,
    /,
    sessions: int | None = None,
    threads: int | None = None,
) -> Encoder:
    """Open the models of a local profile; the first text loads their weights.

    *sessions* are parallel passes, by default one per physical core, at most 4; *threads* are per
    pass. Raises ``UsageError``: the profile is unknown, or belongs to a provider;
    ``ModelNotFound``: models are not installed; the text lists them; ``ModelCorrupt``: a file has
    the wrong length, or a manifest is unreadable.
    """
    from casetrack.models.model import Model

    chosen = find_profile(profile) if isinstance(profile, str) else profile
    if not chosen.dense:
        raise UsageError(
            f'Profile "{chosen.name}" has no models on this machine: {chosen.provider} makes its '
            "vectors.",
            hint=f"Choose one of the other profiles ({See('models list')}).",
        )
    models, missing = {}, []
    for name in chosen.model_names:
        try:
            models[name] = Model.open(models_dir, name, threads=max(1, threads or 1))
        except ModelNotFound:
            missing.append(name)
    if missing == [chosen.name]:
        raise ModelNotFound(chosen.name, models_dir)
    if missing:
        raise ProfileIncomplete(chosen.name, missing, models_dir)
    return Encoder(
        chosen.name,
        models[chosen.dense],
        tokens=models[chosen.tokens] if chosen.tokens else None,
        sparse=models[chosen.sparse] if chosen.sparse else None,
        rerank=models[chosen.rerank] if chosen.rerank else None,
        sessions=chosen_sessions(sessions),
    )


@runtime_checkable
class Trimmable(Protocol):
    """A profile whose models can be unloaded individually."""

    def trim(self) -> None:
        """Unload all models except the dense one."""


class Encoders:
    """Loads each profile once per process within the memory mode; thread-safe.

    A profile is never unloaded during a pass.

    Parameters
    ----------
    sessions
        Parallel encoder sessions; ``None`` means by the memory mode.
    plan
        Limits of the memory mode; by default chosen on first use.
    load
        Opens a local profile.
    available
        Returns the available bytes of memory.
    """

    def __init__(
        self,
        models_dir: Path,
        /,
        *,
        sessions: int | None = None,
        settings: Settings | None = None,
        plan: MemoryPlan | None = None,
        load: Load | None = None,
        available: Callable[[], int] | None = None,
    ) -> None:
        self.models_dir = models_dir
        self._sessions = sessions
        self._settings = settings
        self._plan = plan
        self._open = load or load_profile
        self._available = available or available_bytes
        self._lock = threading.RLock()
        self._profiles: dict[str, _Managed] = {}
        """Least recently used first."""
        self._providers: dict[tuple[str, int | None], ProfileEncoder] = {}

    @classmethod
    def of(cls, settings: Settings, /) -> Encoders:
        """Return the encoders of a data folder."""
        return cls(settings.models_dir, sessions=settings.inference_threads, settings=settings)

    @property
    def plan(self) -> MemoryPlan:
        """Limits of the memory mode."""
        with self._lock:
            if self._plan is None:
                self._plan = choose_plan(self._settings.memory_mode if self._settings else None)
            return self._plan

    def get(self, name: str, /, *, dimension: int | None = None) -> ProfileEncoder:
        """Return the encoder of a profile.

        *dimension* is the length of the collection's vectors, which a provider must match. Only the
        name of a provider's profile selects that provider. Raises ``ModelNotFound`` or
        ``ModelCorrupt``: a model is not installed, or its files are damaged; ``ProviderError`` or
        ``UsageError``: the provider's settings are invalid.
        """
        from casetrack.models.providers import PROVIDERS

        with self._lock:
            if name in PROVIDERS:
                return self._provider(name, dimension)
            if name not in self._profiles:
                plan = self.plan
                # The user's setting overrides the mode.
                sessions = plan.sessions if self._sessions is None else self._sessions
                encoder = self._open(self.models_dir, name, sessions, plan.threads)
                self._profiles[name] = _Managed(encoder, self)
            return cast("ProfileEncoder", self._profiles[name])

    def get_installed(self, name: str, /, *, dimension: int | None = None) -> ProfileEncoder | None:
        """Return the encoder of a profile, or ``None`` if a model is not installed."""
        try:
            return self.get(name, dimension=dimension)
        except ModelNotFound:
            return None

    def names(self, profile: str, /) -> NameFinder | None:
        """Return the name tagger of a profile's collections, or ``None`` without a model.

        The tagger reads the states of the embedded model's pass; other profiles need an extra pass.
        The settings may choose a model of the catalogue, or none. Raises ``ModelNotFound`` or
        ``ModelCorrupt``: the chosen model is not installed, or damaged.
        """
        chosen = self._settings.names if self._settings else "auto"
        if chosen == "off":
            return None
        from casetrack.extract.finder import OwnPass
        from casetrack.extract.names import tagger_of
        from casetrack.extract.names.labels import LabelTagger
        from casetrack.models.model import Model

        if chosen != "auto":
            return LabelTagger(Model.open(self.models_dir, chosen))

        embedded = self.get_installed(DEFAULT_PROFILE)
        tagger = tagger_of(embedded) if embedded is not None else None
        if embedded is None or tagger is None:
            return None
        return tagger if _same_states(profile) else OwnPass(tagger, embedded)

    @property
    def loaded(self) -> tuple[str, ...]:
        """Names of the profiles with loaded models."""
        with self._lock:
            return tuple(sorted(name for name, p in self._profiles.items() if p.resident_bytes))

    @property
    def resident_bytes(self) -> int:
        """Approximate bytes of all loaded weights."""
        with self._lock:
            return sum(profile.resident_bytes for profile in self._profiles.values())

    def unload(self) -> None:
        """Unload all models without a running pass."""
        with self._lock:
            for profile in self._profiles.values():
                if not profile.passes:
                    profile.encoder.unload()

    def _provider(self, name: str, dimension: int | None) -> ProfileEncoder:
        from casetrack.models import providers

        key = (name, dimension)
        if key not in self._providers:
            settings = self._settings or Settings(self.models_dir.parent, self.models_dir)
            self._providers[key] = providers.make(
                name, settings, chosen_as=name, dimension=dimension
            )
        return self._providers[key]

    @contextmanager
    def _using(self, profile: _Managed) -> Iterator[None]:
        """Free memory before a pass, and apply the plan after it."""
        with self._lock:
            loads = not profile.resident_bytes
            profile.passes += 1
            name = next(n for n, p in self._profiles.items() if p is profile)
            self._profiles[name] = self._profiles.pop(name)
            if loads:
                self._make_room(profile)
        try:
            yield
        finally:
            with self._lock:
                profile.passes -= 1
                profile.size = max(profile.size, profile.resident_bytes)
                self._settle(profile, loaded=loads)

    def _make_room(self, profile: _Managed) -> None:
        """Unload the least recently used profiles until *profile* fits."""
        plan = self.plan
        for other in self._idle(profile):
            loaded = [p for p in self._profiles.values() if p.resident_bytes and p is not profile]
            crowd = plan.most_profiles is not None and len(loaded) >= plan.most_profiles
            weight = profile.size + sum(p.resident_bytes for p in loaded)
            heavy = plan.budget is not None and weight > plan.budget
            if not (crowd or heavy or self._is_low(profile.size)):
                return
            other.encoder.unload()

    def _settle(self, profile: _Managed, *, loaded: bool) -> None:
        """Unload models that the plan does not keep after a pass of *profile*."""
        plan = self.plan
        if plan.brief and not profile.passes:
            _trim(profile.encoder)
        if loaded or plan.brief:
            for other in self._idle(profile):
                # Its own size is known by now; it may be larger than was left free.
                weight = self.resident_bytes
                crowd = plan.most_profiles is not None and len(self.loaded) > plan.most_profiles
                heavy = plan.budget is not None and weight > plan.budget
                if not (crowd or heavy or self._is_low(0)):
                    break
                other.encoder.unload()
        if plan.brief and not profile.passes and self._is_low(0):
            profile.encoder.unload()

    def _idle(self, profile: _Managed) -> list[_Managed]:
        """Return the other loaded profiles without a running pass, least recently used first."""
        others = (p for p in self._profiles.values() if p is not profile)
        return [other for other in others if other.resident_bytes and not other.passes]

    def _is_low(self, wanted: int) -> bool:
        low = self.plan.low
        return low is not None and self._available() < low + wanted


class _Managed:
    """A profile's encoder that notifies its owner of passes."""

    def __init__(self, encoder: ProfileEncoder, owner: Encoders) -> None:
        self.encoder = encoder
        self.passes = 0
        self.size = 0
        self._owner = owner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.encoder, name)

    @property
    def reranker(self) -> Reranker | None:
        if (score := self.encoder.reranker) is None:
            return None

        def scores(query: str, texts: Sequence[str]) -> NDArray[np.float32]:
            with self._owner._using(self):
                return score(query, texts)

        return scores

    def encode_query(self, text: str, /) -> Encoding:
        with self._owner._using(self):
            return self.encoder.encode_query(text)

    def encode_documents(
        self, texts: Iterable[str], /, *, layers: Sequence[int] = ()
    ) -> Iterator[Encoding]:
        with self._owner._using(self):
            yield from self.encoder.encode_documents(texts, layers=layers)


def _same_states(profile: str) -> bool:
    """Return whether a profile has the dense pass of the default profile."""
    dense = {p.name: p.dense for p in PROFILES}
    return profile == DEFAULT_PROFILE or dense.get(profile) == dense[DEFAULT_PROFILE]


def _trim(encoder: ProfileEncoder) -> None:
    """Unload the models for sparse vectors and token matrices only."""
    if isinstance(encoder, Trimmable):
        encoder.trim()
    elif encoder.has_sparse:
        encoder.unload()
