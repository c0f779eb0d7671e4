"""One search gives equal scores in every thread and process, and for any batch of passages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.machine import one_thread_each
from casetrack.models.token_matrix import TokenForm
from casetrack.store.index.postings import exact, quantize

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

QUESTIONS = (
    "Who is liable for the spoiled goods?",
    "siren alarm",
    "What did the surveyor conclude about the cause of the loss and the refrigeration failure?",
)
ASK = """
import json
from search.test_same_scores import answers, opened
print(json.dumps(answers(opened({home!r}, {models!r}), threads={threads})))
"""
PROCESSES = [
    ("Haswell", 2, 8),
    pytest.param("SkylakeX", 2, 8, marks=pytest.mark.slow),
    *(
        pytest.param(core, blas, threads, marks=pytest.mark.slow)
        for core in ("Haswell", "SkylakeX")
        for blas in (1, 8)
        for threads in (1, 3)
    ),
]


TESTS = Path(__file__).parents[1]


def limits() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def opened(home: str, models: str) -> Collection:
    return Library(replace(load_settings(Path(home)), models_dir=Path(models))).get("Demo")


def answers(demo: Collection, *, threads: int = 0) -> list[Any]:
    """Ask in this thread, or in several at once, and return ids, scores and signals."""

    def ask(question: str) -> list[Any]:
        results = demo.search(question, limit=10, mode="full")
        return [
            [r.provenance.chunk_id, r.score, {n: s.as_dict() for n, s in r.signals.items()}]
            for r in results
        ]

    if not threads:
        return [ask(question) for question in QUESTIONS]
    with ThreadPoolExecutor(threads) as pool:
        rounds = [list(pool.map(ask, QUESTIONS)) for _ in range(2)]
    assert rounds[0] == rounds[1]
    return rounds[0]


@pytest.mark.parametrize(("core", "blas", "threads"), PROCESSES)
def test_another_process_reports_the_same(
    demo: Collection, demo_home: Path, models_dir: Path, core: str, blas: int, threads: int
) -> None:
    code = ASK.format(home=str(demo_home), models=str(models_dir), threads=threads)
    environment = os.environ | {
        "OPENBLAS_CORETYPE": core,
        "OPENBLAS_NUM_THREADS": str(blas),
        "PYTHONPATH": os.pathsep.join([str(TESTS.parent), str(TESTS)]),
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == json.loads(json.dumps(answers(demo)))


def test_threads_of_one_process_report_the_same(demo: Collection) -> None:
    assert answers(demo, threads=8) == answers(demo)


def test_a_limit_holds_whichever_thread_sets_it() -> None:
    """threadpoolctl lets the first thread that sets a limit keep all others from doing so."""

    seen: list[set[int]] = []

    def limited() -> None:
        with one_thread_each():
            seen.append(limits())
        seen.append(limits())

    with threadpool_limits(2, user_api="blas"):
        before = limits()
        thread = threading.Thread(target=limited)
        thread.start()
        thread.join()
    assert seen == [{1}, before]


def test_the_limit_lasts_until_the_last_of_several_blocks_is_over() -> None:
    with threadpool_limits(2, user_api="blas"):
        if limits() != {2}:
            pytest.skip("this NumPy has one thread alone")
        first, second = ExitStack(), ExitStack()
        first.enter_context(one_thread_each())
        second.enter_context(one_thread_each())
        assert limits() == {1}
        first.close()
        assert limits() == {1}, "the second block is not over"
        second.close()
        assert limits() == {2}
        with pytest.raises(ValueError, match="ours"), one_thread_each():
            raise ValueError("ours")
        assert limits() == {2}


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 12))
def test_a_score_does_not_depend_on_the_batch(seed: int, count: int, tokens: int) -> None:
    random = np.random.default_rng(seed)
    width = 128
    form = TokenForm("test", width, 2, 1, random.normal(size=width).astype(np.float32))
    texts = [random.normal(size=(n % 9 + 1, width)).astype(np.float32) for n in range(count)]
    packed = [form.pack(rows) for rows in texts]
    asked = random.normal(size=(tokens, width)).astype(np.float32)
    together = form.score(asked, packed)
    assert together.tolist() == [float(form.score(asked, [each])[0]) for each in packed]
    assert np.array_equal(form.asked(asked)[:1], form.asked(asked[:1]))

    codes, scales = quantize(random.normal(size=(count, 384)).astype(np.float32))
    query = random.normal(size=384).astype(np.float32)
    part = slice(count // 2, None)
    assert np.array_equal(
        exact(codes, scales, query)[part], exact(codes[part], scales[part], query)
    )
