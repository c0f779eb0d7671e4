"""The entry in the menu of the desktop, for each system, by the files that are written."""

from __future__ import annotations

import io
import json
import plistlib
import re
import shlex
import struct
import subprocess
import sys
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from casetrack.base.errors import DesktopUnwritable
from casetrack.faces.setup import entry
from casetrack.faces.setup.clients import Machine
from casetrack.faces.setup.desktop import Shortcut, add, desktop_files, desktop_places, remove

if TYPE_CHECKING:
    from collections.abc import Callable

    from faces.setup.conftest import Run

AWKWARD = ('/opt/my tools/$5 "new"/100%\\a`b', "--data-dir", "/data/zoë/Größe & Fälle; (1)")
SYSTEMS = ("linux", "darwin", "win32")


def written(system: str, home: Path, command: tuple[str, ...], **environment: str) -> Any:
    """Return the files for a system by their names."""
    files = desktop_files(Machine(system, home, {}), command, environment)
    return {file.path.name: file for file in files}


def exec_words(text: str) -> list[str]:
    """Read the key ``Exec`` by the Desktop Entry Specification: escapes, quotes, then %."""
    (row,) = (line for line in text.splitlines() if line.startswith("Exec="))
    value, words, quoted, word = row.removeprefix("Exec=").replace("\\\\", "\\"), [], False, ""
    at = 0
    while at < len(value):
        sign = value[at]
        if quoted and sign == "\\":
            at += 1
            word += value[at]
        elif sign == '"':
            quoted = not quoted
        elif sign == " " and not quoted:
            words.append(word)
            word = ""
        else:
            word += sign
        at += 1
    return [w.replace("%%", "%") for w in (*words, word)]


