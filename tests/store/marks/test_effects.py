"""An edit either changes the map or fails: no command reports a change that it did not make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp.client import Client

from casetrack.api.library import Library
from casetrack.api.watch.watch_list import WatchList
from casetrack.base.errors import CaseTrackError, UsageError
from casetrack.editions.legal.mcp import legal_edition
from casetrack.faces.cli.main import main
from casetrack.faces.mcp.app import server_for
from casetrack.faces.mcp.catalogue import any_collection
from casetrack.faces.mcp.session import Session
from casetrack.store.marks import read
from faces.window.conftest import visitor
from fakes import FakeEncoders, WordEncoder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from casetrack.api.collection import Collection

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


def test_a_defined_term_is_split_off(lease: Collection) -> None:
    before = {name: count for name, _, count in entities(lease)}
    placed = lease.marks.split("Harlow Estates LLC", "Landlord")
    after = {name: count for name, _, count in entities(lease)}
    assert placed.state == "in force"
    assert after == before | {"Harlow Estates LLC": 2, "Landlord": 4}
    assert before["Harlow Estates LLC"] == 6
    lease.marks.undo(placed.mark_id)
    assert {name: count for name, _, count in entities(lease)} == before


def test_a_role_is_corrected_and_its_terms_no_longer_count(lease: Collection) -> None:
    role = {e.name: e.role for e in lease.map.entities(limit=50)}
    before = {name: count for name, _, count in entities(lease)}
    said = f"SELECT DISTINCT role FROM mentions WHERE name = '{FIRM}' AND role IS NOT NULL"
    assert lease.sql(said).to_pylist() == [{"role": "landlord"}]
    placed = lease.marks.set_role("Harlow Estates LLC", "Supplier")
    assert lease.sql(said).to_pylist() == [{"role": "supplier"}]
    named = {e.name: e for e in lease.map.entities(limit=50)}
    assert (named[FIRM].role, named[FIRM].mention_count) == ("supplier", 2)
    assert (role[FIRM], before[FIRM], role[TENANT]) == ("landlord", 6, named[TENANT].role)
    lease.ingest([lease.documents()[0].path], force=True)
    assert {e.name: e.role for e in lease.map.entities(limit=50)}[FIRM] == "supplier"
    lease.marks.undo(placed.mark_id)
    assert {name: count for name, _, count in entities(lease)} == before
    with pytest.raises(UsageError):
        lease.marks.set_role(FIRM, "landlord")


FILE, FIRM, TENANT = "Lease.txt", "Harlow Estates LLC", "Brian Moss"
LEASES = ("-c", "Lease")
OPERATIONS = (
    ("tag", FILE, "hot", *LEASES),
    ("tag", FILE, "hot", "--note", "read it", *LEASES),
    ("tag", FILE, "hot", "--remove", *LEASES),
    ("star", FILE, *LEASES),
    ("star", FILE, "--remove", *LEASES),
    ("entity", FIRM, "--split", "Landlord", *LEASES),
    ("entity", FIRM, "--merge", "Landlord", *LEASES),
    ("entity", TENANT, "--role", "guarantor", *LEASES),
    ("entity", TENANT, "--role", "none", *LEASES),
    ("entity", TENANT, "--set-kind", "organization", *LEASES),
    ("entity", TENANT, "--rename", "Moss Ltd", *LEASES),
    ("entity", "Moss Ltd", "--undo", *LEASES),
    ("entity", TENANT, "--hide", *LEASES),
    ("entity", TENANT, "--unhide", *LEASES),
    ("marks", "--undo", "{mark}", *LEASES),
    ("timeline", "--add", "2024-06-01", "The roof leaked.", "--source", FILE, *LEASES),
    ("timeline", "--change", "{mark}", "-", "The roof was repaired.", *LEASES),
    ("timeline", "--hide", "{mark}", *LEASES),
    ("timeline", "--hide", "{event}", *LEASES),
    ("timeline", "--unhide", "{event}", *LEASES),
    ("chronology", "--take", "{event}", "--words", "Signed.", *LEASES),
    ("chronology", "--untake", "{event}", *LEASES),
    ("watch", "add", "{folder}", *LEASES),
    ("watch", "pause", "{folder}", *LEASES),
    ("watch", "resume", "{folder}", *LEASES),
    ("watch", "schedule", "{folder}", "hourly", *LEASES),
    ("watch", "remove", "{folder}", *LEASES),
    ("snapshots", "take", "monday", *LEASES),
    ("snapshots", "remove", "monday", *LEASES),
    ("collection", "rename", "Lease", "Leases"),
    ("collection", "rename", "Leases", "Lease"),
    ("collection", "describe", "Lease", "--description", "Rent"),
    ("collection", "tag", "Lease", "--add", "rent"),
    ("collection", "tag", "Lease", "--remove", "rent"),
    ("collection", "close", "Lease", "--json"),
    ("collection", "reopen", "Lease", "--json"),
    ("query", "--save", "all", "SELECT name FROM documents", *LEASES),
    ("query", "--save", "all", "SELECT path FROM documents", "--overwrite", *LEASES),
    ("delete", FILE, "--exclude", *LEASES),
    ("collection", "delete", "Lease", "--yes"),
)


def everything(library: Library) -> object:
    """Return all that an editing operation may change."""
    collections = [library.get(info.id) for info in library.listed()[0]]
    folder = library.settings.data_dir
    return [
        [(entities(c), list(c.marks.all(undone=True)), c.info, c.sources()) for c in collections],
        [[e.description for e in c.map.timeline().events] for c in collections],
        [[s.as_dict() for s in c.admin.snapshots()] for c in collections],
        WatchList(folder).watches(),
        {path: path.read_text() for path in folder.rglob("*.sql")},
    ]


@pytest.mark.slow
def test_every_editing_operation_changes_something_or_reports_that_it_did_not(
    lease: Collection, library: Library, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each runs twice: the second time there is nothing left to change."""
    folder = f"--data-dir={lease.workspace.settings.data_dir}"
    event, before = lease.map.timeline().events[0].event_id, everything(library)
    for operation in OPERATIONS:
        marks = [m.mark_id for m in lease.marks.all()] if lease.folder.exists() else []
        known = {"mark": marks[-1] if marks else "", "event": event, "folder": str(tmp_path / "in")}
        (tmp_path / "in").mkdir(exist_ok=True)
        arguments = [part.format_map(known) for part in operation]
        assert main([*arguments, folder]) == 0, arguments
        after = everything(library)
        assert after != before, arguments
        capsys.readouterr()
        failed, printed = main([*arguments, folder]) != 0, capsys.readouterr().out
        assert failed or '"changed": false' in printed, (arguments, printed)
        before = everything(library)
        assert before == after, arguments


