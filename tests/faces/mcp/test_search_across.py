"""One search over several collections: each result names its collection and can be read in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.library import Library

TEXTS = {"Mill": "The rent of the mill is due.", "Ships": "The rent of a crane is extra."}


@pytest.fixture
def several(library: Library, tmp_path: Path) -> Library:
    """A library with two collections."""
    for name, text in TEXTS.items():
        path = tmp_path / f"{name}.txt"
        path.write_text(text, encoding="utf-8")
        library.create(name).ingest(path)
    return library


def test_all_collections_are_searched_at_once(
    several: Library, call: Callable[..., Any], text: Callable[[Any], str], codes: list[str]
) -> None:
    ask = {"query": "rent of the mill", "collections": ["all"]}
    concise, whole, named, _, nobody = call(
        several,
        ("search_documents", ask | {"response_format": "concise"}),
        ("search_documents", ask | {"response_format": "detailed"}),
        ("search_documents", ask | {"collections": ["ships"]}),
        ("search_documents", ask | {"collection": "Mill"}),
        ("search_documents", ask | {"collections": ["Mill", "Barn"]}),
    )
    facts = concise.structured_content["results"]
    assert [each["collection"] for each in facts] == ["Mill", "Ships"]
    for each in facts:
        _, context = call(
            several,
            ("list_collections", {}),
            ("get_source_context", {k: each[k] for k in ("chunk_id", "collection")}),
        )
        assert each["text"] in text(context)
    assert "Ships" in text(concise)
    for each in whole.structured_content["results"]:
        assert several.get(each["collection"]).info.id in each["uri"]
    assert {e["collection"] for e in named.structured_content["results"]} == {"Ships"}
    assert codes == ["usage", "collection_not_found"]
    assert "Barn" in text(nobody)
