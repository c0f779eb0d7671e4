"""How CaseTrack finds out how it was installed, updates itself and goes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp.client.stdio import StdioServerParameters

from casetrack.cli import leave as command
from casetrack.errors import InstallerFailed, UpdateUnknown
from casetrack.mcp.catalogue import declared
from casetrack.setup import installation, uninstall, update
from casetrack.setup.installation import Installation, find_installation, shown
from casetrack.setup.installers import newest_version, run_installer
from mcp import Client
from release.signing import Signer
from setup.wheels import PACKAGE, write_wheel

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., Any]


class Metadata:
    """Stands for the metadata of an installed package."""

    def __init__(self, **texts: str) -> None:
        self.texts = texts

    def read_text(self, name: str) -> str | None:
        return self.texts.get(name.removesuffix(".json"))


DIRECT = '{"url": "https://example.org/casetrack.whl", "archive_info": {}}'
EDITABLE = '{"url": "file:///src/casetrack", "dir_info": {"editable": true}}'


@pytest.mark.parametrize(
    ("texts", "marker", "folder", "kind"),
    [
        ({"INSTALLER": "pip\n"}, None, "venv", "pip"),
        ({"INSTALLER": "uv"}, None, "venv", "uv"),
        ({"INSTALLER": "conda"}, None, "venv", "conda"),
        ({"INSTALLER": "pip"}, "pipx_metadata.json", "venv", "pipx"),
        ({"INSTALLER": "uv"}, "uv-receipt.toml", "venv", "uv-tool"),
        ({"INSTALLER": "uv"}, None, "uv/archive-v0/x1", "temporary"),
        ({"INSTALLER": "pip"}, None, ".cache/pipx/x1", "temporary"),
        ({"INSTALLER": "pip", "direct_url": EDITABLE}, None, "venv", "editable"),
        ({"INSTALLER": "uv", "direct_url": EDITABLE}, "uv-receipt.toml", "venv", "editable"),
        ({"INSTALLER": "pip", "direct_url": DIRECT}, None, "venv", "other"),
        ({"INSTALLER": "apt"}, None, "venv", "other"),
        ({}, None, "venv", "other"),
    ],
)
def test_how_it_was_installed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    texts: dict[str, str],
    marker: str | None,
    folder: str,
    kind: str,
) -> None:
    prefix = tmp_path / folder
    prefix.mkdir(parents=True)
    if marker is not None:
        (prefix / marker).touch()
    monkeypatch.setattr(sys, "prefix", str(prefix))
    monkeypatch.setattr(installation, "own_distribution", lambda: Metadata(**texts))
    assert find_installation().kind == kind


def test_a_checkout_has_no_installer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "own_distribution", lambda: None)
    found = find_installation()
    assert (found.kind, found.place) == ("source", str(PACKAGE.parent))
    assert (found.update_command(), found.uninstall_command) == (None, None)


def test_what_is_run_is_not_what_happens_to_be_installed_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A checkout that runs in an environment with a wheel in it is not that wheel."""
    other = tmp_path / "casetrack-1.0.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: casetrack\nVersion: 1.0\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert installation.distribution("casetrack").version == "1.0"
    assert installation.own_distribution() is None


@pytest.mark.parametrize(
    ("kind", "upgrade", "remove"),
    [
        ("pip", "py -m pip install --upgrade casetrack", "py -m pip uninstall --yes casetrack"),
        (
            "uv",
            "uv pip install --python py --upgrade casetrack",
            "uv pip uninstall --python py casetrack",
        ),
        ("pipx", "pipx upgrade casetrack", "pipx uninstall casetrack"),
        ("uv-tool", "uv tool upgrade casetrack", "uv tool uninstall casetrack"),
        ("conda", "conda update casetrack", "conda remove casetrack"),
        ("other", None, "py -m pip uninstall --yes casetrack"),
        ("temporary", None, None),
    ],
)
def test_each_installer_has_its_commands(kind: Any, upgrade: str, remove: str) -> None:
    found = Installation(kind, "there", "py")
    written = [
        None if c is None else shown(c) for c in (found.update_command(), found.uninstall_command)
    ]
    assert written == [upgrade, remove]