def stored(library: Library) -> dict[str, bytes]:
    """Return the stored files of collections and watched folders, without views and datasets."""
    home = library.settings.data_dir
    files = [*home.glob("watches.json"), *home.glob("collections/*/*.json")]
    files += [
        *home.glob("exports/*"),
        *home.glob("collections/*/marks/*"),
        *home.glob("collections/*/*.lance/_versions/*"),
    ]
    return {str(path): path.read_bytes() for path in files if path.suffix != ".lock"}


CLAIMS = ("all", "added", "replaced", "new", "changed", "moved", "removed", "ingested", "partial")


class Known(dict[str, str]):
    """Values of the braces in the tables below."""

    def __init__(self, lease: Collection, folder: Path) -> None:
        (folder / "in").mkdir()
        event = lease.map.timeline().events[0].event_id
        super().__init__(event=event, folder=str(folder / "in"), files=str(folder))
        self.lease = lease

    def __missing__(self, key: str) -> str:
        if key == "watch":
            return WatchList(self.lease.workspace.settings.data_dir).watches()[0].id
        return read(self.lease.folder).all[-1].mark_id

    def fill(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {k: v.format_map(self) if isinstance(v, str) else v for k, v in arguments.items()}


TOOLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("reindex_document", {"document_name": FILE}),
    *(
        ("mark", {"action": action, "target": target, **rest})
        for action, target, rest in (
            ("tag", FILE, {"value": "hot"}),
            ("untag", FILE, {"value": "hot"}),
            ("star", FILE, {}),
            ("unstar", FILE, {}),
            ("split", FIRM, {"value": "Landlord"}),
            ("merge", FIRM, {"value": "Landlord"}),
            ("kind", TENANT, {"value": "organization"}),
            ("rename", TENANT, {"value": "Moss Ltd"}),
            ("undo", "{mark}", {}),
            ("hide", TENANT, {}),
            ("add_event", FILE, {"date": "2024-06-01", "value": "The roof leaked."}),
            ("change_event", "{mark}", {"value": "The roof was repaired."}),
            ("hide_event", "{event}", {}),
        )
    ),
    ("watch_folder", {"folder_path": "{folder}", "schedule": "manual"}),
    ("set_sync_schedule", {"folder_path": "{folder}", "schedule": "hourly"}),
    ("unwatch_folder", {"folder_path": "{folder}"}),
    ("update_collection", {"description": "Rent", "add_tags": ["rent"]}),
    ("close_collection", {"collection_name": "Lease"}),
    ("archive_collection", {"collection_name": "Lease"}),
    ("reopen_collection", {"collection_name": "Lease"}),
    ("create_collection", {"name": "Other"}),
    ("delete_collection", {"collection_name": "Other", "confirm": True}),
    ("delete_document", {"document_name": FILE, "confirm": True}),
    ("ingest_document", {"file_path": "{files}/Lease.txt"}),
    ("delete_document", {"document_name": FILE, "confirm": True}),
    ("sync_folder", {"folder_path": "{files}"}),
    ("delete_document", {"document_name": FILE, "confirm": True}),
    ("ingest_folder", {"folder_path": "{files}"}),
    ("export_collection", {}),
)
CASE_TOOLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("create_case", {"name": "Mill"}),
    ("ingest_document", {"file_path": "{files}/Lease.txt"}),
    ("delete_document", {"document_name": FILE, "confirm": True}),
    ("ingest_folder", {"folder_path": "{files}"}),
    ("delete_case", {"case_name": "Mill", "confirm": True}),
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tools", "served"), [(TOOLS, any_collection), (CASE_TOOLS, legal_edition)], ids=["any", "case"]
)
def test_every_editing_tool_changes_something_or_reports_that_it_did_not(
    lease: Collection, library: Library, tools: Any, served: Any, tmp_path: Path
) -> None:
    async def twice() -> None:
        known, before = Known(lease, tmp_path), stored(library)
        opened = Library(library.settings)
        opened.encoders = FakeEncoders(WordEncoder("mini", 384, token_width=384))  # type: ignore[assignment]
        async with Client(server_for(Session(opened), None, served())) as client:
            for tool, given in tools:
                arguments = known.fill(given)
                first = await client.call_tool(tool, arguments)
                assert not first.is_error, (tool, arguments, first.content)
                assert (after := stored(library)) != before, (tool, arguments)
                more = await client.call_tool(tool, arguments | {"document": FILE, "page": 1})
                assert more.is_error, (tool, arguments, more.content)
                again = await client.call_tool(tool, arguments)
                facts = again.structured_content or {}
                claims = facts.get("changed") is not False and any(
                    (facts.get("counts") or {"all": 1}).get(kind) for kind in CLAIMS
                )
                assert again.is_error or not claims, (tool, arguments, facts)
                before = stored(library)
                assert before == after, (tool, arguments)

    anyio.run(twice)


