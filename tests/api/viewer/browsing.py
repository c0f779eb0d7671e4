"""Actions in a browser, shared by tests of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headless import Browser

WATCH = """
window.problems = [];
addEventListener('error', event => problems.push(event.message));
addEventListener('securitypolicyviolation', event => problems.push(event.violatedDirective));
for (const name of ['error', 'warn']) console[name] = text => problems.push(String(text));
"""
KEYS = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowUp": 38, "ArrowDown": 40}


def click(browser: Browser, element: str) -> None:
    """Click into the middle of an element that an expression gives."""
    pages = browser.js(
        f"(() => {{const e = {element}; e.scrollIntoView({{block: 'center'}});"
        "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]})()"
    )
    for kind in ("mousePressed", "mouseReleased"):
        where = {"x": pages[0], "y": pages[1], "button": "left", "clickCount": 1}
        browser.call("Input.dispatchMouseEvent", type=kind, **where)
    settle(browser)


def press(browser: Browser, name: str) -> None:
    """Press a key."""
    facts = {"key": name, "code": name, "windowsVirtualKeyCode": KEYS[name]}
    typed = {"text": "\r"} if name == "Enter" else {}
    browser.call("Input.dispatchKeyEvent", type="keyDown", **facts, **typed)
    browser.call("Input.dispatchKeyEvent", type="keyUp", **facts)
    settle(browser)


def settle(browser: Browser) -> None:
    """Wait until the page shows the result of the last action."""
    browser.js("new Promise(done => setTimeout(() => requestAnimationFrame(done), 60))")
