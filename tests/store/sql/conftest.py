"""Collections of a few texts, made once for all tests of a module that only read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.store.session import write_session


@pytest.fixture(scope="module")
def library_of(
    tmp_path_factory: pytest.TempPathFactory, store_text: Callable[..., object]
) -> Callable[[Mapping[str, Mapping[str, Sequence[str]]]], Library]:
    """Return a function that makes a library without models: pages by document by collection."""

    def make(texts: Mapping[str, Mapping[str, Sequence[str]]]) -> Library:
        home = tmp_path_factory.mktemp("sql")
        library = Library(replace(load_settings(home), models_dir=home / "no-models"))
        for name, documents in texts.items():
            with write_session(library.create(name).folder) as session:
                for document, pages in documents.items():
                    store_text(session, document, *pages)
        return library

    return make
