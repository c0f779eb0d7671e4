"""Keeps the threads of a long batch out of each other's way."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def one_thread_each() -> Iterator[None]:
    """Keep numpy's products on the thread that asks for them, while texts are encoded.

    The passes of the models take all cores already. With two threads of its own a product of
    the tagger's size took four times the processor time of one, most of it spent waiting.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1, user_api="blas"):
        yield
