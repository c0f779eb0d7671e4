"""The tool that writes a collection into a file: where it may, and never over another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.library import Library


def test_a_collection_is_exported_and_nothing_is_replaced(
    filled: Library, call: Callable[..., Any], text: Callable[[Any], str], tmp_path: Path
) -> None:
    own, other, again, nowhere = call(
        filled,
        ("export_collection", {}),
        ("export_collection", {"output_folder": str(tmp_path)}),
        ("export_collection", {"output_folder": str(tmp_path)}),
        ("export_collection", {"output_folder": "backups"}),
    )
    assert own.structured_content["path"] == str(
        filled.settings.data_dir / "exports" / "Acme.ctcollection"
    )
    path = tmp_path / "Acme.ctcollection"
    assert other.structured_content["bytes"] == path.stat().st_size
    assert str(path) in text(other)
    assert again.is_error
    assert str(path) in text(again)
    assert nowhere.is_error
    assert all(fact in text(nowhere) for fact in ("output_folder", "backups"))
    back = filled.import_archive(path, name="Back")
    assert back.documents == other.structured_content["documents"]
    filled.delete("Back")
