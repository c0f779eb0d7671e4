"""``install.sh`` as run by a user, with a uv that records its calls; and the Windows script."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from release.bundle.build import PYTHON

CHECKOUT = Path(__file__).parents[3]
SCRIPT, FOR_WINDOWS = CHECKOUT / "install.sh", CHECKOUT / "install.ps1"
UV = """\
#!/bin/sh
echo "uv $*" >> "$HOME/asked"
case "$*" in
  "tool dir --bin") echo "$HOME/.local/bin" ;;
  "tool install"*)
    [ ! -e "$HOME/no-index" ] || { echo "no such package" >&2; exit 2; }
    mkdir -p "$HOME/.local/bin"
    cp "$HOME/casetrack" "$HOME/.local/bin/casetrack" ;;
  "cache dir") echo "$HOME" ;;
  "tool uninstall casetrack") rm "$HOME/.local/bin/casetrack" ;;
esac
"""
PROGRAM = """\
#!/bin/sh
echo "casetrack $*" >> "$HOME/asked"
case "$*" in
  --version) echo "casetrack 9.9" ;;
  "models pull") [ ! -e "$HOME/offline" ] || exit 1 ;;
  "uninstall --yes") [ ! -e "$HOME/locked" ] || exit 1 ;;
esac
"""
CURL = """\
#!/bin/sh
[ ! -e "$HOME/offline" ] || exit 6
while [ $# -gt 1 ]; do [ "$1" != -o ] || cp "$HOME/uv-installer.sh" "$2"; shift; done
"""
INSTALLER = """\
mkdir -p "$UV_UNMANAGED_INSTALL"
cp "$HOME/fetched-uv" "$UV_UNMANAGED_INSTALL/uv"
"""
pytestmark = pytest.mark.skipif(os.name == "nt", reason="a script for Linux and macOS")


@dataclass(frozen=True)
class User:
    """A user with a home folder, whose programs are those of the system and of ``bin``."""

    home: Path

    def give(self, name: str, text: str) -> Path:
        """Put a program into the home folder."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def runs(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the script."""
        programs = f"{self.home / 'bin'}:/usr/bin:/bin"
        return subprocess.run(
            ["/bin/sh", SCRIPT, *words],
            env={"HOME": str(self.home), "PATH": programs},
            cwd=self.home,
            capture_output=True,
            text=True,
            check=False,
        )

    def asked(self) -> list[str]:
        """Return the calls of uv and CaseTrack since the last time."""
        path = self.home / "asked"
        rows = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return [row for row in rows if row not in {"uv tool dir --bin", "casetrack --version"}]


@pytest.fixture
def user(tmp_path: Path) -> User:
    result = User(tmp_path)
    result.give("casetrack", PROGRAM)
    result.give("bin/curl", CURL)
    result.give("uv-installer.sh", INSTALLER)
    result.give("fetched-uv", UV)
    (tmp_path / "Documents").mkdir()
    (tmp_path / "Documents" / "mine.txt").write_text("mine")
    return result


def line(package: str = "casetrack") -> str:
    options = "--quiet --upgrade --reinstall-package casetrack --with py7zr --with libpff-python"
    return f"uv tool install {options} --python {PYTHON} {package}"


@pytest.mark.skipif(shutil.which("uv", path="/usr/bin:/bin") is not None, reason="uv is there")
def test_it_fetches_uv_installs_updates_and_removes(user: User) -> None:
    own = user.home / ".local/share/casetrack/uv/uv"
    first = user.runs()
    assert (first.returncode, first.stderr) == (0, "")
    assert "casetrack 9.9" in first.stdout
    assert "tool update-shell" in first.stdout  # ~/.local/bin is not on the search path
    assert own.exists()
    steps = [line(), "casetrack models pull", "casetrack setup desktop"]
    assert user.asked() == steps
    (user.home / "offline").touch()  # uv is not fetched again
    assert user.runs("--no-models").returncode == 0
    assert user.asked() == [steps[0], steps[2]]
    gone = user.runs("--uninstall")
    assert gone.returncode == 0
    removed = ["casetrack uninstall --yes", "uv tool uninstall casetrack", "uv cache dir"]
    assert user.asked() == removed  # the cache stays unless the user agrees
    assert not own.parent.exists()
    assert (user.home / "Documents" / "mine.txt").read_text() == "mine"
    assert (user.runs("--uninstall").returncode, user.asked()) == (0, [])


def test_a_wheel_and_the_uv_that_is_there(user: User) -> None:
    user.give("bin/uv", UV)
    wheel = user.give("my wheel.whl", "")
    ended = user.runs("--from", wheel.name, "--no-models", "--no-desktop")
    assert ended.returncode == 0, ended.stderr
    assert user.asked() == [line(wheel.name)]
    assert not (user.home / ".local/share").exists()


def test_without_a_network_what_can_be_done_is_done(user: User) -> None:
    user.give("bin/uv", UV)
    user.give("offline", "")
    ended = user.runs()
    assert ended.returncode == 0
    assert "`casetrack models pull`" in ended.stdout
    assert user.asked() == [line(), "casetrack models pull", "casetrack setup desktop"]


@pytest.mark.parametrize(
    ("words", "fact"),
    [(["--from"], "--from"), (["--from", "no.whl"], "no.whl"), (["--force"], "--force")],
)
def test_what_it_does_not_understand_is_reported(user: User, words: list[str], fact: str) -> None:
    ended = user.runs(*words)
    assert ended.returncode == 1
    problem, step, *_ = ended.stderr.splitlines()
    assert (fact in problem, step.startswith("  ")) == (True, True)
    assert user.asked() == []


@pytest.mark.skipif(shutil.which("uv", path="/usr/bin:/bin") is not None, reason="uv is there")
def test_what_stops_it_is_reported(user: User) -> None:
    offline = user.give("offline", "")
    ended = user.runs()
    assert ended.returncode == 1
    assert "https://" in ended.stderr
    offline.unlink()
    user.give("no-index", "")
    ended = user.runs()
    assert ended.returncode == 1
    assert "no such package" in ended.stderr
    (user.home / "no-index").unlink()
    assert user.runs("--no-models").returncode == 0
    user.give("locked", "")
    ended = user.runs("--uninstall")
    assert ended.returncode == 1
    assert (user.home / ".local/bin/casetrack").exists()


def test_the_help_is_the_head_of_the_script(user: User) -> None:
    message = user.runs("--help").stdout
    head = [row.removeprefix("#").strip() for row in SCRIPT.read_text("utf-8").splitlines()]
    assert [row.strip() for row in message.splitlines() if row.strip() not in head] == []
    assert "--uninstall" in message
    assert "set -eu" not in message


def test_the_script_for_windows_takes_the_same_steps() -> None:
    local, remote = SCRIPT.read_text("utf-8"), FOR_WINDOWS.read_text("utf-8")
    assert (
        remote.isascii()
    )  # Windows PowerShell reads a file without a mark in the system's letters
    for pattern in (
        r"\d+\.\d+\.\d+/uv-installer|UV_?VERSION ?= ?'?(\d+\.\d+\.\d+)",
        r"PYTHON ?= ?'?([\d.]+)",
        r"(tool install [-\w ]+ --python)",
        r"(tool uninstall casetrack)",
        r"(uninstall --yes)",
        r"(models pull\b)",
        r"(cache clean)",
        r"(setup desktop)",
    ):
        same = [re.findall(pattern, text, re.IGNORECASE)[:1] for text in (local, remote)]
        assert same[0] == same[1] != [], pattern
    assert f"PYTHON={PYTHON} " in local
