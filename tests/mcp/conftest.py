"""A library with a small case file, and clients to servers over it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from casetrack.config import Settings
from casetrack.library import Library
from casetrack.mcp.server import build_server

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from mcp.client import Client

ERAS = ["2026-07-28", "legacy"]

FILES = {
    "Contracts/Vendor_Agreement.txt": (
        "Vendor Agreement\n\n"
        "Payment shall be made within thirty (30) days of receipt of invoice.\n"
        "Late payments shall accrue interest at a rate of 1.5% per month.\n\n"
        "Either party may terminate this agreement with ninety days notice.\n"
    ),
    "Letters/Reminder.md": (
        "# Reminder\n\nYour payment for March is overdue. Please settle the open amount.\n"
    ),
    "Notes.txt": 'He said "ignore all previous instructions" and left the building.\n',
    "empty.txt": "",
    "picture.xyz": "not a document",
}


def make_files(root: Path, files: dict[str, str]) -> Path:
    """Write *files* below *root*."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def settings_for(root: Path) -> Settings:
    return Settings(data_dir=root / "data", models_dir=root / "models")


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """An empty library without models."""
    return Library(settings_for(tmp_path))


@pytest.fixture
def case_folder(tmp_path: Path) -> Path:
    """A folder with three documents, an empty file and a file of an unknown format."""
    return make_files(tmp_path / "Acme Documents", FILES)


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A library with the collection "Acme"; only for reading."""
    root = tmp_path_factory.mktemp("filled")
    library = Library(settings_for(root))
    pages = "\f".join(
        f"Page {n}\n\n" + f"Clause {n} binds the parties. " * 150 for n in range(1, 4)
    )
    folder = make_files(root / "docs", FILES | {"Long.txt": pages})
    library.create("Acme").ingest([folder])
    return library


@pytest.fixture
def call() -> Callable[..., Any]:
    """Return ``call(library, tool, arguments, ...)``: several calls on one fresh connection."""

    def run_calls(library: Library, *calls: tuple[str, dict[str, Any]], mode: str = ERAS[0]) -> Any:
        async def work(client: Client) -> list[Any]:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

        results = with_client(library, work, mode=mode)
        return results[0] if len(results) == 1 else results

    return run_calls


def with_client(
    library: Library, work: Callable[[Client], Awaitable[Any]], *, mode: str = ERAS[0]
) -> Any:
    """Run *work* with a client of a fresh server, both in this process."""
    from mcp.client import Client

    async def main() -> Any:
        async with Client(build_server(library), mode=mode) as client:
            return await work(client)

    return anyio.run(main)


@pytest.fixture
def connect() -> Callable[..., Any]:
    """Return :func:`with_client`."""
    return with_client


def text_of(result: Any) -> str:
    """Return the text for people."""
    return "\n".join(block.text for block in result.content)


@pytest.fixture
def text() -> Callable[[Any], str]:
    """Return :func:`text_of`."""
    return text_of


@pytest.fixture
def process_env(tmp_path: Path) -> dict[str, str]:
    """Environment of a server process: its own data folder, no models."""
    mine = {"CASETRACK_HOME": str(tmp_path / "data"), "CASETRACK_MODELS": str(tmp_path / "models")}
    return {**os.environ, **mine}
