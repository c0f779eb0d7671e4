"""Groups of tests by part of the product: ``pytest --wing core``.

A group is a part of the product that two or three people can maintain: reading and search (core),
names and relations (map), collections over time (keep), and the interfaces (faces).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

TESTS = Path(__file__).parent
WINGS = {
    "core": """
        api base encoders golden ingest models parse pipeline provenance samples schema search store
        tables vectors
    """,
    "map": "extract graph",
    "keep": "cluster crash index_status keep lifecycle portability",
    "faces": """
        editions examples faces hints house library notebooks offline python_api records release
        rooms tools wheel
    """,
}
WING_OF = {part: wing for wing, parts in WINGS.items() for part in parts.split()}


def wing_of(path: Path, /) -> str:
    """Return the group of a test file, by its folder, or by its name if it has none.

    Raises
    ------
    pytest.UsageError
        The file belongs to no group.
    """
    part = path.relative_to(TESTS).parts[0].removesuffix(".py").removeprefix("test_")
    if part not in WING_OF:
        raise pytest.UsageError(f"{path} belongs to no wing; name {part!r} in tests/wings.py")
    return WING_OF[part]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--wing", choices=list(WINGS), help="run the tests of one wing only")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the files of other wings before they are read."""
    wing = config.getoption("--wing")
    if wing is None or not collection_path.name.startswith("test_"):
        return None
    return True if wing_of(collection_path) != wing else None


def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    """Mark every test with its wing."""
    for item in items:
        item.add_marker(wing_of(item.path))
