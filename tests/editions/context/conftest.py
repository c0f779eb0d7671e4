"""A project with a config of ctx, taken in, with vectors of the small model."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from casetrack.editions.context.cli.main import main


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Path:
    """Return the config of a project that was taken in; do not change it."""
    root = tmp_path_factory.mktemp("project")
    shutil.copytree(Path(__file__).with_name("project"), root, dirs_exist_ok=True)
    (root / "docs" / "notes").mkdir()
    for number in range(20):
        (root / "docs" / "notes" / f"{number}.md").write_text(_note(number), encoding="utf-8")
    config = root / ".ctx" / "config.toml"
    config.parent.mkdir()
    (root / "ctx.toml").rename(config)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CASETRACK_MODELS", str(models_dir))
        patch.setenv("XDG_CONFIG_HOME", str(root / "none"))
        patch.delenv("CTX_CONFIG", raising=False)
        patch.delenv("CASETRACK_HTTP_TOKEN", raising=False)
        assert main(["--config", str(config), "sync", "all"]) == 0
    return config


def _note(number: int) -> str:
    """Return a note that shares words with its neighbours."""
    things = "cache queue worker index schema replica shard buffer header parser".split()
    some = [things[(number * k + k) % len(things)] for k in range(1, 5)]
    return (
        f"# Note {number}\n\nThe {some[0]} waits for the {some[1]}; the {some[2]} does not.\n\n"
        f"When the {some[3]} is full, requests are refused with status {500 + number}.\n"
    )
