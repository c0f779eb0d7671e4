"""Addresses of lines, in the form of each host."""

from __future__ import annotations

import pytest

from casetrack.keep.sources.base import with_lines

HUB = "https://github.com/acme/web/blob/4f1c0de"
LAB = "https://gitlab.example.com/group/sub/web/-/blob/4f1c0de/src/a.py"
TEA = "https://code.example.org/acme/web/src/commit/4f1c0de/src/a.py"
BUCKET = "https://bitbucket.org/acme/web/src/4f1c0de/src/a.py"
AZURE = "https://dev.azure.com/acme/p/_git/web?path=/src/a.py&version=GC4f1c"
OTHER = "https://wiki.example.com/pages/12"


@pytest.mark.parametrize(
    ("url", "first", "last", "expected"),
    [
        (f"{HUB}/src/a.py", 10, 20, f"{HUB}/src/a.py#L10-L20"),
        (f"{HUB}/src/a.py", 10, 10, f"{HUB}/src/a.py#L10"),
        (f"{HUB}/src/a.py", 10, None, f"{HUB}/src/a.py#L10"),
        (f"{HUB}/README.md", 1, 4, f"{HUB}/README.md?plain=1#L1-L4"),
        (f"{HUB}/src/a.py", None, None, f"{HUB}/src/a.py"),
        (f"{HUB}/src/a.py#L3", 10, 20, f"{HUB}/src/a.py#L3"),
        (LAB, 10, 20, f"{LAB}#L10-20"),
        (TEA, 10, 20, f"{TEA}#L10-L20"),
        (BUCKET, 10, 20, f"{BUCKET}#lines-10:20"),
        (BUCKET, 7, 7, f"{BUCKET}#lines-7"),
        (AZURE, 10, 20, f"{AZURE}&line=10&lineEnd=21&lineStartColumn=1&lineEndColumn=1"),
        (OTHER, 10, 20, OTHER),
        ("file:///srv/docs/a.md", 10, 20, "file:///srv/docs/a.md"),
        (None, 10, 20, None),
    ],
)
def test_lines_in_addresses(
    url: str | None, first: int | None, last: int | None, expected: str | None
) -> None:
    assert with_lines(url, first, last) == expected
