"""Addresses that open a file of a repository at some of its lines."""

from __future__ import annotations

import re

_BITBUCKET = re.compile(r"https?://bitbucket\.org/[^/]+/[^/]+/src/")
_GITLAB = re.compile(r"https?://[^/]+/.+/-/blob/")
_AZURE = re.compile(r"https?://(?:dev\.azure\.com|[^/]+\.visualstudio\.com)/.*[?&]path=")
_GITHUB = re.compile(
    r"https?://[^/]+/[^/]+/[^/]+/(?:blob|src/(?:commit|branch|tag))/"  # GitHub; Gitea, Forgejo
)


def with_lines(url: str | None, first: int | None, last: int | None, /) -> str | None:
    """Return where a person sees some lines of a file whose address is *url*.

    Parameters
    ----------
    url
        Where the file is seen, as its source says. How lines are added is told by its form; what
        is no page of a file in GitHub, GitLab, Gitea, Forgejo, Bitbucket or Azure Repos stays as
        it is, and so does what names a place already.
    first, last
        1-based, inclusive; without them the whole file is meant.

    Examples
    --------
    >>> with_lines("https://github.com/acme/platform/blob/4f1c/docs/auth.py", 10, 20)
    'https://github.com/acme/platform/blob/4f1c/docs/auth.py#L10-L20'
    """
    if url is None or first is None or "#" in url:
        return url
    last = first if last is None else last
    one = first == last
    if _BITBUCKET.match(url):
        return f"{url}#lines-{first}" if one else f"{url}#lines-{first}:{last}"
    if _GITLAB.match(url):
        return f"{url}#L{first}" if one else f"{url}#L{first}-{last}"
    if _AZURE.match(url):
        return f"{url}&line={first}&lineEnd={last + 1}&lineStartColumn=1&lineEndColumn=1"
    if _GITHUB.match(url):
        # Without it, Markdown is shown as a page, which has no lines.
        shown = f"{url}?plain=1" if url.endswith((".md", ".markdown", ".rst")) else url
        return f"{shown}#L{first}" if one else f"{shown}#L{first}-L{last}"
    return url
