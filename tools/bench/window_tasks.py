"""A first-time user at the window: ``python -m bench.window_tasks --out FOLDER``.

An empty data folder, a real browser, and tasks done one after the other by what is to be read and
clicked (:mod:`bench.visits.tasks`). Printed is what was done and how long it took; with ``--out`` a
picture of the end of each task is kept, to be looked at. No request may go to anywhere else.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.visits.tasks import TASKS, Desk
from bench.visits.visitor import Lost, Visitor
from headless import Browser, chromium

if TYPE_CHECKING:
    from collections.abc import Iterator

CHECKOUT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Do the tasks; return how many failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--contracts", type=Path, help="a folder of contracts, as a second case")
    parser.add_argument("--out", type=Path, help="where pictures go")
    parser.add_argument("--only", action="append", default=[], help="tasks that begin like this")
    asked = parser.parse_args()
    program = chromium()
    if program is None:
        raise SystemExit("No Chromium was found. Install it, or name one in CHROME.")
    failed = list[str]()
    with tempfile.TemporaryDirectory(prefix="visit-") as folder, contextlib.ExitStack() as stack:
        place = Path(folder)
        address = stack.enter_context(served(place / "data"))
        browser = Browser(program, place / "profile")
        stack.callback(browser.close)
        desk = Desk(
            Visitor(browser, address, place / "Downloads"),
            CHECKOUT / "data-samples" / "files",
            asked.contracts,
            place,
        )
        for task in TASKS:
            if task.needs_contracts and asked.contracts is None:
                continue
            if asked.only and not task.name.startswith(tuple(asked.only)) and not task.first:
                continue
            started = time.monotonic()
            try:
                task.do(desk)
                told = "done"
            except (Lost, AssertionError) as error:
                told = f"FAILED: {str(error)[:200]}"
                failed.append(task.name)
            print(f"{time.monotonic() - started:6.1f} s  {task.name}: {told}", flush=True)
            if asked.out is not None:
                asked.out.mkdir(parents=True, exist_ok=True)
                name = task.name.replace(" ", "-").replace(",", "")
                desk.at.browser.screenshot(whole=False).save(asked.out / f"{name}.png")
        foreign = {url for url in desk.requests if not url.startswith((desk.at.root, "data:"))}
        print(f"{len(failed)} failed; requests to anywhere else: {sorted(foreign) or 'none'}")
    return len(failed) + len(foreign)


@contextlib.contextmanager
def served(data: Path) -> Iterator[str]:
    """Serve the window on an empty data folder; yield its address with the key."""
    environment = os.environ | {"CASETRACK_HOME": str(data)}
    environment.setdefault("CASETRACK_MODELS", str(CHECKOUT / ".cache" / "models"))
    with subprocess.Popen(
        [sys.executable, "-m", "casetrack", "browse", "--no-open", "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as window:
        assert window.stderr is not None
        try:
            yield next(line.strip() for line in window.stderr if line.strip().startswith("http"))
        finally:
            window.terminate()


if __name__ == "__main__":
    sys.exit(main())
