"""A page that shows how far a first start is, for people who see nothing else of it."""

from __future__ import annotations

import html
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from casetrack.faces.setup.bundle.preparing import Progress

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
