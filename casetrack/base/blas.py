"""Keeps the threads of NumPy's products out of the way of others."""

from __future__ import annotations

import contextlib
import functools
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Limit:
    """Lasts from the first of several concurrent blocks to the last, for all threads."""

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
"""Keep NumPy's products on the thread that asks for them, for the time of a block.

While texts are encoded, the passes of the models take all cores already: with two threads of its
own a product of the tagger's size took four times the processor time of one, most of it spent
waiting. In a search the products are small: beside other work on two cores they took up to forty
times as long with two threads.
"""


@functools.cache
def _libraries() -> list[Any]:
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
