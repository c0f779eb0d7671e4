"""Memory modes of models and the memory of the machine (PRD 02 §6 and 06 §6.2).

============ ================= =====================================================================
mode         memory            meaning
============ ================= =====================================================================
full         16 GB and more    every model stays loaded; encoder sessions by the number of cores
standard     8 to 16 GB        models are loaded on first use; above a budget, and when memory
                               is low, the least recently used are unloaded
constrained  less than 8 GB    one encoder session of one thread, one profile at a time; models
                               for sparse vectors and token matrices are loaded per call, and all
                               are unloaded when memory is low
============ ================= =====================================================================

Memory is that of the machine, or the limit of a control group (container, service manager).
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Literal, cast

from casetrack.base.arguments import one_of
from casetrack.base.config import ENV_MEMORY_MODE, MEMORY_MODES
from casetrack.base.dataclass import dataclass

logger = logging.getLogger("casetrack.models.encoders")

MemoryMode = Literal["full", "standard", "constrained"]

# Firmware and graphics reserve a part of the nominal memory, so the limits are lower.
FULL_FROM = 15 * 10**9
STANDARD_FROM = 7 * 10**9
"""Lower limits of the modes, for nominal 16 GB and 8 GB."""
LOW_BYTES = 1 << 30
"""Available bytes that count as low."""
_LOW_CONSTRAINED = 512 << 20
_BUDGET_SHARE = 4
_MOST_BUDGET = 2 << 30
_NO_LIMIT = 1 << 60
"""Version 1 of control groups writes a number near 2 to the 63 for no limit."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory for this process, in bytes."""

    total: int
    available: int  # free without swapping, now
    limited: bool  # whether the total is a control group's limit


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """Limits of a memory mode."""

    mode: MemoryMode
    reason: str  # why it was chosen, for the user
    # sessions, threads: parallel encoder sessions and threads in each; `None` means by the number
    # of cores.
    sessions: int | None = None
    threads: int | None = None
    budget: int | None = None  # bytes of weights above which models are unloaded, or `None`
    most_profiles: int | None = None  # maximum number of loaded profiles, or `None`
    low: int | None = None  # available bytes below which models are unloaded, or `None`
    brief: bool = False  # whether all models except the dense one are loaded per call


def choose_plan(requested: str | None = None, /, memory: Memory | None = None) -> MemoryPlan:
    """Choose the memory mode and log it with its reason.

    *requested* is ``Settings.memory_mode``; *memory* is measured by default. Raises ``UsageError``:
    the mode is unknown.
    """
    machine = measure() if memory is None else memory
    if requested is None:
        mode, reason = _by_memory(machine)
    else:
        mode = cast("MemoryMode", one_of("memory_mode", requested, MEMORY_MODES))
        reason = f"it was set ({ENV_MEMORY_MODE}, or memory_mode in config.toml)"
    logger.info("Memory mode %s: %s.", mode, reason)
    return _plan(mode, reason, machine)


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
    """Measure the memory for this process; *root* contains ``proc`` and ``sys/fs/cgroup``."""
    import psutil

    machine = psutil.virtual_memory()
    limit, free = cgroup_memory(root) if sys.platform == "linux" else (None, None)
    total, available = int(machine.total), int(machine.available)
    if free is not None:
        available = min(available, free)
    if limit is None or limit >= total:
        return Memory(total, available, limited=False)
    return Memory(limit, available, limited=True)


def available_bytes() -> int:
    """Return the bytes that are free without swapping."""
    return measure().available


def cgroup_memory(root: Path = Path("/"), /) -> tuple[int | None, int | None]:
    """Return the limit of this process's control groups and the rest of it, in bytes, or ``None``.

    The lowest limit of the nested groups applies. The inactive page cache counts as free, because
    the kernel frees it first. *root* contains ``proc`` and ``sys/fs/cgroup``.
    """
    limits, remaining = [], []
    for folder, names in _groups(root):
        limit = _number(folder / names[0])
        if limit is None or limit >= _NO_LIMIT:
            continue
        limits.append(limit)
        used = _number(folder / names[1])
        if used is not None:
            remaining.append(max(0, limit - used + _inactive_files(folder)))
    return min(limits, default=None), min(remaining, default=None)


_V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes")
_V2 = ("memory.max", "memory.current")


def _groups(root: Path) -> Iterator[tuple[Path, tuple[str, str]]]:
    """Yield the folder of each control group of this process, and its file names."""
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
    inactive = fields.get("total_inactive_file") or fields.get("inactive_file") or "0"
    return int(inactive) if inactive.isdecimal() else 0
