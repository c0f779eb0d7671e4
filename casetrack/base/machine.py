"""Process-wide control of libraries: memory of the allocator, threads of BLAS, imports."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

# The system's allocator, which keeps freed memory on Linux.

_M_ARENA_MAX, _ARENAS = -8, 2
_M_MMAP_THRESHOLD, _LARGE_BYTES = -3, 1 << 20


@functools.cache
def _libc() -> Any:
    """Return glibc, or ``None`` on systems with another allocator."""
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, "mallopt") and hasattr(libc, "malloc_trim") else None


def share_arenas() -> None:
    """Limit glibc to two arenas, and allocate blocks of 1 MiB or more outside them.

    Measured: 430 instead of 550 MB for one batch with two arenas. Intermediate results of a model
    differ in size per text and fragment the arenas: 560 instead of 650 MB for two reports of 91
    pages with the threshold. A model pass takes 2 to 5 % longer.
    """
    if _libc() is not None:
        _libc().mallopt(_M_ARENA_MAX, _ARENAS)
        _libc().mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)


def release_memory() -> None:
    """Return freed memory to the system, within milliseconds.

    Measured: about 80 MB after every few hundred pages of an ingest, 130 of the 360 MB of a process
    that has read images.
    """
    if _libc() is not None:
        _libc().malloc_trim(0)


def own_bytes(process: int | None = None, /) -> int:
    """Return the resident memory of this or another process, without mapped files if possible."""
    import psutil

    info = psutil.Process(process).memory_info()
    return int(getattr(info, "private", info.rss - getattr(info, "shared", 0)))


# OpenBLAS starts its threads when it is loaded, and Arrow imports pandas for its first array.

_BLAS_THREADS = "OPENBLAS_NUM_THREADS"


def load_light() -> None:
    """Load NumPy with one thread and Arrow without pandas, a fifth of a second, when needed.

    For programs that give Arrow no objects of pandas; what returns such objects, as ``to_pandas``
    does, still imports it. Nothing changes where they are loaded. Measured: 60 MB in a worker.
    """
    if "numpy" not in sys.modules:
        os.environ.setdefault(_BLAS_THREADS, "1")
    if "pyarrow" not in sys.modules and "pandas" not in sys.modules:
        sys.meta_path.insert(0, _LightArrow())


class _LightArrow:
    """Makes Arrow's first array while pandas seems to be missing."""

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> Any:
        if name == "pandas" and "pyarrow" in sys.modules:
            raise ModuleNotFoundError(name)
        if name != "pyarrow":
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and (loader := spec.loader) is not None:
            run = loader.exec_module

            def exec_module(module: Any) -> None:
                sys.meta_path.insert(0, self)
                run(module)
                module.array([0])
                sys.meta_path.remove(self)

            loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


# Keeps the threads of NumPy's products out of the way of others.


class _Limit:
    """A limit from the start of the first of several concurrent blocks to the end of the last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._blocks = 0
        self._before: list[int] = []

    @contextlib.contextmanager
    def __call__(self) -> Iterator[None]:
        with self._lock:
            if not self._blocks:
                self._before = [library.num_threads for library in _libraries()]
                _set_threads([1] * len(self._before))
            self._blocks += 1
        try:
            yield
        finally:
            with self._lock:
                self._blocks -= 1
                if not self._blocks:
                    _set_threads(self._before)


one_thread_each = _Limit()
"""Limit NumPy's BLAS to the calling thread during a block.

Measured: while texts are encoded, the models use all cores, and two BLAS threads took four times
the processor time of one, mostly waiting. In a search the products are small and took up to forty
times as long with two threads on two busy cores.
"""


@functools.cache
def _libraries() -> list[Any]:
    if os.environ.get(_BLAS_THREADS) == "1":
        return []
    # It looks through all libraries of the process, which takes milliseconds; NumPy must be there.
    import numpy  # noqa: F401, ICN001
    from threadpoolctl import ThreadpoolController

    controllers = ThreadpoolController().lib_controllers
    return [library for library in controllers if library.user_api == "blas"]


def _set_threads(counts: list[int]) -> None:
    """Set the number of threads of each BLAS library, whichever thread calls."""
    for library, count in zip(_libraries(), counts, strict=True):
        # Since 3.8 threadpoolctl ignores every thread but the first that has set OpenBLAS's limit,
        # for as long as that thread lives. The lock of `_Limit` orders our calls instead.
        release = getattr(library, "clear_controlling_thread", None)
        if release:
            release(force=True)
        library.set_num_threads(count)
        if release:
            release(force=True)