@pytest.mark.parametrize(
    ("kind", "system", "reason"),
    [
        ("pip", "win32", "a running program cannot be replaced on Windows"),
        ("pip", "linux", None),
        ("pipx", "linux", "pipx is not on the search path"),
        ("uv-tool", "linux", "uv is not on the search path"),
        ("conda", "linux", "only you know how it came here"),
        ("editable", "linux", "only you know how it came here"),
    ],
)
def test_on_any_doubt_it_is_left_to_the_user(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: Any, system: str, reason: str | None
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(installation, "_protected", lambda: None)
    assert Installation(kind, "there", "py").by_hand == reason


def test_the_systems_own_python_is_not_changed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "EXTERNALLY-MANAGED").touch()
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(sys, "base_prefix", sys.prefix)
    monkeypatch.setattr(installation.sysconfig, "get_path", lambda _: str(tmp_path))
    by_hand = Installation("pip", "there", "py").by_hand
    assert by_hand == "the packages of this Python belong to the operating system"


# --- asking an index --------------------------------------------------------------------------


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is pip's only package index."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


HERE = Installation("pip", "there", sys.executable)


def test_pip_tells_the_newest_version(index: Path) -> None:
    write_wheel(index, "9.9.8")
    write_wheel(index, "9.9.9")
    assert newest_version(HERE, "9.9.9") is None
    assert newest_version(HERE, "0.1.0") == "9.9.9"


def test_an_index_that_cannot_be_reached_is_no_answer(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UpdateUnknown, match="No matching distribution found for casetrack") as told:
        newest_version(HERE, "0.1.0")
    assert "Nothing was changed" in told.value.message
    assert "casetrack update --check" in told.value.hint


UV = """\
#!/bin/sh
echo "$@" > "{log}"
if [ -n "$FAIL" ]; then printf 'error: Request failed\\n  cause: refused\\n' >&2; exit 2; fi
printf 'Using Python 3.11 environment at: ve\\nWould install 1 package\\n{row}\\n' >&2
"""


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for uv is a shell script")
@pytest.mark.parametrize(
    ("row", "newest"), [(" + casetrack==2.1", "2.1"), ("Would make no changes", None)]
)
def test_uv_tells_the_newest_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: str, newest: str | None
) -> None:
    log = tmp_path / "log"
    (tmp_path / "uv").write_text(UV.format(log=log, row=row))
    (tmp_path / "uv").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    found = Installation("uv-tool", "there", "/tools/casetrack/bin/python")
    assert newest_version(found, "0.1.0") == newest
    asked = log.read_text().split()
    assert asked[:4] == ["pip", "install", "--python", "/tools/casetrack/bin/python"]
    assert {"--dry-run", "--no-deps", "--upgrade"} <= set(asked)
    monkeypatch.setenv("FAIL", "1")
    with pytest.raises(UpdateUnknown, match=r"Request failed\. Nothing was changed"):
        newest_version(found, "0.1.0")


def test_an_installer_that_fails_is_told_with_its_last_words() -> None:
    failing = (sys.executable, "-c", "import sys; print('no rights', file=sys.stderr); sys.exit(3)")
    with pytest.raises(InstallerFailed, match=r"exit code 3: .* Its last words: no rights") as told:
        run_installer(failing)
    assert "Run it yourself" in told.value.hint
    with pytest.raises(InstallerFailed, match="exit code -1: no-such-program install"):
        run_installer(("no-such-program", "install"))


# --- the commands -----------------------------------------------------------------------------


def pretend(monkeypatch: pytest.MonkeyPatch, found: Installation) -> list[Any]:
    """Let the commands find *found*; what they would run is listed, not run."""
    asked: list[Any] = []
    monkeypatch.setattr(installation, "find_installation", lambda: found)
    monkeypatch.setattr(Installation, "by_hand", None)
    monkeypatch.setattr(uninstall, "run_installer", asked.append)
    monkeypatch.setattr(update, "update", lambda *words: asked.append(words[:2]))
    return asked


