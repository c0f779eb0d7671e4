"""An edit either changes the map or fails: no command reports a change that it did not make."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from casetrack.cli.main import main
from casetrack.errors import CaseTrackError

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.collection import Collection
    from casetrack.library import Library

LEASE = (
    'This Lease is made between Harlow Estates LLC ("Landlord") and Brian Moss ("Tenant").\n\n'
    "Landlord shall repair the roof. Landlord may enter the premises. Harlow Estates LLC has an "
    "office in Dover.\n\nTenant pays the rent to Landlord. Brian Moss signed on May 3, 2024."
)


@pytest.fixture
def lease(library: Library, tmp_path: Path) -> Collection:
    (tmp_path / "Lease.txt").write_text(LEASE)
    collection = library.create("Lease")
    collection.ingest([tmp_path / "Lease.txt"])
    return collection


def entities(collection: Collection) -> list[tuple[str, str, int]]:
    return sorted((e.name, e.kind, e.mention_count) for e in collection.map.entities(limit=50))


def test_a_filter_never_writes(lease: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    before = entities(lease)
    folder = f"--data-dir={lease.workspace.settings.data_dir}"
    assert main(["entity", "Brian Moss", "--kind", "location", "-c", "Lease", folder]) != 0
    assert list(lease.marks.all(undone=True)) == []
    assert entities(lease) == before
    assert main(["entity", "Brian Moss", "--set-kind", "location", "-c", "Lease", folder]) == 0
    assert ("Brian Moss", "location") in {(name, kind) for name, kind, _ in entities(lease)}


@pytest.mark.parametrize(
    ("edit", "arguments"),
    [
        ("split", ("Harlow Estates LLC", "Landlord")),
        ("set_kind", ("Brian Moss", "person")),
        ("rename", ("Brian Moss", "Brian Moss")),
    ],
)
def test_an_edit_without_effect_fails(
    lease: Collection, edit: str, arguments: tuple[str, ...]
) -> None:
    before = entities(lease)
    with pytest.raises(CaseTrackError):
        getattr(lease.marks, edit)(*arguments)
    assert [m.mark.kind for m in lease.marks.all()] == []
    assert entities(lease) == before


def test_every_edit_that_reports_a_change_made_one(lease: Collection) -> None:
    for edit, arguments in [
        ("set_kind", ("Brian Moss", "organization")),
        ("rename", ("Brian Moss", "Brian Moss Ltd")),
        ("hide", ("Harlow Estates LLC",)),
    ]:
        before = entities(lease)
        placed = getattr(lease.marks, edit)(*arguments)
        assert placed.state == "in force"
        assert entities(lease) != before
