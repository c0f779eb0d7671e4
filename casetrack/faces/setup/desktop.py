"""The entry of CaseTrack in the desktop's menu, with its icon.

It is a ``.desktop`` file on Linux, a small application in the user's applications folder on macOS,
and a shortcut in the start menu on Windows. Each starts ``casetrack-window``, the window without a
terminal. All files are in folders of the user, so no permissions are needed.
"""

from __future__ import annotations

import io
import plistlib
import shlex
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Literal

from casetrack.base.errors import DesktopUnwritable
from casetrack.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.faces.setup.clients import Machine

# Writes shortcuts of Windows (``.lnk``): the program, its arguments, folder, icon and
# description.

_CLASS = bytes.fromhex("0114020000000000c000000000000046")
_HAS_TARGET, _HAS_NAME, _HAS_FOLDER, _HAS_ARGUMENTS, _HAS_ICON, _UNICODE = (
    0x01,
    0x04,
    0x10,
    0x20,
    0x40,
    0x80,
)
_DIRECTORY, _ARCHIVE = 0x10, 0x20
_SHOW_NORMAL = 1
_COMPUTER = bytes.fromhex("1f50e04fd020ea3a6910a2d808002b30309d")
"""The first item of every path: "This PC" (20D04FE0-3AEA-1069-A2D8-08002B30309D)."""
_DRIVE, _FOLDER, _FILE = 0x2F, 0x31, 0x32
_EXTENSION_MARK = 0xBEEF0004


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A Windows shortcut.

    Attributes
    ----------
    target
        The program, a path with a drive letter.
    arguments
        Its command-line arguments.
    folder
        Its working folder.
    icon
        The file of its icon.
    about
        Its tooltip.
    """

    target: str
    arguments: str
    folder: str
    icon: str
    about: str

    def to_bytes(self) -> bytes:
        """Return the content of the file.

        Raises
        ------
        ValueError
            The target is not a full path on a drive.
        """
        flags = _HAS_TARGET | _HAS_NAME | _HAS_FOLDER | _HAS_ICON | _UNICODE
        texts = [self.about, self.folder]
        if self.arguments:
            flags |= _HAS_ARGUMENTS
            texts.append(self.arguments)
        texts.append(self.icon)  # 2.4: in this order
        # 2.1: size and class; flags; attributes; three times and a size, all unset; the icon's
        # index; the state of the window; no hot key.
        head = struct.pack("<I16sII", 0x4C, _CLASS, flags, _ARCHIVE)
        head += struct.pack("<QQQIiIHHII", 0, 0, 0, 0, 0, _SHOW_NORMAL, 0, 0, 0, 0)
        return head + _targets(self.target) + b"".join(map(_text, texts)) + bytes(4)


def _targets(path: str) -> bytes:
    """Return the list of items that identify a file (2.2)."""
    parts = PureWindowsPath(path)
    if len(parts.drive) != 2 or not parts.root or len(parts.parts) < 2:
        raise ValueError(f"{path} is not a full path on a drive")
    items = [_COMPUTER, _drive(parts.drive)]
    *folders, name = parts.parts[1:]
    items += [_entry(folder, is_folder=True) for folder in folders]
    items.append(_entry(name, is_folder=False))
    listed = b"".join(struct.pack("<H", len(item) + 2) + item for item in items) + bytes(2)
    return struct.pack("<H", len(listed)) + listed


def _drive(letter: str) -> bytes:
    return struct.pack("<B22s", _DRIVE, f"{letter}\\".encode("ascii"))


def _entry(name: str, *, is_folder: bool) -> bytes:
    """Return the item of a folder or file: its short name in bytes, then its full name.

    The fields for times and size are zero, because Windows finds files by name.
    """
    short = name.encode("ascii", "replace") + b"\0"
    short += b"\0" * (len(short) % 2)
    kind = _FOLDER if is_folder else _FILE
    attributes = _DIRECTORY if is_folder else _ARCHIVE
    head = struct.pack("<BBIIH", kind, 0, 0, 0, attributes) + short
    long = name.encode("utf-16-le") + b"\0\0"
    # Version 3 of the extension: size, version, mark, two times, where the old form ends, the name.
    body = struct.pack("<HIIIHH", 3, _EXTENSION_MARK, 0, 0, 0x14, 0) + long
    body += struct.pack("<H", len(head) + 2)
    return head + struct.pack("<H", len(body) + 2) + body


def _text(value: str) -> bytes:
    """Return a text with its length in letters (2.4)."""
    data = value.encode("utf-16-le")
    return struct.pack("<H", len(data) // 2) + data


TITLE = "CaseTrack"
_ABOUT = "Search your documents, with exact sources"
_ABOUT_GERMAN = "Dokumente durchsuchen, mit genauer Quelle"
_ICON = Path(__file__).parent / "bundle" / "icon.png"
_BUNDLE_ID = "dev.casetrack.window"
_READABLE, _RUNNABLE = 0o644, 0o755
_RESERVED = frozenset(" \t\n\"'\\><~|&;$*?#()`")
"""Characters that require quotes in ``Exec``."""


@dataclass(frozen=True, slots=True)
class DesktopFile:
    """One file of the entry: path, content, and whether it is executable."""

    path: Path
    data: bytes
    runs: bool = False


@dataclass(frozen=True, slots=True)
class DesktopPlaces:
    """Paths of the entry of a system.

    Attributes
    ----------
    start
        The file that the menu shows and starts.
    others
        Further files; not every installation needs all of them.
    folder
        The folder made for these files, if any.
    where
        How users find the entry.
    """

    start: Path
    others: tuple[Path, ...]
    folder: Path | None
    where: str


@dataclass(frozen=True, slots=True)
class DesktopChange:
    """Result of a change of the entry.

    Attributes
    ----------
    action
        ``absent``: the entry to be removed does not exist.
    files
        Files that were, or would be, written or removed.
    where
        How users find the entry.
    """

    action: Literal["added", "changed", "unchanged", "removed", "absent"]
    files: tuple[Path, ...]
    where: str


def desktop_places(machine: Machine, /) -> DesktopPlaces:
    """Return the paths of the entry of a system."""
    if machine.system == "win32":
        start = machine.application_data / "Microsoft" / "Windows" / "Start Menu" / "Programs"
        folder = machine.shared_data / TITLE / "desktop"
        others = (folder / "casetrack.ico", folder / "casetrack.vbs")
        return DesktopPlaces(
            start / f"{TITLE}.lnk", others, folder, f"{TITLE} is in the start menu."
        )
    if machine.system == "darwin":
        folder = machine.home / "Applications" / f"{TITLE}.app"
        contents = folder / "Contents"
        others = (contents / "Info.plist", contents / "Resources" / "icon.icns")
        where = f"{TITLE} is in the folder Applications of your home folder, in Spotlight and in "
        where += "Launchpad; drag it into the Dock to keep it there."
        return DesktopPlaces(contents / "MacOS" / TITLE, others, folder, where)
    icon = machine.shared_data / "icons" / "hicolor" / "512x512" / "apps" / "casetrack.png"
    menu = machine.shared_data / "applications" / "casetrack.desktop"
    return DesktopPlaces(menu, (icon,), None, f"{TITLE} is in the menu of applications.")


def desktop_files(
    machine: Machine, command: Sequence[str], environment: Mapping[str, str] | None = None, /
) -> tuple[DesktopFile, ...]:
    """Return the files of the entry for a system.

    *command* starts the window: an absolute path, then arguments. *environment* has the variables
    for a program that runs from a checkout.
    """
    make = {"win32": _windows, "darwin": _macos}.get(machine.system, _linux)
    return make(machine, tuple(command), dict(environment or {}))


def add(
    machine: Machine,
    command: Sequence[str],
    environment: Mapping[str, str] | None = None,
    /,
    *,
    dry_run: bool = False,
) -> DesktopChange:
    """Write or update the entry; see :func:`desktop_files`.

    Raises
    ------
    DesktopUnwritable
        A file cannot be written.
    """
    places = desktop_places(machine)
    files = desktop_files(machine, command, environment)
    stale = [file for file in files if _content(file.path) != file.data]
    paths = tuple(file.path for file in stale)
    if not stale:
        return DesktopChange("unchanged", paths, places.where)
    known = places.start.exists()
    if not dry_run:
        for file in stale:
            try:
                file.path.parent.mkdir(parents=True, exist_ok=True)
                file.path.write_bytes(file.data)
                file.path.chmod(_RUNNABLE if file.runs else _READABLE)
            except OSError as error:
                raise DesktopUnwritable(file.path, error) from error
        _announce(places.start)
    return DesktopChange("changed" if known else "added", paths, places.where)


def remove(machine: Machine, /, *, dry_run: bool = False) -> DesktopChange:
    """Remove the entry; documents and data are not changed.

    Raises
    ------
    DesktopUnwritable
        A file cannot be removed.
    """
    places = desktop_places(machine)
    existing = tuple(path for path in (places.start, *places.others) if path.exists())
    if not existing:
        return DesktopChange("absent", (), places.where)
    if not dry_run:
        for path in existing:
            try:
                path.unlink()
            except OSError as error:
                raise DesktopUnwritable(path, error) from error
            _prune(path.parent, places.folder)
        _announce(places.start)
    return DesktopChange("removed", existing, places.where)


def _linux(
    machine: Machine, command: tuple[str, ...], environment: dict[str, str]
) -> tuple[DesktopFile, ...]:
    places = desktop_places(machine)
    (icon,) = places.others
    started = ("env", *(f"{k}={v}" for k, v in environment.items()), *command)
    rows = {
        "Type": "Application",
        "Version": "1.5",
        "Name": TITLE,
        "GenericName": "Document search",
        "GenericName[de]": "Dokumentensuche",
        "Comment": _ABOUT,
        "Comment[de]": _ABOUT_GERMAN,
        "Exec": _escaped(" ".join(map(_exec, started if environment else command))),
        "Icon": _escaped(str(icon)),
        "Terminal": "false",
        "Categories": "Office;",
        "Keywords": "documents;search;citations;contracts;mail;",
        "StartupNotify": "false",
    }
    text = "[Desktop Entry]\n" + "".join(f"{key}={value}\n" for key, value in rows.items())
    menu = DesktopFile(places.start, text.encode(), runs=True)
    return menu, DesktopFile(icon, _ICON.read_bytes())


def _exec(argument: str) -> str:
    """Return an argument in the syntax of ``Exec`` (Desktop Entry Specification, "Exec")."""
    doubled = argument.replace("%", "%%")
    if not _RESERVED & set(doubled) and doubled:
        return doubled
    for sign in '\\"`$':
        doubled = doubled.replace(sign, f"\\{sign}")
    return f'"{doubled}"'


def _escaped(value: str) -> str:
    """Return a value with doubled backslashes."""
    return value.replace("\\", "\\\\").replace("\n", "\\n")


def _macos(
    machine: Machine, command: tuple[str, ...], environment: dict[str, str]
) -> tuple[DesktopFile, ...]:
    places = desktop_places(machine)
    about, icon = places.others
    facts = {
        "CFBundleName": TITLE,
        "CFBundleDisplayName": TITLE,
        "CFBundleIdentifier": _BUNDLE_ID,
        "CFBundleVersion": __version__,
        "CFBundleShortVersionString": __version__,
        "CFBundlePackageType": "APPL",
        "CFBundleExecutable": TITLE,
        "CFBundleIconFile": "icon",
        "CFBundleInfoDictionaryVersion": "6.0",
        "LSMinimumSystemVersion": "12.0",
        "NSHighResolutionCapable": True,
        # It opens no window itself; the browser shows the page.
        "LSUIElement": True,
    }
    given = "".join(f"export {key}={shlex.quote(value)}\n" for key, value in environment.items())
    script = f"#!/bin/sh\n{given}exec {shlex.join(command)}\n"
    return (
        DesktopFile(places.start, script.encode(), runs=True),
        DesktopFile(about, plistlib.dumps(facts)),
        DesktopFile(icon, _icon("ICNS")),
    )


def _windows(
    machine: Machine, command: tuple[str, ...], environment: dict[str, str]
) -> tuple[DesktopFile, ...]:
    places = desktop_places(machine)
    icon, script = places.others
    files = [DesktopFile(icon, _icon("ICO"))]
    target, *arguments = command
    if environment:
        # A shortcut cannot set variables, so it starts a script without a window.
        files.append(DesktopFile(script, _visual_basic(command, environment)))
        system = machine.variable("SYSTEMROOT", Path("C:\\Windows"))
        target, arguments = f"{system}\\System32\\wscript.exe", [str(script)]
    typed = subprocess.list2cmdline(arguments)
    shortcut = Shortcut(target, typed, str(machine.home), str(icon), _ABOUT)
    return (DesktopFile(places.start, shortcut.to_bytes()), *files)


def _visual_basic(command: tuple[str, ...], environment: dict[str, str]) -> bytes:
    rows = ['Set shell = CreateObject("WScript.Shell")']
    rows += [
        f'shell.Environment("Process")({_basic(key)}) = {_basic(value)}'
        for key, value in environment.items()
    ]
    rows.append(f"shell.Run {_basic(subprocess.list2cmdline(command))}, 0, False")
    return "".join(f"{row}\r\n" for row in rows).encode("utf-16")


def _basic(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _icon(form: str) -> bytes:
    from PIL import Image

    made = io.BytesIO()
    with Image.open(_ICON) as picture:
        picture.save(made, format=form)
    return made.getvalue()


def _prune(folder: Path, last: Path | None) -> None:
    """Remove empty folders up to *last*; other content is kept."""
    while last is not None and folder.is_relative_to(last):
        try:
            folder.rmdir()
        except OSError:  # it is not empty, or gone already
            return
        folder = folder.parent


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _announce(start: Path) -> None:
    """Notify the desktop of the change; desktops without this program notice it themselves."""
    if start.suffix == ".desktop" and (updater := shutil.which("update-desktop-database")):
        subprocess.run([updater, str(start.parent)], capture_output=True, check=False)
