"""The models of a data folder: loaded when first used, shared, unloaded when memory asks for it."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Literal, Protocol, cast, runtime_checkable

from casetrack.base.config import ENV_MEMORY_MODE, MEMORY_MODES
from casetrack.base.errors import ModelNotFound, UsageError
from casetrack.base.records import DEFAULT_PROFILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from casetrack.base.config import Settings
    from casetrack.extract.finder import NameFinder
    from casetrack.models.base import Encoding, ProfileEncoder

# How much memory models may take: the mode, what it means, and what the machine has.
#
# The modes and their limits are those of the requirement (PRD 02 §6 and 06 §6.2):
#
# ============ =================
#   =====================================================================
# mode         memory            meaning
# ============ =================
#   =====================================================================
# full         16 GB and more    every model stays loaded; encoder sessions by the number of cores
# standard     8 to 16 GB        models are loaded when first used; above a budget, and when memory
#                                runs low, those used longest ago are unloaded
# constrained  less than 8 GB    one encoder session of one thread, one profile loaded at a time;
#                                models for sparse vectors and token matrices are loaded for a call
#                                and unloaded after it, and all of them when memory runs low
# ============ =================
#   =====================================================================
#
# Memory is what this process may use: that of the machine, or less where a control group (a
# container, a service manager) sets a limit.

logger = logging.getLogger("casetrack.models.encoders")

MemoryMode = Literal["full", "standard", "constrained"]

# Firmware and graphics keep part of the memory a machine is sold with, so the limits lie below.
FULL_FROM = 15 * 10**9
STANDARD_FROM = 7 * 10**9
"""Bytes of memory from which the mode is chosen: sold as 16 GB, and as 8 GB."""
LOW_BYTES = 1 << 30
"""Available bytes below which memory runs low."""
_LOW_CONSTRAINED = 512 << 20
_BUDGET_SHARE = 4
_MOST_BUDGET = 2 << 30
_NO_LIMIT = 1 << 60
"""Version 1 of control groups writes a number near 2 to the 63 for no limit."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory that this process may use, in bytes.

    Attributes
    ----------
    total
        The machine's, or a control group's limit where that is lower.
    available
        What can be taken without swapping, now.
    limited
        Whether the total is a control group's limit.
    """

    total: int
    available: int
    limited: bool


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """What a mode means for the models.

    Attributes
    ----------
    mode
        Its name.
    reason
        Why it was chosen, for people.
    sessions, threads
        Encoder sessions side by side and threads in each; ``None`` means by the number of cores.
    budget
        Bytes of weights above which models are unloaded, or ``None``.
    most_profiles
        Profiles loaded at the same time, or ``None``.
    low
        Available bytes below which models are unloaded, or ``None``.
    brief
        Whether everything but the dense model is loaded for one call only.
    """

    mode: MemoryMode
    reason: str
    sessions: int | None = None
    threads: int | None = None
    budget: int | None = None
    most_profiles: int | None = None
    low: int | None = None
    brief: bool = False


def choose_plan(requested: str | None = None, /, memory: Memory | None = None) -> MemoryPlan:
    """Choose the mode and log it with its reason.

    Parameters
    ----------
    requested
        A mode that was asked for (`casetrack.base.config.Settings.memory_mode`), or ``None``.
    memory
        What there is; by default it is measured.

    Raises
    ------
    UsageError
        There is no such mode.
    """
    found = measure() if memory is None else memory
    if requested is None:
        mode, reason = _by_memory(found)
    elif requested in MEMORY_MODES:
        mode = cast("MemoryMode", requested)
        reason = f"it was set ({ENV_MEMORY_MODE}, or memory_mode in config.toml)"
    else:
        raise UsageError(
            f"Unknown memory mode {requested!r}.", hint=f"Use one of: {', '.join(MEMORY_MODES)}."
        )
    logger.info("Memory mode %s: %s.", mode, reason)
    return _plan(mode, reason, found)


def _by_memory(memory: Memory) -> tuple[MemoryMode, str]:
    gb = f"{memory.total / 1e9:.1f} GB of memory"
    gb += " by the limit of a control group" if memory.limited else ""
    if memory.available < LOW_BYTES:
        left = memory.available / 1e6
        return "constrained", f"of {gb} only {left:.0f} MB are available"
    if memory.total < STANDARD_FROM:
        return "constrained", f"{gb}, less than 8"
    if memory.total < FULL_FROM:
        return "standard", f"{gb}, between 8 and 16"
    return "full", f"{gb}, 16 or more"


def _plan(mode: MemoryMode, reason: str, memory: Memory) -> MemoryPlan:
    if mode == "full":
        return MemoryPlan(mode, reason)
    budget = min(memory.total // _BUDGET_SHARE, _MOST_BUDGET)
    if mode == "standard":
        return MemoryPlan(mode, reason, budget=budget, low=LOW_BYTES)
    return MemoryPlan(
        mode,
        reason,
        sessions=1,
        threads=1,
        budget=budget,
        most_profiles=1,
        low=_LOW_CONSTRAINED,
        brief=True,
    )


def measure(root: Path = Path("/"), /) -> Memory:
    """Measure the memory that this process may use.

    Parameters
    ----------
    root
        Where ``proc`` and ``sys/fs/cgroup`` are.
    """
    import psutil

    machine = psutil.virtual_memory()
    limit, room = cgroup_memory(root) if sys.platform == "linux" else (None, None)
    total, available = int(machine.total), int(machine.available)
    if room is not None:
        available = min(available, room)
    if limit is None or limit >= total:
        return Memory(total, available, limited=False)
    return Memory(limit, available, limited=True)


def available_bytes() -> int:
    """Return the bytes that can be taken without swapping, now."""
    return measure().available


def cgroup_memory(root: Path = Path("/"), /) -> tuple[int | None, int | None]:
    """Return the limit of this process's control groups and what is left of it, in bytes.

    A group is bound by the limits of all groups above it, so the lowest counts. Files that can be
    given up (the inactive page cache) count as left, as the kernel frees them first.

    Parameters
    ----------
    root
        Where ``proc`` and ``sys/fs/cgroup`` are.

    Returns
    -------
    tuple
        Both ``None`` where nothing sets a limit.
    """
    limits, rooms = [], []
    for folder, names in _groups(root):
        limit = _number(folder / names[0])
        if limit is None or limit >= _NO_LIMIT:
            continue
        limits.append(limit)
        used = _number(folder / names[1])
        if used is not None:
            rooms.append(max(0, limit - used + _inactive_files(folder)))
    return min(limits, default=None), min(rooms, default=None)


_V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes")
_V2 = ("memory.max", "memory.current")


def _groups(root: Path) -> Iterator[tuple[Path, tuple[str, str]]]:
    """Yield the folder of every group that holds this process, and its files' names."""
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if not controllers:
            mount, names = root / "sys/fs/cgroup", _V2
        elif "memory" in controllers.split(","):
            mount, names = root / "sys/fs/cgroup/memory", _V1
        else:
            continue
        # In a container the path may be the host's, which is not there; the mount is then ours.
        own = PurePosixPath(path.lstrip("/"))
        for part in (own, *own.parents):
            if ".." not in part.parts:
                yield mount / part, names


def _number(path: Path) -> int | None:
    try:
        text = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return int(text) if text.isdecimal() else None


def _inactive_files(folder: Path) -> int:
    try:
        lines = (folder / "memory.stat").read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return 0
    fields = dict(line.split(maxsplit=1) for line in lines if " " in line)
    # Version 1 has both; there only the total includes the groups below.
    found = fields.get("total_inactive_file") or fields.get("inactive_file") or "0"
    return int(found) if found.isdecimal() else 0


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

    return available_bytes()
