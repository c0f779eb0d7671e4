"""What the bundle's ``server.py`` does: run the server, after fetching what it needs.

Only the standard library is imported until the libraries are there.
"""

from __future__ import annotations

import html
import importlib.util
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.faces.setup.bundle.preparing import Preparation
from casetrack.faces.setup.bundle.waiting import Doorkeeper

if TYPE_CHECKING:
    from casetrack.faces.setup.bundle.preparing import Progress

# A page that shows how far a first start is, for people who see nothing else of it.

_PAGE = """\
<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>{again}
<meta name="viewport" content="width=device-width,initial-scale=1">
<style>body{{font:17px/1.5 system-ui,sans-serif;max-width:38em;margin:12vh auto;padding:0 1em}}
progress{{width:100%;height:1.2em}}:root{{color-scheme:light dark}}
</style></head><body><h1>{title}</h1><p role="status">{sentence}</p>{bar}<p>{step}</p></body></html>
"""
_SOON = "You can go on working; this page keeps itself up to date. Leave the AI program open."
_READY = "Go back to the AI program and ask for your documents. This page can be closed."


def page_of(progress: Progress, title: str, /) -> str:
    """Return the page as it is now; while something is missing it asks again every two seconds."""
    ready = progress.phase == "ready"
    share = f'value="{progress.done}" max="{progress.total}"' if progress.total else ""
    return _PAGE.format(
        title=html.escape(f"{title} is being set up" if not ready else f"{title} is ready"),
        again="" if ready else '<meta http-equiv="refresh" content="2">',
        sentence=html.escape(progress.sentence),
        bar="" if ready else f'<progress aria-label="How far it is" {share}></progress>',
        step=_READY if ready else _SOON,
    )


def serve_progress(progress: Progress, title: str, /) -> str:
    """Serve the page on this computer for as long as the process lasts; return its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            data = page_of(progress, title).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Say nothing: the output belongs to the AI program."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, name="progress page", daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


ENV_NO_PAGE = "CASETRACK_NO_PROGRESS_PAGE"
_NEEDED = ("mcp", "lance", "typer")
"""Whoever has these runs in an environment that was made for CaseTrack."""


def has_libraries() -> bool:
    """Return whether this Python has what CaseTrack needs, so that it can simply be run."""
    return all(importlib.util.find_spec(name) is not None for name in _NEEDED)


def main(root: Path, arguments: list[str], /) -> int:
    """Make the environment of the bundle in *root* if need be, and run the server in it.

    Parameters
    ----------
    arguments
        Those of ``casetrack``.

    Returns
    -------
    int
        The server's exit code.
    """
    data_dir = arguments[arguments.index("--data-dir") + 1] if "--data-dir" in arguments else ""
    preparation = Preparation(root, Path(data_dir or Path.home() / "Documents" / "CaseTrack"))
    server = [str(preparation.python), str(root / "server.py")]
    if preparation.is_prepared:
        if os.name == "posix":
            os.execv(server[0], [*server, *arguments])  # noqa: S606 - it takes the place of this one
        return subprocess.run([*server, *arguments], check=False).returncode
    about = _about(root)
    if not os.environ.get(ENV_NO_PAGE):
        _show(serve_progress(preparation.progress, about["title"]))
    preparation.start()

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*server, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    return Doorkeeper(preparation, about, start, sys.stdin.buffer, sys.stdout.buffer).run()


def _show(url: str) -> None:
    """Open the page in the browser, whose words must not get among those to the AI program."""
    nothing = subprocess.DEVNULL
    subprocess.Popen(
        [sys.executable, "-m", "webbrowser", url], stdin=nothing, stdout=nothing, stderr=nothing
    )


def _about(root: Path) -> dict[str, str]:
    manifest = json.loads((root / "manifest.json").read_text(encoding="utf-8"))
    found = {"name": manifest["name"], "title": manifest["display_name"]}
    return found | {"version": manifest["version"]}
