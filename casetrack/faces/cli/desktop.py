"""``casetrack-window``: the window, started from the menu of a desktop, without a terminal.

Its output is written to a file; an error at the start becomes a page in the browser.
"""

from __future__ import annotations

import html
import os
import sys
import webbrowser
from pathlib import Path
from typing import NoReturn

_PAGE = """\
<!doctype html><html lang="en"><meta charset="utf-8"><title>CaseTrack</title>
<style>body{{font:16px/1.5 system-ui,sans-serif;max-width:46em;margin:3em auto;padding:0 1em}}
pre{{white-space:pre-wrap;background:#f2f4f7;padding:1em;border-radius:6px}}
@media(prefers-color-scheme:dark){{body{{background:#14181f;color:#e6e9ee}}pre{{background:#222a35}}}}
</style><h1>CaseTrack could not open its window</h1><pre>{words}</pre>
<p>This message is also in the file {log}.</p></html>
"""


def run() -> NoReturn:
    """Open the window as a program of the desktop; arguments are those of ``casetrack browse``."""
    os.umask(0o077)
    sys.exit(main(sys.argv[1:]))


def main(arguments: list[str], /) -> int:
    """Run ``casetrack browse --app`` with *arguments*, and return its exit code."""
    import platformdirs

    from casetrack.faces.cli.main import main as run_command

    folder = Path(platformdirs.user_log_dir("casetrack", appauthor=False, ensure_exists=True))
    log = folder / "window.log"
    with log.open("w", encoding="utf-8", errors="replace", buffering=1) as words:
        # Windows gives a program without a terminal no streams at all.
        kept = sys.stdin, sys.stdout, sys.stderr
        with Path(os.devnull).open(encoding="utf-8") as nothing:
            sys.stdin, sys.stdout, sys.stderr = nothing, words, words
            try:
                code = run_command(["browse", "--app", *arguments])
            finally:
                sys.stdin, sys.stdout, sys.stderr = kept
    if code != 0:
        _show_problem(log)
    return code


def _show_problem(log: Path) -> None:
    words = log.read_text(encoding="utf-8", errors="replace").strip()
    page = log.with_suffix(".html")
    page.write_text(
        _PAGE.format(words=html.escape(words), log=html.escape(str(log))), encoding="utf-8"
    )
    webbrowser.open(page.as_uri())


if __name__ == "__main__":
    run()
