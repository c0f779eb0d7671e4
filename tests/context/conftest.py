"""A project with a config of ctx, taken in, with vectors of the small model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from casetrack.cli.context.main import main

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = """
[connectors.filesystem.docs]
root = "./docs"
include_globs = ["**/*.md"]

[connectors.filesystem.code]
root = "./src"
include_globs = ["**/*.py"]

[embedding]
provider = "local"
model = "all-minilm-l6-v2"

[server]
bind = "127.0.0.1:0"

[agents.reviewer]
description = "Reviews changes"
tools = ["search", "get", "create_ticket"]
system_prompt = "You review changes of {service}. Leave {braces} alone."
arguments = [{name = "service", description = "Which service", required = true}]
"""
FILES = {
    "docs/auth.md": "# Sign-in\n\nThe gate validates tokens before it reads a body.\n\n"
    "## Lifetime\n\nA session token ends after thirty minutes without a request.\n",
    "docs/deploy.md": "# Deploying\n\nMerge to main, wait for the build, promote the release.\n"
    "\nRoll back with the previous release; migrations are never undone.\n",
    "docs/oncall.md": "# On call\n\nWhoever is paged answers within fifteen minutes.\n",
    "src/gate.py": 'def check_token(header):\n    """Refuse a request without a token."""\n'
    "    if not header:\n        raise PermissionError(header)\n",
    "src/retry.py": "MAX_RETRIES = 5\n\n\ndef retry(call):\n    for _ in range(MAX_RETRIES):\n"
    "        call()\n",
}


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Path:
    """Return the config of a project that was taken in; do not change it."""
    root = tmp_path_factory.mktemp("project")
    files = {**FILES, ".ctx/config.toml": CONFIG}
    files |= {f"docs/notes/{n}.md": _note(n) for n in range(20)}
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    config = root / ".ctx" / "config.toml"
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
