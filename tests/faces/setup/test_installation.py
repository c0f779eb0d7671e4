"""How CaseTrack finds out how it was installed, updates itself and goes."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import venv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

import casetrack
from casetrack.base.errors import InstallerFailed, UpdateUnknown
from casetrack.faces.mcp.catalogue import declared
from casetrack.faces.setup import installation, uninstall, update
from casetrack.faces.setup.installation import Installation, find_installation, shown
from casetrack.faces.setup.installers import newest_version, run_installer
from faces.setup.wheels import PACKAGE, write_wheel
from release.signing import Signer

if TYPE_CHECKING:
    from collections.abc import Callable

    from faces.setup.conftest import Run


class Metadata:
    """Fake metadata of an installed package."""

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
    result = find_installation()
    assert (result.kind, result.place) == ("source", str(PACKAGE.parent))
    assert (result.update_command(), result.uninstall_command) == (None, None)


def test_what_is_run_is_not_what_happens_to_be_installed_next_to_it(
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
    ("kind", "system", "managed", "left"),
    [
        ("pip", "win32", False, True),
        ("pip", "linux", False, False),
        ("pip", "linux", True, True),
        ("pipx", "linux", False, True),
        ("editable", "linux", False, True),
    ],
)
def test_on_any_doubt_it_is_left_to_the_user(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    kind: Any,
    system: str,
    managed: bool,
    left: bool,
) -> None:
    if managed:
        (tmp_path / "EXTERNALLY-MANAGED").touch()
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(sys, "base_prefix", sys.prefix)
    monkeypatch.setattr(installation.sysconfig, "get_path", lambda _: str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert bool(Installation(kind, "there", "py").by_hand) is left


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


@pytest.mark.slow
def test_pip_tells_the_newest_version(index: Path) -> None:
    with pytest.raises(UpdateUnknown, match="casetrack") as caught:
        newest_version(HERE, "0.1.0")
    assert "casetrack update --check" in caught.value.hint
    write_wheel(index, "9.9.9")
    assert newest_version(HERE, "9.9.9") is None
    assert newest_version(HERE, "0.1.0") == "9.9.9"


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
    result = Installation("uv-tool", "there", "/tools/casetrack/bin/python")
    assert newest_version(result, "0.1.0") == newest
    asked = log.read_text().split()
    assert asked[:4] == ["pip", "install", "--python", "/tools/casetrack/bin/python"]
    assert {"--dry-run", "--no-deps", "--upgrade"} <= set(asked)
    monkeypatch.setenv("FAIL", "1")
    with pytest.raises(UpdateUnknown, match="Request failed"):  # the output of the fake program
        newest_version(result, "0.1.0")


def test_an_installer_that_fails_is_reported_with_its_last_words() -> None:
    failing = (sys.executable, "-c", "import sys; print('no rights', file=sys.stderr); sys.exit(3)")
    with pytest.raises(InstallerFailed, match=r" 3\b.* no rights") as caught:
        run_installer(failing)
    assert caught.value.hint
    with pytest.raises(InstallerFailed, match=r"-1.*no-such-program install"):
        run_installer(("no-such-program", "install"))


# --- the commands -----------------------------------------------------------------------------


def pretend(monkeypatch: pytest.MonkeyPatch, result: Installation) -> list[Any]:
    """Let the commands use the installation *found*; their calls are listed, not run."""
    asked: list[Any] = []
    monkeypatch.setattr(installation, "find_installation", lambda: result)
    monkeypatch.setattr(Installation, "by_hand", None)
    monkeypatch.setattr(uninstall, "run_installer", asked.append)
    monkeypatch.setattr(update, "update", lambda *words: asked.append(words[:2]))
    return asked


def test_update_shows_what_it_runs(
    run: Run, monkeypatch: pytest.MonkeyPatch, messages: Callable[..., None]
) -> None:
    asked = pretend(monkeypatch, HERE)
    monkeypatch.setattr(update, "newest_version", lambda *_: "9.9.9")
    check = run("update", "--check")
    assert ("9.9.9" in check.out, "casetrack update" in check.out) == (True, True)
    assert asked == []
    done = run("--update")
    messages(done.out, hide={casetrack.__version__: "<version>"})
    assert asked == [(HERE, "9.9.9")]
    facts = json.loads(run("update", "--json").out)
    command_line = shown(HERE.update_command() or ())
    assert (facts["newest"], facts["command"], facts["updated"]) == ("9.9.9", command_line, True)
    asked.clear()
    monkeypatch.setattr(Installation, "by_hand", "a reason")  # it must be typed
    ended = run("update")
    assert ("a reason" in ended.out, command_line in ended.out) == (True, True)
    monkeypatch.setattr(update, "newest_version", lambda *_: None)
    assert json.loads(run("update", "--json").out)["newest"] in {None, casetrack.__version__}
    assert asked == []


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("kind", "fact"),
    [("source", "(there)"), ("other", "there"), ("temporary", "uvx casetrack@latest")],
)
def test_update_of_what_no_index_has(
    run: Run, monkeypatch: pytest.MonkeyPatch, kind: Any, fact: str
) -> None:
    pretend(monkeypatch, Installation(kind, "there", "py"))
    ended = run("update", "--json")
    assert (ended.code, fact in ended.err) == (1, True)
    assert json.loads(ended.out)["error"]["code"] == "update_impossible"


def test_uninstall_asks_first(run: Run, monkeypatch: pytest.MonkeyPatch, user: Path) -> None:
    asked = pretend(monkeypatch, HERE)
    run("setup", "cursor")
    ended = run("uninstall")
    assert (ended.code, "--yes" in ended.err) == (2, True)

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Terminal("n\n"))
    assert run("uninstall").code == 1
    assert (user / ".cursor/mcp.json").exists()
    assert asked == []


def test_uninstall_removes_entries_and_program_but_no_data(
    run: Run, monkeypatch: pytest.MonkeyPatch, user: Path, messages: Callable[..., None]
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
    messages(ended.out)
    assert asked == [HERE.uninstall_command]
    assert [p.name for p in data.iterdir()] == ["config.toml"]
    assert list(user.rglob("*.json")) == []
    assert run("uninstall", "-y", "--dry-run").code == 0


def test_uninstall_keeps_the_program_while_a_file_is_broken(
    run: Run, monkeypatch: pytest.MonkeyPatch, user: Path
) -> None:
    asked = pretend(monkeypatch, HERE)
    run("setup", "cursor")
    (user / ".claude.json").write_text("{ casetrack")
    ended = run("uninstall", "--yes")
    assert (ended.code, "Cursor" in ended.out) == (1, True)
    assert re.search(r"\.claude\.json\D+1\D+3\b", ended.err)
    assert asked == []
    facts = json.loads(run("uninstall", "--yes", "--json").out)
    assert facts["problems"][0]["code"] == "client_file_invalid"
    assert facts["program"]["removed"] is False


@pytest.mark.parametrize(
    ("kind", "facts"),
    [("source", (" there",)), ("pipx", ("for a reason", "pipx uninstall casetrack"))],
)
def test_uninstall_says_what_it_leaves_to_the_user(
    run: Run, monkeypatch: pytest.MonkeyPatch, kind: Any, facts: tuple[str, ...]
) -> None:
    asked = pretend(monkeypatch, Installation(kind, "there", "py"))
    monkeypatch.setattr(Installation, "by_hand", "for a reason")
    output = run("uninstall", "--yes").out
    assert all(fact in output for fact in facts)
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

    assert anyio.run(talk) == len(declared()) - 1  # `more_tools` is of the daily set
    assert "0.0.1" in call(program, "update", "--check").stdout
    signer = Signer(b"1" * 32)
    (tmp_path / "own.pub").write_text(signer.public.text())
    write_wheel(index, "9.9.9", whole=True, signer=signer)
    assert "9.9.9" in call(program, "update", "--check").stdout
    refused = call(program, "update")
    assert (refused.returncode, "--signed-by" in refused.stderr) == (1, True), refused
    updated = call(program, "update", "--signed-by", tmp_path / "own.pub")
    assert updated.returncode == 0, updated
    version = [python, "-c", "from importlib.metadata import version as v; print(v('casetrack'))"]
    assert call(*version).stdout.strip() == "9.9.9"
    gone = call(program, "uninstall", "--yes")
    assert gone.returncode == 0, gone
    assert not program.exists()
    assert not (home / ".claude.json").exists()
    assert call(*version).stdout.strip() != "9.9.9"
    assert not list(Path(site).glob("casetrack*"))
