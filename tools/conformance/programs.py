"""Getting and running the test programs: npm packages in a folder that git ignores."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOM = Path(__file__).parent
CHECKOUT = ROOM.parents[1]
CACHE = CHECKOUT / ".cache" / "npm"
_DONE = CACHE / "installed.json"
NEEDED_NODE = (22, 19)
INSTALL = "install --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error".split()
_INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
_CONFORMANCE = "@modelcontextprotocol/conformance/dist/index.js"
_MCPB = "@anthropic-ai/mcpb/dist/cli/cli.js"


class NotAvailable(Exception):
    """The test programs are not available on this machine; the message has the reason."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a program ended: exit code, standard output, standard error."""

    code: int
    out: str
    err: str

    def json(self) -> dict[str, object]:
        """Return the output as JSON, or nothing where it is none."""
        try:
            value = json.loads(self.out)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}


def _node_version(node: str) -> tuple[int, ...]:
    output = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    return tuple(map(int, re.findall(r"\d+", output)))


def find_node(modules: Path, /) -> str:
    """Return a recent Node.js: from an installed package or of the machine.

    Raises
    ------
    NotAvailable
        No such Node.js is installed.
    """
    own = [str(p) for p in modules.glob("node-*/bin/node*") if p.suffix in {"", ".exe"}]
    for node in [*own, *filter(None, [shutil.which("node")])]:
        if _node_version(node) >= NEEDED_NODE:
            return node
    raise NotAvailable(f"Node.js {'.'.join(map(str, NEEDED_NODE))} or newer is not there")


def installed() -> Programs:
    """Return the programs pinned by ``package.json``, as installed by :func:`prepare`.

    Raises
    ------
    NotAvailable
        The programs or Node.js are not installed.
    """
    if not _DONE.is_file() or _DONE.read_text(encoding="utf-8") != _wanted():
        raise NotAvailable("run `just conformance` once, which fetches them by npm")
    modules = CACHE / "node_modules"
    return Programs(find_node(modules), modules)


def prepare(*, seconds: float = 300) -> Programs:
    """Install the programs if they are missing, and return them.

    Raises
    ------
    NotAvailable
        npm is missing, cannot reach its registry or takes longer than *seconds*.
    """
    if not _DONE.is_file() or _DONE.read_text(encoding="utf-8") != _wanted():
        npm = shutil.which("npm")
        if npm is None:
            raise NotAvailable("npm is not there")
        CACHE.mkdir(parents=True, exist_ok=True)
        (CACHE / "package.json").write_text(_wanted(), encoding="utf-8")
        try:
            subprocess.run(
                [npm, *INSTALL],
                cwd=CACHE,
                check=True,
                timeout=seconds,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise NotAvailable(f"npm could not install them ({type(error).__name__})") from error
        _DONE.write_text(_wanted(), encoding="utf-8")
    return installed()


def _wanted() -> str:
    return (ROOM / "package.json").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Programs:
    """The installed test programs: Node.js and the folder of its modules."""

    node: str
    modules: Path

    def inspect(
        self, target: list[str], *options: str, era: str, env: dict[str, str], seconds: float = 120
    ) -> Outcome:
        """Run the Inspector's command line once against a server command or URL.

        Parameters
        ----------
        options
            The request, such as ``--method tools/list``.
        era
            ``legacy`` or ``modern``.
        env
            Environment of the Inspector and so of the server.
        """
        asked = [*options, "--protocol-era", era, "--format", "json", "-q"]
        asked += ["--connect-timeout", str(int(seconds * 1000))]
        # The Inspector passes only a few variables to a server by default.
        handed = [f"{n}={v}" for n, v in env.items() if n.startswith(("CASETRACK_", "PYTHONPATH"))]
        asked += [part for pair in handed for part in ("-e", pair)] if len(target) > 1 else []
        asked += ["--client-config", str(Path(env["HOME"]) / "client.json")]
        return self._run([str(self.modules / _INSPECTOR), "--cli", *target, *asked], env, seconds)

    def scenario(
        self, url: str, name: str, version: str, *, env: dict[str, str], seconds: float = 120
    ) -> Outcome:
        """Run one scenario of the conformance suite against the server at *url*."""
        asked = ["server", "--url", url, "--scenario", name, "--spec-version", version]
        asked += ["--timeout", str(int(seconds * 1000))]
        return self._run([str(self.modules / _CONFORMANCE), *asked], env, seconds)

    def scenarios(self, *, env: dict[str, str]) -> list[str]:
        """Return the names of the scenarios for servers that the conformance suite has."""
        output = self._run([str(self.modules / _CONFORMANCE), "list"], env, 120).out
        ours = output.partition("Client scenarios")[0]
        return re.findall(r"^ +- ([\w-]+)", ours, re.MULTILINE)

    def mcpb(self, *arguments: str, env: dict[str, str], seconds: float = 120) -> Outcome:
        """Run the official tool for bundles."""
        return self._run([str(self.modules / _MCPB), *arguments], env, seconds)

    def _run(self, arguments: list[str], env: dict[str, str], seconds: float) -> Outcome:
        path = f"{Path(self.node).parent}{os.pathsep}{env.get('PATH', '')}"
        try:
            done = subprocess.run(
                [self.node, *arguments],
                env={**env, "PATH": path},
                cwd=env["HOME"],
                capture_output=True,
                text=True,
                encoding="utf-8",
                check=False,
                timeout=seconds,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            return Outcome(124, "", f"no end within {seconds:.0f} seconds")
        return Outcome(done.returncode, done.stdout, done.stderr)


def main() -> int:
    """Install the programs within the time limit of CI; print a failure in one line."""
    try:
        prepare(seconds=90)
    except NotAvailable as reason:
        print(f"The protocol's own test programs are left out: {reason}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