def test_update_shows_what_it_runs(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = pretend(monkeypatch, HERE)
    monkeypatch.setattr(update, "newest_version", lambda *_: "9.9.9")
    shown_command = shown(HERE.update_command() or ())
    check = run("update", "--check")
    assert check.out.startswith("CaseTrack 9.9.9 is there; this is ")
    assert check.out.endswith("To install it, run: casetrack update\n")
    assert asked == []
    done = run("--update")
    assert done.out.endswith("CaseTrack 9.9.9 is installed. Restart the AI programs that use it.\n")
    assert asked == [(HERE, "9.9.9")]
    told = json.loads(run("update", "--json").out)
    assert (told["newest"], told["command"], told["updated"]) == ("9.9.9", shown_command, True)


def test_update_with_nothing_newer(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = pretend(monkeypatch, HERE)
    monkeypatch.setattr(update, "newest_version", lambda *_: None)
    assert run("update").out.endswith(" is the newest version.\n")
    assert asked == []


def test_update_that_must_be_typed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = pretend(monkeypatch, HERE)
    monkeypatch.setattr(Installation, "by_hand", "pip is not in this environment")
    monkeypatch.setattr(update, "newest_version", lambda *_: "9.9.9")
    ended = run("update")
    command_line = shown(HERE.update_command() or ())
    assert ended.out.endswith(
        f"To install it (pip is not in this environment), run: {command_line}\n"
    )
    assert asked == []


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("source", "It runs from a checkout (there). Update it there"),
        ("other", "It was installed from there."),
        ("temporary", "uvx casetrack@latest"),
    ],
)
def test_update_of_what_no_index_has(
    run: Run, monkeypatch: pytest.MonkeyPatch, kind: Any, told: str
) -> None:
    pretend(monkeypatch, Installation(kind, "there", "py"))
    ended = run("update", "--json")
    assert ended.code == 1
    assert told in ended.err
    assert json.loads(ended.out)["error"]["code"] == "update_impossible"


def test_uninstall_asks_first(run: Run, monkeypatch: pytest.MonkeyPatch, user: Path) -> None:
    asked = pretend(monkeypatch, HERE)
    run("setup", "cursor")
    ended = run("uninstall")
    assert ended.code == 2
    assert ended.out == "This will remove CaseTrack. Your data will NOT be deleted.\n"
    assert "Add --yes to confirm it" in ended.err

    class Terminal:
        closed = False

        def isatty(self) -> bool:
            return True

        def readline(self, *_: object) -> str:
            return "n\n"

    monkeypatch.setattr(command.sys, "stdin", Terminal())
    assert run("uninstall").code == 1
    assert (user / ".cursor/mcp.json").exists()
    assert asked == []


def test_uninstall_removes_entries_and_program_but_no_data(
    run: Run, monkeypatch: pytest.MonkeyPatch, user: Path
) -> None:
    asked = pretend(monkeypatch, HERE)
    data = user / "Cases"
    data.mkdir()
    (data / "config.toml").write_text("copy_originals = true")
    for name in ("claude-code", "claude-desktop", "cursor", "vscode"):
        run("setup", name)
    run("setup", "vscode", "--scope", "project")
    ended = run("--uninstall", "--yes", "--data-dir", data)
    assert ended.code == 0
    rows = ended.out.splitlines()
    assert rows[0] == "This will remove CaseTrack. Your data will NOT be deleted."
    assert len([row for row in rows if row.startswith("Removed from ")]) == 5
    assert rows[-2:] == [
        "The program was removed.",
        f"Your data stays in {data}. CaseTrack never deletes it; that is up to you.",
    ]
    assert asked == [HERE.uninstall_command]
    assert [p.name for p in data.iterdir()] == ["config.toml"]
    assert list(user.rglob("*.json")) == []
    assert "No AI program has CaseTrack" in run("uninstall", "-y", "--dry-run").out


