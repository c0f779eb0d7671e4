"""Real repositories for tests."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Any

from casetrack.keep.sources import open_source

if TYPE_CHECKING:
    from pathlib import Path

FIRST = 1_577_836_800
"""When the first commit of every repository is made: 2020-01-01; each later one a day after."""


class Repository:
    """One with a working tree, whose commits have their own times and authors."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.commits = 0
        folder.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, **more: Any) -> str:
        moment = f"{FIRST + 86_400 * self.commits} +0000"
        done = subprocess.run(
            ["git", "-c", "user.name=Ann", "-c", "user.email=a@example.org",
             "-c", "protocol.file.allow=always", *arguments],
            cwd=self.folder, check=True, capture_output=True, text=True,
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder.parent),
                 "GIT_CONFIG_NOSYSTEM": "1", "GIT_COMMITTER_DATE": moment,
                 "GIT_AUTHOR_DATE": moment, **more},
        )  # fmt: skip
        return done.stdout.strip()

    def write(self, name: str, text: str | bytes) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)

    def commit(self, files: dict[str, str | bytes] | None = None, author: str = "Ann") -> str:
        for name, text in (files or {}).items():
            self.write(name, text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "change", f"--author={author} <a@b.org>")
        self.commits += 1
        return self.git("rev-parse", "HEAD")

    def source(self, **keys: Any) -> Any:
        base = self.folder.parent
        settings = {"url": str(self.folder), **keys}
        return open_source("git", "platform", settings, base=base, cache=base / "cache")


def listing(source: Any) -> dict[str, Any]:
    return {item.source_id: item for item in source.items()}


def contents(source: Any, target: Path) -> dict[str, bytes]:
    """Return the content of everything that a source has."""
    items = list(source.items())
    source.prepare(items)
    by_name = {}
    for number, item in enumerate(items):
        source.fetch(item, target / str(number))
        by_name[item.source_id] = (target / str(number)).read_bytes()
    source.close()
    return by_name
