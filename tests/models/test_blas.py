"""NumPy's products stay on the thread that asks, until the last of several blocks is over."""

from __future__ import annotations

from contextlib import ExitStack

import numpy as np  # noqa: F401 - its library is what is asked
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from casetrack.blas import one_thread_each


def threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_the_limit_lasts_until_the_last_of_several_blocks_is_over() -> None:
    with threadpool_limits(2, user_api="blas"):
        if threads() != {2}:
            pytest.skip("this NumPy has one thread alone")
        first, second = ExitStack(), ExitStack()
        first.enter_context(one_thread_each())
        second.enter_context(one_thread_each())
        assert threads() == {1}
        first.close()
        assert threads() == {1}, "the second block is not over"
        second.close()
        assert threads() == {2}
        with pytest.raises(ValueError, match="ours"), one_thread_each():
            raise ValueError("ours")
        assert threads() == {2}
