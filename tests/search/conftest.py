"""Collections of texts that are stored without any file or model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.store.session import write_session
from sourced import sourced_collection

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from casetrack.api.collection import Collection


@pytest.fixture(scope="session")
def stored(
    tmp_path_factory: pytest.TempPathFactory, store_text: Callable[..., object]
) -> Callable[..., Collection]:
    """Return a function that stores the pages of documents in a new collection of a new library."""

    def store(texts: Mapping[str, str | Sequence[str]], *, one_by_one: bool = False) -> Collection:
        """With *one_by_one*, each document has a segment of the index."""
        home = tmp_path_factory.mktemp("stored")
        settings = replace(load_settings(home / "data"), models_dir=home / "no-models")
        collection = Library(settings).create("Case")
        groups = [[item] for item in texts.items()] if one_by_one else [list(texts.items())]
        for group in groups:
            with write_session(collection.folder) as session:
                for name, pages in group:
                    store_text(session, name, *([pages] if isinstance(pages, str) else pages))
            if one_by_one:
                _ = collection.workspace.state().index
        return collection

    return store


@pytest.fixture(scope="session")
def sourced(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Return a collection of documents of several sources; do not change it."""
    return sourced_collection(Library(load_settings(tmp_path_factory.mktemp("sourced") / "data")))


@pytest.fixture(scope="session")
def passages(sourced: Collection) -> dict[str, list[str]]:
    """Return the passages of each document of several sources."""
    by_name: dict[str, list[str]] = {}
    for row in sourced.sql("SELECT document_id, chunk_id FROM chunks").to_pylist():
        by_name.setdefault(row["document_id"], []).append(row["chunk_id"])
    return by_name
