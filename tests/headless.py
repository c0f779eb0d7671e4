"""A headless Chromium, controlled over a pipe, for tests and for the pictures of the docs."""

from __future__ import annotations

import base64
import io
import itertools
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from PIL import Image

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-sync",
    "--hide-scrollbars",
    "--no-first-run",
    "--no-default-browser-check",
    "--force-device-scale-factor=1",
    "--remote-debugging-pipe",
)
# Chromium listens on descriptor 3 and answers on 4.
START = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); "
    "os.execvp(sys.argv[3], sys.argv[3:])"
)
SECONDS = 60.0


def chromium() -> str | None:
    """Return the program that ``CHROME`` names, or a Chromium of this machine, or ``None``."""
    return os.environ.get("CHROME") or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page of a headless Chromium; the DevTools protocol runs over two pipes."""

    def __init__(self, program: str, profile: Path) -> None:
        read_here, write_there = _pipe()
        read_there, write_here = _pipe()

        self._process = subprocess.Popen(
            [
                *(sys.executable, "-c", START, str(read_there), str(write_there)),
                *(program, *FLAGS, f"--user-data-dir={profile}", "about:blank"),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(read_there, write_there),
            start_new_session=True,
        )
        os.close(read_there)
        os.close(write_there)
        self._in, self._out = read_here, write_here
        self._buffer = b""
        self._numbers = itertools.count(1)
        self._session: str | None = None
        self.requests: list[str] = []
        page = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = attached["sessionId"]
        self.call("Page.enable")
        self.call("Network.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Give a command and return its result."""
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            text = self._next()
            if text.get("id") == number:
                assert "error" not in text, text["error"]
                result: dict[str, Any] = text["result"]
                return result

    def _next(self) -> dict[str, Any]:
        deadline = time.monotonic() + SECONDS
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0, deadline - time.monotonic()))
            got = os.read(self._in, 1 << 20) if ready else b""
            assert got, "the browser does not answer"
            self._buffer += got
        raw, _, self._buffer = self._buffer.partition(b"\0")
        facts: dict[str, Any] = json.loads(raw)
        if facts.get("method") == "Network.requestWillBeSent":
            self.requests.append(facts["params"]["request"]["url"])
        return facts

    def show(
        self,
        page: Path | str,
        *,
        width: int = 1400,
        height: int = 1000,
        dark: bool = False,
        scale: float = 1.0,
    ) -> None:
        """Open a file or an address and wait until it is loaded; the address may redirect.

        *scale* pixels are drawn for each pixel of the page.
        """
        self.requests.clear()
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=False,
        )
        url = page if isinstance(page, str) else page.as_uri()
        self.call("Page.navigate", url=url)
        remote = url.partition("?")[0]
        deadline = time.monotonic() + SECONDS
        while not str(self.js("document.readyState + location.href")).startswith(
            f"complete{remote}"
        ):
            assert time.monotonic() < deadline, "the page does not load"
            time.sleep(0.02)
        # Two frames later everything is laid out and scrolled to where it belongs.
        self.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def js(self, expression: str) -> Any:
        """Return the value of an expression."""
        text = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in text, text["exceptionDetails"]
        return text["result"].get("value")

    def place(self, selector: str) -> tuple[float, float, float, float]:
        """Return left, top, width and height of an element on the whole page."""
        result = self.js(
            f"(() => {{const r = document.querySelector({json.dumps(selector)})"
            ".getBoundingClientRect();"
            "return [r.left + scrollX, r.top + scrollY, r.width, r.height]})()"
        )
        return tuple(result)

    def screenshot(self, *, whole: bool = True) -> Image.Image:
        """Return a picture of the whole page, or of its part in the window."""
        text = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        return Image.open(io.BytesIO(base64.b64decode(text["data"]))).convert("RGB")

    def pdf(self) -> bytes:
        """Return the page as it prints."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=False)["data"])

    def close(self) -> None:
        """End it and everything it started."""
        os.close(self._in)
        os.close(self._out)
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(60)


def _pipe() -> tuple[int, int]:
    """Return a pipe whose ends are not where Chromium's own must go."""
    import fcntl  # not on Windows

    ends = os.pipe()
    read, write = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
    for end in ends:
        os.close(end)
    return read, write