def test_uninstall_keeps_the_program_while_a_file_is_broken(
    run: Run, monkeypatch: pytest.MonkeyPatch, user: Path
) -> None:
    asked = pretend(monkeypatch, HERE)
    run("setup", "cursor")
    (user / ".claude.json").write_text("{ casetrack")
    ended = run("uninstall", "--yes")
    assert ended.code == 1
    assert "Removed from Cursor" in ended.out
    assert ".claude.json, line 1, column 3" in ended.err
    assert "The program was left in place. Correct these files" in ended.out
    assert asked == []
    told = json.loads(run("uninstall", "--yes", "--json").out)
    assert told["problems"][0]["code"] == "client_file_invalid"
    assert told["program"]["removed"] is False


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("source", "The program itself is the folder there; delete it when you like."),
        ("pipx", "To remove the program itself (for a reason), run: pipx uninstall casetrack"),
    ],
)
def test_uninstall_says_what_it_leaves_to_the_user(
    run: Run, monkeypatch: pytest.MonkeyPatch, kind: Any, told: str
) -> None:
    asked = pretend(monkeypatch, Installation(kind, "there", "py"))
    monkeypatch.setattr(Installation, "by_hand", "for a reason")
    assert told in run("uninstall", "--yes").out
    assert asked == []


@pytest.mark.slow
def test_a_real_environment_is_set_up_updated_and_left(tmp_path: Path, index: Path) -> None:
    """Pip installs a wheel of the whole program; it finds a newer one, installs it, and goes."""
    write_wheel(index, "0.0.1", whole=True)
    venv.create(tmp_path / "venv", with_pip=False)
    scripts = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    asked = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    libraries = [p for p in sys.path if p.endswith("site-packages")]
    with open(f"{site}/libraries.pth", "w", encoding="utf-8") as stream:  # noqa: PTH123
        stream.write("\n".join(libraries))
    home = tmp_path / "home"
    home.mkdir()
    outer = {**os.environ, "HOME": str(home), "CASETRACK_HOME": str(home / "Cases")}
    outer.pop("PYTHONPATH", None)

    def call(*words: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(w) for w in words],
            cwd=home,
            env=outer,
            capture_output=True,
            text=True,
            check=False,
        )

    # The libraries' folder may hold a checkout's own entry.
    alone = ("--no-compile", "--no-deps", "--ignore-installed")
    installed = call(python, "-m", "pip", "install", *alone, "casetrack")
    assert installed.returncode == 0, installed.stderr
    program = scripts / "casetrack"
    assert call(program, "setup", "claude-code").returncode == 0
    entry = json.loads((home / ".claude.json").read_text())["mcpServers"]["casetrack"]
    assert entry["command"] == str(program)
    assert entry["args"] == ["serve"]
    assert entry["env"] == {"CASETRACK_HOME": str(home / "Cases")} | (
        {"CASETRACK_MODELS": outer["CASETRACK_MODELS"]} if "CASETRACK_MODELS" in outer else {}
    )
    started = StdioServerParameters(
        command=entry["command"], args=entry["args"], env={"PATH": "", **entry["env"]}, cwd="/"
    )

    async def talk() -> int:
        async with Client(started, mode="legacy") as client:
            return len((await client.list_tools()).tools)

    assert anyio.run(talk) == len(declared())
    assert "is the newest version" in call(program, "update", "--check").stdout
    signer = Signer(b"1" * 32)
    (tmp_path / "own.pub").write_text(signer.public.text())
    write_wheel(index, "9.9.9", whole=True, signer=signer)
    assert "CaseTrack 9.9.9 is there" in call(program, "update", "--check").stdout
    refused = call(program, "update")
    assert "signed by a key that is not trusted here" in refused.stderr, refused
    updated = call(program, "update", "--signed-by", tmp_path / "own.pub")
    assert "CaseTrack 9.9.9 is installed." in updated.stdout, updated
    version = [python, "-c", "from importlib.metadata import version as v; print(v('casetrack'))"]
    assert call(*version).stdout.strip() == "9.9.9"
    gone = call(program, "uninstall", "--yes")
    assert "The program was removed." in gone.stdout, gone
    assert not program.exists()
    assert not (home / ".claude.json").exists()
    assert call(*version).stdout.strip() != "9.9.9"
    assert not list(Path(site).glob("casetrack*"))