@pytest.mark.parametrize("command", [("/usr/bin/casetrack-window",), AWKWARD])
def test_linux_has_a_desktop_file_that_starts_just_that(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    files = written("linux", tmp_path, command)
    text = files["casetrack.desktop"].data.decode()
    assert exec_words(text) == list(command)
    rows = dict(line.split("=", 1) for line in text.splitlines()[1:])
    assert text.startswith("[Desktop Entry]\n")
    assert (rows["Type"], rows["Name"], rows["Terminal"]) == ("Application", "CaseTrack", "false")
    assert rows["Icon"] == str(files["casetrack.png"].path)
    with Image.open(io.BytesIO(files["casetrack.png"].data)) as icon:
        assert icon.size == (512, 512)
    with_place = written("linux", tmp_path, command, PYTHONPATH="/src/case track")
    started = exec_words(with_place["casetrack.desktop"].data.decode())
    assert started == ["env", "PYTHONPATH=/src/case track", *command]


def test_macos_has_an_application_whose_script_starts_just_that(tmp_path: Path) -> None:
    files = written("darwin", tmp_path, AWKWARD, PYTHONPATH="/src/case's")
    script = files["CaseTrack"]
    assert script.runs
    first, place, start = script.data.decode().splitlines()
    assert (first, shlex.split(place)) == ("#!/bin/sh", ["export", "PYTHONPATH=/src/case's"])
    assert shlex.split(start) == ["exec", *AWKWARD]
    facts = plistlib.loads(files["Info.plist"].data)
    assert facts["CFBundleExecutable"] == script.path.name
    assert script.path.parent.name == "MacOS"
    icon = files["icon.icns"]
    assert icon.path.stem == facts["CFBundleIconFile"]
    with Image.open(io.BytesIO(icon.data)) as picture:
        assert picture.format == "ICNS"
    if sys.platform != "win32":
        script.path.parent.mkdir(parents=True)
        script.path.write_bytes(b"#!/bin/sh\nexec printf '%s|' " + script.data.split(b"exec ")[1])
        script.path.chmod(0o755)
        output = subprocess.run([script.path], capture_output=True, text=True, check=True)
        assert output.stdout.split("|")[:-1] == list(AWKWARD)


def shown(shortcut: bytes) -> tuple[str, list[str]]:
    """Return the path and the texts of a shortcut, read by the layout of [MS-SHLLINK]."""
    size, kind, flags = struct.unpack_from("<I16sI", shortcut)
    assert (size, kind.hex()) == (0x4C, "0114020000000000c000000000000046")
    (length,) = struct.unpack_from("<H", shortcut, size)
    at, end, parts = size + 2, size + 2 + length, []
    while (item := struct.unpack_from("<H", shortcut, at)[0]) != 0:
        data = shortcut[at : at + item]
        if data[2] == 0x2F:
            parts.append(data[3:].split(b"\0")[0].decode())
        elif data[2] in {0x31, 0x32}:
            extension = struct.unpack_from("<H", data, item - 2)[0]
            mark = struct.unpack_from("<HHI", data, extension)
            assert mark[1:] == (3, 0xBEEF0004)
            assert extension + mark[0] == item
            parts.append(data[extension + 20 : -4].decode("utf-16-le"))
        at += item
    assert at + 2 == end
    texts = []
    for flag in (0x04, 0x08, 0x10, 0x20, 0x40):
        if flags & flag:
            (letters,) = struct.unpack_from("<H", shortcut, end)
            texts.append(shortcut[end + 2 : end + 2 + 2 * letters].decode("utf-16-le"))
            end += 2 + 2 * letters
    assert shortcut[end:] == bytes(4)
    return str(PureWindowsPath(*parts)), texts


def test_windows_has_a_shortcut_that_starts_just_that(tmp_path: Path) -> None:
    target = "C:\\Users\\Zoë Meier\\uv\\casetrack\\Scripts\\casetrack-window.exe"
    files = written("win32", tmp_path, (target, "--data-dir", "D:\\My Cases"))
    assert set(files) == {"CaseTrack.lnk", "casetrack.ico"}
    path, texts = shown(files["CaseTrack.lnk"].data)
    assert path == target
    about, folder, arguments, icon = texts
    assert about
    assert (folder, arguments) == (str(tmp_path), '--data-dir "D:\\My Cases"')
    assert icon == str(files["casetrack.ico"].path)
    with Image.open(io.BytesIO(files["casetrack.ico"].data)) as picture:
        assert (picture.format, picture.size) == ("ICO", (256, 256))


def test_windows_starts_a_checkout_by_a_script(tmp_path: Path) -> None:
    target = "C:\\Python\\pythonw.exe"
    files = written("win32", tmp_path, (target, "-m", "x y"), PYTHONPATH='C:\\a "b"')
    path, texts = shown(files["CaseTrack.lnk"].data)
    assert path == "C:\\Windows\\System32\\wscript.exe"
    assert texts[2] == subprocess.list2cmdline([str(files["casetrack.vbs"].path)])
    script = files["casetrack.vbs"].data.decode("utf-16")
    assert 'shell.Environment("Process")("PYTHONPATH") = "C:\\a ""b"""' in script
    assert 'shell.Run "C:\\Python\\pythonw.exe -m ""x y""", 0, False' in script


@pytest.mark.parametrize("target", ["casetrack.exe", "\\\\server\\share\\x.exe", "C:x.exe", "C:\\"])
def test_a_shortcut_needs_a_whole_path(target: str) -> None:
    with pytest.raises(ValueError, match=re.escape(target)):
        Shortcut(target, "", "C:\\", "C:\\i.ico", "x").to_bytes()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("system", SYSTEMS)
def test_an_entry_comes_is_brought_up_to_date_and_goes(tmp_path: Path, system: str) -> None:
    machine = Machine(system, tmp_path, {})
    first = ("C:\\a\\w.exe",) if system == "win32" else ("/a/w",)
    later = (*first, "--data-dir", "Cases")
    before = {p for p in tmp_path.rglob("*") if p.is_file()}
    assert remove(machine).action == "absent"
    assert add(machine, first, dry_run=True).action == "added"
    assert {p for p in tmp_path.rglob("*") if p.is_file()} == before
    made = add(machine, first)
    assert made.action == "added"
    assert {p for p in tmp_path.rglob("*") if p.is_file()} == before | set(made.files)
    assert add(machine, first).action == "unchanged"
    changed = add(machine, later)
    assert (changed.action, changed.files) == ("changed", (desktop_places(machine).start,))
    mine = desktop_places(machine).start.parent / "notes.txt"
    mine.write_text("mine")
    assert set(remove(machine, dry_run=True).files) == set(made.files)
    assert set(remove(machine).files) == set(made.files)
    assert {p for p in tmp_path.rglob("*") if p.is_file()} == before | {mine}
    assert remove(machine).action == "absent"


def test_what_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "Applications").write_text("a file where a folder should be")
    with pytest.raises(DesktopUnwritable, match="CaseTrack") as caught:
        add(Machine("darwin", tmp_path, {}), ("/a/w",))
    assert "casetrack browse --app" in caught.value.hint


def test_the_command_says_where_it_is_and_undoes_it(
    run: Run, user: Path, monkeypatch: pytest.MonkeyPatch, messages: Callable[[str], None]
) -> None:
    def action(*words: object) -> str:
        done: str = json.loads(run("setup", "desktop", *words, "--json").out)["action"]
        return done

    monkeypatch.setattr(entry, "own_distribution", lambda: None)
    menu = user / ".local/share/applications/casetrack.desktop"
    dry = run("setup", "desktop", "--dry-run")
    assert (dry.code, menu.exists()) == (0, False)
    assert str(menu) in dry.out
    ended = run("--data-dir", user / "My Cases", "setup", "desktop")
    assert (ended.code, ended.err) == (0, "")
    messages(ended.out)
    words = exec_words(menu.read_text())
    assert words[0] == "env"  # a checkout is found only from inside its folder
    start = [
        sys.executable,
        "-m",
        "casetrack.faces.cli.desktop",
        "--data-dir",
        str(user / "My Cases"),
    ]
    assert words[2:] == start
    assert action("--data-dir", user / "My Cases") == "unchanged"
    assert action() == "changed"
    assert str(menu) in run("uninstall", "--dry-run").out
    assert menu.exists()
    assert (action("--undo"), menu.exists()) == ("removed", False)
    assert action("--undo") == "absent"
