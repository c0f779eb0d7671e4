"""Keeps the threads of NumPy's products out of the way of others."""

from __future__ import annotations

import contextlib
import functools
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Limit:
    """Holds from the first of several blocks that run side by side to the last of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._blocks = 0
        self._limiter: Any = None

    @contextlib.contextmanager
    def __call__(self) -> Iterator[None]:
        with self._lock:
            if not self._blocks:
                self._limiter = _pools().limit(limits=1, user_api="blas")
            self._blocks += 1
        try:
            yield
        finally:
            with self._lock:
                self._blocks -= 1
                if not self._blocks:
                    self._limiter.restore_original_limits()


one_thread_each = _Limit()
"""Keep NumPy's products on the thread that asks for them, for the time of a block.

While texts are encoded, the passes of the models take all cores already: with two threads of its
own a product of the tagger's size took four times the processor time of one, most of it spent
waiting. In a search the products are small: beside other work on two cores they took up to forty
times as long with two threads.
"""


@functools.cache
def _pools() -> Any:
    # It looks through all libraries of the process, which takes milliseconds; NumPy must be there.
    import numpy  # noqa: F401, ICN001
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
