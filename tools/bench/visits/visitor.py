"""Somebody at the window who sees and clicks: what is not to be seen cannot be used."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from headless import Browser

SECONDS = 40.0
"""How long something may take to appear."""
_LOOK = """
(wanted, selector) => {
  const plain = (text) => (text || "").replace(/\\s+/g, " ").trim().toLowerCase();
  const seen = (node) => node.checkVisibility({opacityProperty: true, visibilityProperty: true});
  const name = (node) => plain(node.getAttribute("aria-label") || node.innerText || node.value);
  const all = [...document.querySelectorAll(selector)].filter(seen);
  return all.find((n) => name(n) === wanted) || all.find((n) => name(n).startsWith(wanted))
    || all.find((n) => name(n).includes(wanted)) || null;
}
"""
_FIELD = """
(wanted) => {
  const plain = (text) => (text || "").replace(/\\s+/g, " ").trim().toLowerCase();
  const all = [...document.querySelectorAll("input:not([type=hidden]), textarea, select")];
  const names = (n) => [...(n.labels || []), ].map((l) => plain(l.innerText || l.textContent))
    .concat([plain(n.placeholder), plain(n.getAttribute("aria-label"))]);
  return all.find((n) => names(n).some((x) => x.startsWith(wanted))) || null;
}
"""
_CLICKED = "a, button, summary, label, input[type=checkbox], input[type=radio], [role=option]"
_KEYS = {
    "Enter": (13, "\r"),
    "ArrowRight": (39, ""),
    "ArrowLeft": (37, ""),
    "ArrowDown": (40, ""),
    "Tab": (9, ""),
    "Escape": (27, ""),
}


class Lost(Exception):
    """What the visitor looks for is not there."""


class Visitor:
    """One person with one page of a browser.

    Parameters
    ----------
    browser
        It.
    home
        The window's address with its key.
    downloads
        Where saved files come to lie.
    """

    def __init__(self, browser: Browser, home: str, downloads: Path, /) -> None:
        self.browser, self.downloads = browser, downloads
        self.root = home.partition("/?")[0]
        self.width = 1440
        downloads.mkdir(parents=True, exist_ok=True)
        browser.call(
            "Page.setDownloadBehavior", behavior="allow", downloadPath=str(downloads.absolute())
        )
        self._go(home)

    def go(self, path: str, /) -> None:
        """Open an address of the window."""
        self._go(self.root + path)

    def _go(self, url: str) -> None:
        self.browser.show(url, width=self.width, height=950)

    def click(self, words: str, /, *, within: str = "") -> None:
        """Click what bears these words, as the mouse does."""
        selector = ", ".join(f"{within} {each}" for each in _CLICKED.split(", "))
        call = f"({_LOOK})({json.dumps(words.lower())}, {json.dumps(selector)})"
        self._press_at(self._wait(call, f"something to click called {words!r}"))

    def click_on(self, selector: str, /) -> None:
        """Click what a selector names: drawings bear no words."""
        call = f"document.querySelector({json.dumps(selector)})"
        self._press_at(self._wait(call, selector))

    def fill(self, label: str, text: str, /) -> None:
        """Type into the field with this label; what stood there goes."""
        self._into(label)
        self.browser.js("document.activeElement.select && document.activeElement.select()")
        if text:
            self.browser.call("Input.insertText", text=text)
        else:
            self.key("Delete")

    def choose(self, label: str, option: str, /) -> None:
        """Choose an option of a list by how it begins."""
        call = f"({_FIELD})({json.dumps(label.lower())})"
        self._wait(call, f"a list called {label!r}")
        done = self.browser.js(
            f"""(() => {{ const box = {call};
            const wanted = {json.dumps(option)};
            const found = [...box.options].find((o) => o.text.trim().startsWith(wanted));
            if (!found) return false;
            box.value = found.value;
            box.dispatchEvent(new Event("change", {{bubbles: true}}));
            return true; }})()"""
        )
        if not done:
            raise Lost(f"{label!r} offers no {option!r}")
        self.settle()

    def attach(self, label: str, files: list[Path], /) -> None:
        """Choose files in the dialogue that a field opens."""
        call = f"({_FIELD})({json.dumps(label.lower())})"
        self._wait(call, f"a field for files called {label!r}")
        found = self.browser.call("Runtime.evaluate", expression=call)["result"]["objectId"]
        names = [str(file) for file in files]
        self.browser.call("DOM.setFileInputFiles", files=names, objectId=found)

    def key(self, key: str, /, *, ctrl: bool = False) -> None:
        """Press a key."""
        code, text = _KEYS.get(key, (ord(key[0].upper()) if len(key) == 1 else 46, key))
        typed = text if len(key) == 1 or key == "Enter" else ""
        given: dict[str, Any] = {"key": key, "windowsVirtualKeyCode": code}
        given |= {"modifiers": 2 if ctrl else 0}
        typed = "" if ctrl else typed
        self.browser.call("Input.dispatchKeyEvent", type="keyDown", text=typed, **given)
        self.browser.call("Input.dispatchKeyEvent", type="keyUp", **given)
        self.settle()

    def sees(self, words: str, /, *, seconds: float = SECONDS) -> None:
        """Wait until words are to be read on the page."""
        said = "document.body.innerText.replace(/\\s+/g, ' ').toLowerCase()"
        test = f"{said}.includes({json.dumps(words.lower())})"
        self._until(test, f"the words {words!r}", seconds)

    def sees_no(self, words: str, /) -> None:
        """Be sure that words are not to be read."""
        if words in self.text():
            raise Lost(f"{words!r} is there")

    def finds(self, selector: str, /, *, seconds: float = SECONDS) -> None:
        """Wait until something that a selector names is in view of the page."""
        self._until(f"!!document.querySelector({json.dumps(selector)})", selector, seconds)

    def counts(self, selector: str, /) -> int:
        """Return how many things a selector names."""
        return int(self.browser.js(f"document.querySelectorAll({json.dumps(selector)}).length"))

    def text(self) -> str:
        """Return all that is to be read on the page."""
        return str(self.browser.js("document.body.innerText.replace(/\\s+/g, ' ')"))

    def path(self) -> str:
        """Return where the visitor is."""
        return str(self.browser.js("location.pathname"))

    def saved(self, ending: str, /) -> Path:
        """Wait for a saved file, and return it."""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            done = [p for p in self.downloads.glob(f"*{ending}") if p.stat().st_size]
            if done:
                return max(done, key=lambda p: p.stat().st_mtime)
            time.sleep(0.1)
        raise Lost(f"no file {ending} was saved")

    def settle(self) -> None:
        """Wait until the page has come to rest."""
        time.sleep(0.08)
        self._until("document.readyState === 'complete'", "a page that is whole", SECONDS)

    def _into(self, label: str) -> None:
        call = f"({_FIELD})({json.dumps(label.lower())})"
        self._wait(call, f"a field called {label!r}")
        self.browser.js(f"{call}.focus()")

    def _wait(self, call: str, what: str) -> str:
        self._until(f"!!({call})", what, SECONDS)
        return call

    def _until(self, test: str, what: str, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while True:
            if self.browser.js(test):
                return
            if time.monotonic() > deadline:
                raise Lost(f"{what} is not on {self.path()}")
            time.sleep(0.05)

    def _press_at(self, call: str) -> None:
        place = self.browser.js(
            f"""(() => {{ const n = {call}; n.scrollIntoView({{block: "center", inline: "center"}});
            const r = n.getClientRects()[0] || n.getBoundingClientRect();
            return [r.x + r.width / 2, r.y + r.height / 2]; }})()"""
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.browser.call(
                "Input.dispatchMouseEvent",
                type=kind,
                x=place[0],
                y=place[1],
                button="left",
                clickCount=1,
            )
        self.settle()
