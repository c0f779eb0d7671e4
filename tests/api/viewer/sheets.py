"""Shared parts of the tests of graph and timeline pages."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

VOID = {"meta", "br", "input", "img"}
HOSTILE = (
    "<script>document.title='owned'</script>",
    '"quoted" \' onclick="document.title=\'owned\'"',
    "</svg></style></title><img src=https://example.org/x onerror=alert(1)>",
    "x" * 10_000,
    "\u0634\u0631\u0643\u0629 \u0627\u0644\u0646\u0648\u0631",
    "cod\u202egnp.exe",
    "\U0001f469\u200d\u2696\ufe0f Judge",
    "a\x00b\x1b[31m\ud800",
    "   ",
    "\u6771\u4eac\u96fb\u529b\u30db\u30fc\u30eb\u30c7\u30a3\u30f3\u30b0\u30b9",
)


class Tree(HTMLParser):
    """Reads a page and fails where its tags do not nest."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[tuple[str, ...], str]] = []
        self._open: list[tuple[str, str]] = []
        self.feed(html)
        assert self._open == [], "tags stay open"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append((tag, dict(attrs).get("class") or ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop()[0] == tag, "tags do not nest"

    def handle_data(self, data: str) -> None:
        self.texts.append((tuple(f"{t}.{c}" for t, c in self._open), data))

    def values(self, name: str) -> list[str]:
        """Return all values of an attribute."""
        return [a[name] or "" for _, a in self.tags if name in a]

    def within(self, selector: str) -> list[str]:
        """Return the pieces of text inside elements given as ``tag.class``."""
        return [data for path, data in self.texts if selector in path]

    def text(self, tag: str, name: str = "") -> str:
        """Return the text inside elements of a tag that have a class."""
        wanted = {name} - {""}
        return "".join(
            data
            for path, data in self.texts
            if any(
                t == tag and wanted <= {*c.split()} for t, _, c in (p.partition(".") for p in path)
            )
        )

    def attributes(self, tag: str) -> list[dict[str, str | None]]:
        """Return the attributes of the elements of a tag."""
        return [attrs for t, attrs in self.tags if t == tag]


def check_page(html: str, data: str = "data:image/png;base64,") -> Tree:
    """Return a page's content; it must be whole, load nothing and run nothing but its own."""
    tree = Tree(html)
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = next(a["content"] for t, a in tree.tags if t == "meta" and "http-equiv" in a)
    assert policy is not None
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert [t for t, _ in tree.tags if t in {"img", "iframe", "link", "object", "base"}] == []
    assert [n for _, a in tree.tags for n in a if n.startswith("on") or n == "src"] == []
    ids = tree.values("id")
    assert len(ids) == len(set(ids))
    for href in tree.values("href"):
        assert href.startswith(("#", data, "file://"))
        assert not href.startswith("#") or href[1:] in ids
    style = "".join(tree.within("style."))
    assert "url(" not in style
    assert "@import" not in style
    return tree
