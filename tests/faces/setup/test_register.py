"""Entering and withdrawing on real files: bytes, rights, links, backups, other writers."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from casetrack.base import errors
from casetrack.faces.setup import formats
from casetrack.faces.setup.clients import CLIENTS
from casetrack.faces.setup.register import ClientFile, enter, withdraw

CODE, VSCODE = CLIENTS["claude-code"], CLIENTS["vscode"]
SERVER = {"command": "/opt/ct/bin/casetrack", "args": ["serve"]}
BOM = b"\xef\xbb\xbf"

FILES = {
    "claude code": (
        b'{\n  "numStartups": 12,\n  "projects": {"/a": {"mcpServers": {}}},\n'
        b'  "mcpServers": {\n    "git": {"command": "uvx", "args": ["mcp-server-git"]}\n  },\n'
        b'  "oauthAccount": {"emailAddress": "a@b.example"}\n}'
    ),
    "claude desktop": b'{\n  "globalShortcut": "",\n  "mcpServers": {}\n}\n',
    "no container": b'{"theme": "dark"}\n',
    "empty file": b"",
    "blank file": b"\n",
    "braces": b"{}",
    "wide braces": b"{\n}\n",
    "comments": (
        b'// my servers\n{\n\t"mcpServers": {\n\t\t/* the first */\n\t\t"git": {}, // and last\n'
        b"\t},\n}\n"
    ),
    "windows": (BOM + b'{\r\n    "mcpServers": {\r\n        "gr\xc3\xbcn": {}\r\n    }\r\n}\r\n'),
    "only a mark": BOM,
    "unicode": '{"mcpServers": {"\U0001f50e 检索": {"env": {"K": "\\u00e9"}}}}'.encode(),
}


def names(folder: Path) -> list[str]:
    """Return the names in a folder."""
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_entering_and_withdrawing_leaves_every_byte_as_it_was(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "mcp.json"
    file.write_bytes(data)
    done = enter(CODE, file, SERVER)
    assert (done.action, done.backup) == ("added", tmp_path / "mcp.json.casetrack-backup")
    assert done.backup is not None
    assert done.backup.read_bytes() == data
    now = file.read_bytes()
    assert now.startswith(BOM) == data.startswith(BOM)
    assert (b"\r\n" in now) == (b"\r\n" in data)
    assert enter(CODE, file, SERVER).action == "unchanged"
    assert file.read_bytes() == now
    assert withdraw(CODE, file).action == "removed"
    assert file.read_bytes() == data
    assert names(tmp_path) == ["mcp.json"]


def test_a_missing_file_is_made_and_goes_again(tmp_path: Path) -> None:
    file = tmp_path / "User" / "mcp.json"
    done = enter(VSCODE, file, SERVER)
    assert (done.action, done.backup) == ("added", None)
    assert json.loads(file.read_text()) == {"servers": {"casetrack": {"type": "stdio", **SERVER}}}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    done = withdraw(VSCODE, file)
    assert (done.action, done.deleted) == ("removed", True)
    assert list(file.parent.iterdir()) == []
    assert withdraw(VSCODE, file).action == "absent"


def test_an_old_entry_is_brought_up_to_date_and_keeps_what_the_user_added(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(
        '{"mcpServers": {"casetrack": {"command": "old", /* why */ "disabled": true, '
        '"env": {"CASETRACK_HOME": "/old", "LANG": "C"}, "args": []}}}'
    )
    assert enter(CODE, file, SERVER).action == "changed"
    assert file.read_text() == (
        '{"mcpServers": {"casetrack": {"command": "/opt/ct/bin/casetrack", /* why */ '
        '"disabled": true, "env": {"LANG": "C"}, "args": ["serve"]}}}'
    )
    assert enter(CODE, file, {**SERVER, "env": {"CASETRACK_HOME": "/new"}}).action == "changed"
    assert '"env": {"LANG": "C", "CASETRACK_HOME": "/new"}' in file.read_text()


def test_after_a_change_the_first_state_is_still_the_one_to_go_back_to(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text('{ "a": 1 }')
    enter(CODE, file, {**SERVER, "args": ["serve", "--read-only"]})
    enter(CODE, file, SERVER)
    withdraw(CODE, file)
    assert file.read_text() == '{ "a": 1 }'


@pytest.mark.parametrize("since", ["", "\n"])
def test_an_earlier_entry_of_the_user_comes_back(tmp_path: Path, since: str) -> None:
    file = tmp_path / "claude.json"
    own = {"mcpServers": {"casetrack": {"command": "uvx", "args": ["casetrack", "serve"]}}}
    file.write_text(json.dumps(own, indent=4))
    enter(CODE, file, SERVER)
    enter(CODE, file, {**SERVER, "args": ["serve", "--read-only"]})
    file.write_text(file.read_text() + since)
    assert withdraw(CODE, file).action == "removed"
    assert json.loads(file.read_text()) == own
    assert since or file.read_text() == json.dumps(own, indent=4)


def test_what_the_client_wrote_since_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text('{\n  "numStartups": 1\n}')
    enter(CODE, file, SERVER)
    value = json.loads(file.read_text())
    file.write_text(json.dumps({**value, "numStartups": 2}, indent=2))
    done = withdraw(CODE, file)
    assert json.loads(file.read_text()) == {"numStartups": 2}  # the object around it was ours
    assert done.backup is not None
    assert json.loads(done.backup.read_text()) == {**value, "numStartups": 2}


def test_the_object_around_the_entry_stays_where_it_was_there_before(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text('{"mcpServers": {}}')
    enter(CODE, file, SERVER)
    file.write_text(json.dumps({"new": 1, **json.loads(file.read_text())}))
    withdraw(CODE, file)
    assert file.read_text() == '{"new": 1, "mcpServers": {}}'


@pytest.mark.parametrize(
    ("data", "error", "facts"),
    [
        (b'{\n  "a": 1,\n  oops\n}', errors.ClientFileInvalid, ("line 3, column 3",)),
        (b'{"a": "\xff"}', errors.ClientFileInvalid, ("line 1, column 8", "UTF-8")),
        (BOM + b'{\n "\xff', errors.ClientFileInvalid, ("line 2, column 3", "UTF-8")),
        ("{}".encode("utf-16"), errors.ClientFileInvalid, ("line 1, column 1", "UTF-8")),
        (b'{"mcpServers": []}', errors.ClientFileShape, ('"mcpServers"',)),
        (b'{"mcpServers": "none"}', errors.ClientFileShape, ('"mcpServers"', '"none"')),
        (b"[]", errors.ClientFileShape, ()),
    ],
)
def test_a_file_that_is_not_understood_is_left_alone(
    tmp_path: Path, data: bytes, error: type[errors.SetupError], facts: tuple[str, ...]
) -> None:
    file = tmp_path / "mcp.json"
    file.write_bytes(data)
    for change in (lambda: enter(CODE, file, SERVER), lambda: withdraw(CODE, file)):
        with pytest.raises(error) as caught:
            change()
        assert all(fact in caught.value.message for fact in (*facts, str(file)))
        assert "casetrack setup claude-code --print" in caught.value.hint
        assert file.read_bytes() == data
        assert names(tmp_path) == ["mcp.json"]


def test_a_read_only_file_stays_so(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text("{}")
    file.chmod(0o444)
    for dry in (True, False):
        with pytest.raises(errors.ClientFileLocked):
            enter(CODE, file, SERVER, dry_run=dry)
    assert file.read_text() == "{}"
    assert names(tmp_path) == ["mcp.json"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o444


def test_a_folder_in_its_place_is_reported(tmp_path: Path) -> None:
    (tmp_path / "mcp.json").mkdir()
    with pytest.raises(errors.ClientFileLocked):
        enter(CODE, tmp_path / "mcp.json", SERVER)


@pytest.mark.skipif(os.name == "nt", reason="Windows has neither these rights nor free links")
def test_rights_and_links_stay(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_text("{}")
    real.chmod(0o640)
    link = tmp_path / ".claude.json"
    link.symlink_to(real)
    done = enter(CODE, link, SERVER)
    assert link.is_symlink()
    assert "casetrack" in real.read_text()
    assert done.backup == real.with_name("claude.json.casetrack-backup")
    assert {stat.S_IMODE(p.stat().st_mode) for p in (real, done.backup)} == {0o640}
    withdraw(CODE, link)
    assert (link.is_symlink(), real.read_text()) == (True, "{}")


@pytest.mark.parametrize("changes", [2, 100])
def test_what_another_program_writes_meanwhile_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: int
) -> None:
    file = tmp_path / "mcp.json"
    file.write_text('{"n": 0}')
    check, writes = ClientFile.check_same, list[int]()

    def interrupted(self: ClientFile) -> None:
        if len(writes) < changes:
            writes.append(1)
            file.write_text(json.dumps({"n": len(writes)}))
        check(self)

    monkeypatch.setattr(ClientFile, "check_same", interrupted)
    if changes == 2:
        enter(CODE, file, SERVER)
        assert json.loads(file.read_text()) == {"n": 2, "mcpServers": {"casetrack": SERVER}}
    else:  # a file that never rests is given up
        with pytest.raises(errors.ClientFileBusy):
            enter(CODE, file, SERVER)
        assert json.loads(file.read_text()) == {"n": len(writes)}
    assert names(tmp_path) == ["mcp.json", "mcp.json.casetrack-backup"]


def test_nothing_is_written_where_more_than_the_entry_would_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mcp.json"
    file.write_text('{"n": 0}')
    monkeypatch.setattr(formats.JsonText, "put", lambda *_: '{"mcpServers": {"casetrack": {}}}')
    with pytest.raises(errors.ClientFileInvalid):
        enter(CODE, file, SERVER)
    assert file.read_text() == '{"n": 0}'
