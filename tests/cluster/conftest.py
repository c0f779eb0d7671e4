"""The sample collection with an index of several segments."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.store.index import stored_segments

# Ray reads it once in a process, the processes that it starts read it each time: all tests agree.
os.environ["RAY_AUTH_MODE"] = "disabled"


@pytest.fixture(scope="session")
def data_dir(demo_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the sample collection, in several segments; do not change it."""
    copy = tmp_path_factory.mktemp("several") / "data"
    shutil.copytree(demo_home, copy)
    for folder in copy.glob("collections/*/views/index"):
        shutil.rmtree(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored_segments, "MAX_CHUNKS", 15)
        assert len(Library(load_settings(copy)).get("Demo").workspace.state().index.segments) > 3
    return copy
