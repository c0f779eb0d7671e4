"""The frame of interactive pages: styles, script, head and foot."""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from casetrack.api.viewer.symbols import ENGLISH, Words
from casetrack.api.viewer.templating import rendered
from casetrack.base.errors import UsageError
from casetrack.base.files import storage_errors, write_atomic

Kind = Literal["graph", "timeline", "report", "search", "chronology", "check"]
_HERE = Path(__file__).parent
_STYLES = ("colours.css", "page.css", "style.css", "figure.css", "sheet.css")
_POLICY = '<meta http-equiv="Content-Security-Policy" content="'
_MARK = '<meta name="casetrack-page" content="'


def sheet(
    kind: Kind,
    title: str,
    parts: Iterable[str],
    /,
    *,
    style: str = "",
    script: str | None = None,
    words: Words = ENGLISH,
) -> str:
    """Return a page of HTML without external resources.

    *title* is text, *parts* are HTML of the body. *style* follows the common styles; *script*
    replaces the common script.
    """
    style = own_style(*_STYLES) + style
    script = script if script is not None else _text("sheet.js")
    return rendered(
        "sheet.html",
        kind=kind,
        title=title,
        words=words,
        policy_start=_POLICY,
        policy=_policy(script),
        mark=_MARK,
        style=style,
        body="".join(parts),
        script=script,
    )


def page_policy(page: str, /) -> str:
    """Return the page's policy as an HTTP header, for a server that shows it among its own pages.

    The header adds a sandbox to the page's own policy: its script cannot reach the server's other
    pages or the visitor's cookies.
    """
    own = page.partition(_POLICY)[2].partition('">')[0]
    apart = "sandbox allow-scripts allow-popups allow-modals; frame-ancestors 'none'"
    return f"{html.unescape(own)}; {apart}"


def figure_style() -> str:
    """Return the style of a drawing outside of a page."""
    return f"<style>{own_style('figure.css')}</style>"


def own_style(*names: str) -> str:
    """Return style sheets of this package, such as ``page.css``, one after the other."""
    return "".join(map(_text, names))


def sheet_path(path: Path, kind: Kind, /) -> Path:
    """Return the absolute path for a page; an existing file is replaced only if it is such a page.

    Raises ``UsageError`` if it does not end in ``.html``, its folder does not exist, or another
    file exists there.
    """
    target = path.expanduser().absolute()
    if target.suffix.lower() not in {".html", ".htm"} or target.is_dir():
        raise UsageError(
            f"{str(path)!r} is not the name of an HTML file.", hint="Use a name that ends in .html."
        )
    if not target.parent.is_dir():
        raise UsageError(
            f"There is no folder {target.parent}.", hint="Create it, or choose another folder."
        )
    if target.exists() and not _is(kind, target):
        raise UsageError(
            f"The file {target} already exists and is not a {kind}.",
            hint="Choose another name, or remove the file first.",
        )
    return target


def write_sheet(path: Path, kind: Kind, page: str, /) -> Path:
    """Write a page atomically and return its path.

    Raises ``StorageError`` if it cannot be written.
    """
    target = sheet_path(path, kind)
    write_atomic(target, page.encode("utf-8", "replace"))
    return target


def _is(kind: Kind, path: Path) -> bool:
    with storage_errors(path), path.open("rb") as file:
        return f'{_MARK}{kind}"'.encode() in file.read(4096)


def _policy(script: str) -> str:
    # Only this script can run, whatever the text of a document contains.
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return (
        f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )


def _text(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")