FORMS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("do/star", {"target": FILE}),
    ("do/unstar", {"target": FILE}),
    ("do/tag", {"target": FILE, "tags": "hot"}),
    ("do/untag", {"target": FILE, "tags": "hot"}),
    ("do/split", {"name": FIRM, "spelling": "Landlord"}),
    ("people", {"what": "merge", "who": [FIRM, "Landlord"]}),
    ("do/set-kind", {"name": TENANT, "kind": "organization"}),
    ("do/rename", {"name": TENANT, "new": "Moss Ltd"}),
    ("people", {"what": "hide", "who": ["Moss Ltd"]}),
    ("corrections", {"undo": "{mark}"}),
    ("do/add-event", {"date": "2024-06-01", "text": "The roof leaked.", "source": FILE}),
    ("do/change-event", {"event": "{mark}", "date": "2024-06-02", "text": "Repaired."}),
    ("do/hide-event", {"event": "{event}"}),
    ("add", {"path": "{folder}", "keep": "1"}),
    ("do/watch pause", {"folder": "{watch}"}),
    ("do/watch resume", {"folder": "{watch}"}),
    ("do/watch remove", {"folder": "{watch}"}),
)


def test_every_editing_form_changes_something_or_reports_that_it_did_not(
    lease: Collection, library: Library, tmp_path: Path
) -> None:
    known, window, before = Known(lease, tmp_path), visitor(library.settings), stored(library)
    for place, given in FORMS:
        sent = known.fill(given)
        first = window.post(f"/c/Lease/{place}", data=sent)
        assert first.status_code < 400, (place, sent, first.text)
        assert (after := stored(library)) != before, (place, sent)
        some = {"what": "hide", "who": [FIRM, "Nobody"]}
        for where, wrong in ((place, sent), ("people", some)):
            assert window.post(f"/c/Lease/{where}", data=wrong).status_code >= 400, (place, wrong)
        before = stored(library)
        assert before == after, (place, sent)


@pytest.mark.parametrize(
    ("edit", "arguments"),
    [
        ("split", ("Harlow Estates LLC", "Lessor")),
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
