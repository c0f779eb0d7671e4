"""Keeps the threads of NumPy's products out of the way of others."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def one_thread_each() -> Iterator[None]:
    """Keep NumPy's products on the thread that asks for them.

    While texts are encoded, the passes of the models take all cores already: with two threads of
    its own a product of the tagger's size took four times the processor time of one, most of it
    spent waiting. In a search the products are small: beside other work on two cores they took
    up to forty times as long with two threads.
    """
    with _pools().limit(limits=1, user_api="blas"):
        yield


@functools.cache
def _pools() -> Any:
    # It looks through all libraries of the process, which takes milliseconds; NumPy must be there.
    import numpy  # noqa: F401, ICN001
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
