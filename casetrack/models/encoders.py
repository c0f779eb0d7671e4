"""The models of a data folder: loaded when first used, shared, unloaded when memory asks for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from casetrack.base.errors import ModelNotFound
from casetrack.base.records import DEFAULT_PROFILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from casetrack.base.config import Settings
    from casetrack.extract.finder import NameFinder
    from casetrack.models.base import Encoding, ProfileEncoder
    from casetrack.models.memory import MemoryPlan

Load = Callable[[Path, str, int | None, int | None], "ProfileEncoder"]
"""Opens an embedded profile: models folder, name, sessions, threads."""


@runtime_checkable
class Trimmable(Protocol):
    """A profile whose models can be let go of one by one."""

    def trim(self) -> None:
        """Let go of all models but the one that makes dense vectors."""
        ...


class Encoders:
    """Loads each profile once per process, and keeps within the memory mode.

    Safe to use from several threads. A profile in the middle of a pass is never unloaded.

    Parameters
    ----------
    models_dir
        Folder of model files.
    sessions
        Encoder sessions side by side; ``None`` means by the memory mode.
    settings
        Settings of providers and of the memory mode; by default those that nobody has changed.
    plan
        What the memory mode allows; by default it is chosen when the first profile is asked for.
    load
        Opens an embedded profile.
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
        self._open = load or _open_profile
        self._available = available or _available_bytes
        self._lock = threading.RLock()
        self._profiles: dict[str, _Managed] = {}
        """Used longest ago first."""
        self._providers: dict[tuple[str, int | None], ProfileEncoder] = {}

    @classmethod
    def of(cls, settings: Settings, /) -> Encoders:
        """Return the encoders of a data folder."""
        return cls(settings.models_dir, sessions=settings.inference_threads, settings=settings)

    @property
    def plan(self) -> MemoryPlan:
        """What the memory mode allows."""
        from casetrack.models.memory import choose_plan

        with self._lock:
            if self._plan is None:
                self._plan = choose_plan(self._settings.memory_mode if self._settings else None)
            return self._plan

    def get(self, name: str, /, *, dimension: int | None = None) -> ProfileEncoder:
        """Return the encoder of a profile.

        Parameters
        ----------
        name
            The profile chosen for a collection. Only a provider's own name ever leads to it.
        dimension
            Length of the dense vectors that the collection holds, or ``None``; a provider is held
            to it.

        Raises
        ------
        ModelNotFound, ModelCorrupt
            A model of it is not installed, or its files are damaged.
        ProviderError, UsageError
            The provider's settings do not fit.
        """
        from casetrack.models.providers import PROVIDERS

        with self._lock:
            if name in PROVIDERS:
                return self._provider(name, dimension)
            if name not in self._profiles:
                plan = self.plan
                # What the user has set goes before what the mode would choose.
                sessions = plan.sessions if self._sessions is None else self._sessions
                encoder = self._open(self.models_dir, name, sessions, plan.threads)
                self._profiles[name] = _Managed(encoder, self)
            return self._profiles[name]

    def get_installed(self, name: str, /, *, dimension: int | None = None) -> ProfileEncoder | None:
        """Return the encoder of a profile, or ``None`` where a model of it is not installed."""
        try:
            return self.get(name, dimension=dimension)
        except ModelNotFound:
            return None

    def names(self, profile: str, /) -> NameFinder | None:
        """Return what looks for names in a collection of a profile, or ``None`` without a model.

        The tagger of the embedded model reads the states of the profile's own pass where the
        profile is that model; beside other profiles the embedded model makes a pass for it.
        Instead of it the settings may name a model of the catalogue, or nothing.

        Raises
        ------
        ModelNotFound, ModelCorrupt
            The model that the settings name is not installed, or damaged.
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
        """Names of the profiles whose models are in memory, all or some."""
        with self._lock:
            return tuple(sorted(name for name, p in self._profiles.items() if p.resident_bytes))

    @property
    def resident_bytes(self) -> int:
        """Rough bytes of all loaded weights."""
        with self._lock:
            return sum(profile.resident_bytes for profile in self._profiles.values())

    def unload(self) -> None:
        """Let go of all models that are not in the middle of a pass."""
        with self._lock:
            for profile in self._profiles.values():
                if not profile.passes:
                    profile.encoder.unload()

    def _provider(self, name: str, dimension: int | None) -> ProfileEncoder:
        from casetrack.base.config import Settings
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
        """Make room before a pass, and keep within the plan after it."""
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
        """Unload others, those used longest ago first, until *profile* fits beside the rest."""
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
        """Unload what the plan does not allow to stay after a pass of *profile*."""
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
        """Return the other loaded profiles that no pass needs, used longest ago first."""
        others = (p for p in self._profiles.values() if p is not profile)
        return [other for other in others if other.resident_bytes and not other.passes]

    def _is_low(self, wanted: int) -> bool:
        low = self.plan.low
        return low is not None and self._available() < low + wanted


class _Managed:
    """A profile's encoder that tells its owner when it works."""

    def __init__(self, encoder: ProfileEncoder, owner: Encoders) -> None:
        self.encoder = encoder
        self.passes = 0
        self.size = 0
        self._owner = owner

    @property
    def name(self) -> str:
        return self.encoder.name

    @property
    def fingerprint(self) -> str:
        return self.encoder.fingerprint

    @property
    def dimension(self) -> int:
        return self.encoder.dimension

    @property
    def token_width(self) -> int | None:
        return self.encoder.token_width

    @property
    def has_sparse(self) -> bool:
        return self.encoder.has_sparse

    @property
    def resident_bytes(self) -> int:
        return self.encoder.resident_bytes

    def encode_query(self, text: str, /) -> Encoding:
        with self._owner._using(self):
            return self.encoder.encode_query(text)

    def encode_documents(
        self, texts: Iterable[str], /, *, layers: Sequence[int] = ()
    ) -> Iterator[Encoding]:
        with self._owner._using(self):
            yield from self.encoder.encode_documents(texts, layers=layers)

    def document_spans(self, text: str, /) -> NDArray[np.int32] | None:
        return self.encoder.document_spans(text)  # needs the tokenizer alone

    def unload(self) -> None:
        self.encoder.unload()


def _same_states(profile: str) -> bool:
    """Say whether the dense pass of a profile is that of the usual one."""
    from casetrack.base.models.profiles import PROFILES

    dense = {p.name: p.dense for p in PROFILES}
    return profile == DEFAULT_PROFILE or dense.get(profile) == dense[DEFAULT_PROFILE]


def _trim(encoder: ProfileEncoder) -> None:
    """Let go of the models that are there for sparse vectors and token matrices only."""
    if isinstance(encoder, Trimmable):
        encoder.trim()
    elif encoder.has_sparse:
        encoder.unload()


def _open_profile(
    models_dir: Path, name: str, sessions: int | None, threads: int | None
) -> ProfileEncoder:
    from casetrack.models.profile_encoder import load_profile

    return load_profile(models_dir, name, sessions=sessions, threads=threads)


def _available_bytes() -> int:
    from casetrack.models.memory import available_bytes

    return available_bytes()
