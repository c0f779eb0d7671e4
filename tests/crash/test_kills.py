"""Kills at any instant: acknowledged data is present, and no half-written data is visible."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import pytest

from tests.crash.killing import one_kill, one_reader_killed
from tests.crash.operations import OPERATIONS

if TYPE_CHECKING:
    from tests.crash.bench import Bench

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL"),
]

QUICK = {"delete documents", "restore", "migrate", "watch"}


@pytest.mark.parametrize(
    "operation", [pytest.param(o, marks=() if o in QUICK else pytest.mark.slow) for o in OPERATIONS]
)
def test_killed_somewhere(bench: Bench, operation: str) -> None:
    one_kill(bench, operation, random.Random(operation))


@pytest.mark.slow
def test_a_process_that_reads_files_is_killed_in_its_first_second(bench: Bench) -> None:
    one_reader_killed(bench, random.Random(11))
