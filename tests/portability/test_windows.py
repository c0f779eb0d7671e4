"""Linux refuses the operations that Windows refuses; files on disk work nevertheless."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from portability import refusals
from portability.windows import environment, reason_without

HERE = Path(__file__).parents[1]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(reason_without() is not None, reason=str(reason_without())),
]

QUICK = (
    "portability/test_files_in_use.py"
    "::test_a_collection_is_deleted_while_another_program_searches_in_it"
)
# `just faults windows` runs their folders whole.
FILES = (
    *("store/test_session.py", "store/test_snapshots.py", "store/test_upkeep.py"),
    *("keep/sync/test_sync.py", "api/watch/test_manager.py"),
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("windows")


@pytest.fixture(scope="module")
def message(home: Path) -> dict[str, str]:
    root = home / "root"
    root.mkdir()
    given = {**os.environ, **environment(home, root), "PYTHONPATH": str(HERE)}
    command = [sys.executable, "-m", "portability.refusals", str(root)]
    done = subprocess.run(command, env=given, capture_output=True, text=True, check=True)
    return dict(line.split() for line in done.stdout.splitlines())


@pytest.mark.parametrize("case", refusals.CASES, ids=lambda c: c.__name__)
def test_it_refuses_what_windows_refuses(message: dict[str, str], case: object) -> None:
    assert message[case.__name__] == refusals.CASES[case]  # type: ignore[attr-defined, index]


def passes(*names: str) -> None:
    chosen = "not slow" if names[0] in FILES else ""
    command = [sys.executable, "-m", "portability.windows", "-q", "-n", "0", "-x", "-m", chosen]
    done = subprocess.run(
        [*command, *(str(HERE / name) for name in names)],
        cwd=HERE.parent,
        env={**os.environ, "PYTHONPATH": f"{HERE.parent / 'tools'}{os.pathsep}{HERE}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


def test_what_is_in_use_is_deleted() -> None:
    passes(QUICK)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", ["portability/test_files_in_use.py", *FILES])
def test_what_is_kept_on_disk(part: str) -> None:
    passes(part)
