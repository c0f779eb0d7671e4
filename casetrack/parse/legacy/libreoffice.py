"""Convert old Office files with LibreOffice, without macros, network access or remaining files.

LibreOffice gets a copy of the file under a neutral name, in a temporary folder that also contains
its profile; see :mod:`casetrack.parse.legacy.guard`.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from casetrack.base.config import ParseLimits
from casetrack.base.errors import ConverterFailed, ConverterMissing, ParseFailed, ParseLimit
from casetrack.base.errors.files import package_of

_NAMES = ("soffice", "libreoffice")
_FOLDERS = (
    "/Applications/LibreOffice.app/Contents/MacOS",
    "/usr/lib/libreoffice/program",
    "/usr/lib64/libreoffice/program",
)
_OPTIONAL = Path("/opt")
"""Installation folders of LibreOffice's own Linux packages, one per version."""
_MARK, _OTHER_MARK = (f"{n}cryptedSummary\0".encode("utf-16-le") for n in ("En", "De"))
_ENTRY_BYTES = 128
_SHARE = 0.9
"""Part of the file's time that the conversion may take; the rest is for reading its result."""
_UNLOADED = "source file could not be loaded"
"""Output of LibreOffice for a file that it cannot open, and for a missing component."""
_SHELL_SIGNALS = 128
_OUTPUT_CHARS, _SHOWN = 2_000, 200
_PROFILE = Path("user", "registrymodifications.xcu")
_SETTINGS = (
    ("Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("Common/Security/Scripting", "DisableActiveContent", "true"),
    ("Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("Writer/Content/Update", "Link", "0"),
    ("Writer/Content/Update", "Field", "false"),
    ("Writer/Content/Update", "Chart", "false"),
    ("Java/VirtualMachine", "Enable", "false"),
)


@dataclass(frozen=True, slots=True)
class Conversion:
    """Conversion of an old format into a new one by LibreOffice's *filter* and *module*."""

    kind: str
    source: str
    target: str
    filter: str
    module: str


def find_libreoffice() -> Path | None:
    """Return LibreOffice's program, from the search path or its installation folders."""
    for name in _NAMES:
        path = shutil.which(name)
        if path:
            return Path(path)
    folders = [Path(folder) for folder in _FOLDERS]
    folders += sorted(_OPTIONAL.glob("libreoffice*/program"), reverse=True)
    for variable in ("ProgramFiles", "ProgramFiles(x86)"):
        if variable in os.environ:
            folders.append(Path(os.environ[variable], "LibreOffice", "program"))
    programs = (folder / name for folder in folders for name in ("soffice", "soffice.exe"))
    return next((program for program in programs if program.is_file()), None)


@contextmanager
def converted(
    path: Path, content: Path, conversion: Conversion, limits: ParseLimits, spool: Path | None, /
) -> Iterator[Path]:
    """Yield the path of the converted file, which is removed at the end of the context.

    *path* is the file for messages, *content* the file to read. Raises ``ConverterMissing``,
    ``ConverterFailed`` (a crash or an incomplete file, twice), ``ParseFailed`` or ``ParseLimit``.
    """
    program = find_libreoffice()
    if program is None:
        raise ConverterMissing(path, conversion.kind, conversion.target)
    end = time.monotonic() + _seconds(limits)
    with _attempt(program, content, conversion, limits, spool, end) as first:
        if first.is_good:
            yield first.check(path, conversion, limits)
            return
    # LibreOffice sometimes crashes once on a file that it converts with the next, new profile.
    with _attempt(program, content, conversion, limits, spool, end) as last:
        if last.has_result:
            yield last.check(path, conversion, limits)
            return
    lacks = _lacks_module(program, conversion.module)
    if lacks:
        raise ConverterMissing(path, conversion.kind, conversion.target, conversion.module)
    # Both runs share the time limit.
    ending = last if last.ended == "exit" else first
    if _UNLOADED in ending.output:
        kind = conversion.source.removeprefix(".").upper()
        reason = "LibreOffice cannot open it"
        if lacks is None:
            part, how = conversion.module.capitalize(), package_of(conversion.module)
            reason += f", unless its part {part} is not installed ({how})"
        raise ParseFailed(path, kind, reason)
    raise ConverterFailed(path, _ending(ending), conversion.target)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One run of LibreOffice: its end, its output and the path of the converted file."""

    ended: str
    code: int | str
    output: str
    result: Path

    @property
    def has_result(self) -> bool:
        """Whether it wrote a complete package; LibreOffice may stop while writing."""
        return zipfile.is_zipfile(self.result)

    @property
    def is_good(self) -> bool:
        """Whether a second run is useless: a limit was reached, or the run succeeded."""
        return self.ended != "exit" or (self.code == 0 and self.has_result)

    def check(self, path: Path, conversion: Conversion, limits: ParseLimits, /) -> Path:
        passed = ""
        if self.ended == "time":
            passed = f"LibreOffice did not finish within {_seconds(limits):g} seconds"
        elif self.ended == "memory":
            passed = f"LibreOffice needed more than {limits.memory_mb:,} MB of memory"
        elif self.ended == "disk" or self.result.stat().st_size > limits.unpacked_mb << 20:
            passed = f"its conversion exceeds {limits.unpacked_mb:,} MB (unpacked_mb)"
        if passed:
            raise ParseLimit(path, passed, newer=conversion.target)
        return self.result


@contextmanager
def _attempt(
    program: Path,
    content: Path,
    conversion: Conversion,
    limits: ParseLimits,
    spool: Path | None,
    end: float,
) -> Iterator[_Attempt]:
    """Run LibreOffice once, in a temporary folder with a new profile."""
    folder = Path(tempfile.mkdtemp(prefix="casetrack-office-", dir=spool))
    try:
        _prepare(folder, content, conversion)
        command = _command(program, folder, conversion)
        with _Guard(folder, command, limits, end - time.monotonic()) as guard:
            answer = guard.answer()
            output = folder / "output"
            text = output.read_text("utf-8", "replace") if output.is_file() else ""
            result = folder / "out" / f"document{conversion.target}"
            yield _Attempt(answer["ended"], answer["code"], text[-_OUTPUT_CHARS:], result)
    finally:
        # The guard removes it, but does not start if the copy failed.
        shutil.rmtree(folder, ignore_errors=True)


def _lacks_module(program: Path, module: str) -> bool | None:
    """Return whether LibreOffice was installed without a component; ``None`` if unknown."""
    home = program.resolve().parent.parent
    registries = (home / "share" / "registry", home / "Resources" / "registry")
    known = [r for r in registries if (r / "main.xcd").is_file()]
    return not (known[0] / f"{module}.xcd").is_file() if known else None


def _ending(attempt: _Attempt) -> str:
    """Return how LibreOffice ended, with its signal or exit code, and the end of its output."""
    code = attempt.code
    if not isinstance(code, int):
        ended = "ended without an answer"
    elif code < 0 or code > _SHELL_SIGNALS:  # a shell script adds 128 to the number of a signal
        number = -code if code < 0 else code - _SHELL_SIGNALS
        names = {each.value: f" ({each.name})" for each in signal.Signals}
        ended = f"was ended by signal {number}{names.get(number, '')}"
    else:
        ended = f"ended with exit code {code}, without a complete result"
    lines = attempt.output.split("\n")
    message = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f"{ended}: {message[:_SHOWN]}" if message else ended


def _prepare(folder: Path, content: Path, conversion: Conversion) -> None:
    for name in ("in", "out", "tmp"):
        (folder / name).mkdir()
    copy = folder / "in" / f"document{conversion.source}"
    copy.write_bytes(_without_mark(content.read_bytes()))
    profile = folder / "profile" / _PROFILE
    profile.parent.mkdir(parents=True)
    items = "".join(
        f'<item oor:path="/org.openoffice.Office.{path}">'
        f'<prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
        for path, name, value in _SETTINGS
    )
    profile.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<oor:items xmlns:oor="http://openoffice.org/2001/registry">{items}</oor:items>',
        encoding="utf-8",
    )


def _without_mark(data: bytes) -> bytes:
    """Rename the stream that stays encrypted in a presentation, since LibreOffice refuses it."""
    # A directory entry begins at a multiple of 128 bytes; an equally long name keeps their order.
    at = data.find(_MARK)
    while at >= 0 and at % _ENTRY_BYTES:
        at = data.find(_MARK, at + 1)
    return data if at < 0 else data[:at] + _OTHER_MARK + data[at + len(_MARK) :]


def _command(program: Path, folder: Path, conversion: Conversion) -> list[str]:
    inner = program.resolve().with_name("soffice.bin")
    if sys.platform == "linux" and inner.is_file():
        # Without the shell script and launcher, it ends with the guard.
        program = inner
    return [
        str(program),
        "--headless",
        "--norestore",
        "--nologo",
        "--nodefault",
        "--nolockcheck",
        f"-env:UserInstallation={(folder / 'profile').as_uri()}",
        f"--infilter={conversion.filter}",
        "--convert-to",
        conversion.target.removeprefix("."),
        "--outdir",
        str(folder / "out"),
        str(folder / "in" / f"document{conversion.source}"),
    ]


def _environment(folder: Path) -> dict[str, str]:
    if sys.platform == "win32":
        return dict(os.environ)
    temporary = str(folder / "tmp")
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "TMPDIR": temporary,
        "XDG_RUNTIME_DIR": temporary,
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }


def _seconds(limits: ParseLimits) -> float:
    return limits.timeout_seconds * _SHARE


class _Guard:
    """The guard process; leaving the context ends LibreOffice and removes the folder."""

    def __init__(
        self, folder: Path, command: list[str], limits: ParseLimits, seconds: float
    ) -> None:
        order = {
            "command": command,
            "environment": _environment(folder),
            "folder": str(folder),
            "seconds": seconds,
            "memory_mb": limits.memory_mb,
            "disk_mb": limits.unpacked_mb,
        }
        self._order = json.dumps(order).encode("ascii") + b"\n"
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("guard.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            # A signal to this process group must not reach the guard, which has to clean up.
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )

    def __enter__(self) -> _Guard:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def answer(self) -> dict[str, Any]:
        order = cast("BinaryIO", self._process.stdin)
        answer = cast("BinaryIO", self._process.stdout)
        try:
            order.write(self._order)
            order.flush()
            line = answer.readline()
        except BrokenPipeError:
            line = b""
        reply: dict[str, Any] = json.loads(line) if line else {"ended": "exit", "code": "no answer"}
        return reply
