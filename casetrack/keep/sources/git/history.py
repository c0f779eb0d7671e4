"""When each file of a commit got the content that it has, and by whom: one ``git log`` for all.

For every file the newest commit counts that made its very content, so that the lines of a passage
are the same in that commit, and nothing changes while the content does not. What was found is kept,
and completed with the commits that came since.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.keep.sources.git.program import GitFailed
from casetrack.store.files import write_atomic

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from casetrack.keep.sources.git.program import Git

_FORMAT = 1
_FACTS = "%H%x02%ct%x02%an"


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """A commit that made a file's content; of two the later one is greater.

    Attributes
    ----------
    time
        Of the commit, seconds since 1970.
    commit
        Its id.
    author
        Who wrote it.
    """

    time: int
    commit: str
    author: str


_UNKNOWN = Change(-1, "", "")


class History:
    """What is known of the files of one branch.

    Parameters
    ----------
    git
        The repository.
    path
        File that it is kept in; may be lost.
    """

    def __init__(self, git: Git, path: Path, /) -> None:
        self._git = git
        self._path = path

    def of(
        self,
        commit: str,
        blobs: Mapping[str, str],
        /,
        *,
        root: str,
        cancel: threading.Event | None = None,
    ) -> dict[str, Change]:
        """Return the change that made each file.

        Parameters
        ----------
        commit
            The newest commit.
        blobs
            Ids of contents by path.
        root
            The folder that all paths are in, without slashes around it; empty for all.
        """
        head, known = self._load()
        found: dict[str, Change] | None = None
        if head is not None and head != commit and self._is_ancestor(head, commit):
            found = self._completed(head, commit, blobs, known, root=root, cancel=cancel)
        elif head == commit:
            found = _fitting(blobs, known)
        if found is None:
            found = self._read(commit, blobs, root=root, cancel=cancel)
            # A merge may have kept a content whose making is not in the history that was fetched.
            missing = [path for path in blobs if path not in found]
            found |= dict.fromkeys(missing, self._newest(commit)) if missing else {}
        self._save(commit, blobs, found)
        return found

    def _completed(
        self,
        head: str,
        commit: str,
        blobs: Mapping[str, str],
        known: Mapping[str, tuple[str, Change]],
        *,
        root: str,
        cancel: threading.Event | None,
    ) -> dict[str, Change] | None:
        """Return the changes with those since *head*; ``None`` where one lies further back."""
        newer = self._read(f"{head}..{commit}", blobs, root=root, cancel=cancel)
        for path, blob in blobs.items():
            before = known.get(path)
            if before is not None and before[0] == blob:
                newer[path] = max(newer.get(path, _UNKNOWN), before[1])
            elif path not in newer:
                return None
        return newer

    def _is_ancestor(self, head: str, commit: str) -> bool:
        try:
            self._git.output("merge-base", "--is-ancestor", head, commit)
        except GitFailed:
            return False
        return True

    def _read(
        self, commits: str, blobs: Mapping[str, str], *, root: str, cancel: threading.Event | None
    ) -> dict[str, Change]:
        found: dict[str, Change] = {}
        # Renames would have contents fetched to compare them. A merge is told where it made
        # something that neither side had.
        log = self._git.stream(
            "log", "-z", "-c", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff",
            "--no-relative", f"--format=%x01{_FACTS}", "--end-of-options", commits,
            *(["--", root] if root else []),
            cancel=cancel,
        )  # fmt: skip
        change = _UNKNOWN
        tokens = _tokens(log)
        for raw in tokens:
            token = raw.lstrip(b"\n")
            if token.startswith(b"\x01"):
                change = _change(token[1:])
            elif token.startswith(b":"):
                made = token.split()[-2].decode("ascii")
                path = next(tokens, b"").decode("utf-8", "surrogateescape")
                if blobs.get(path) == made:
                    found[path] = max(found.get(path, _UNKNOWN), change)
        return found

    def _newest(self, commit: str) -> Change:
        return _change(self._git.output("log", "-1", f"--format={_FACTS}", commit).strip())

    def _load(self) -> tuple[str | None, dict[str, tuple[str, Change]]]:
        """Read what is kept; anything that cannot be understood counts as nothing."""
        try:
            raw: dict[str, Any] = json.loads(self._path.read_bytes())
            if raw["format"] != _FORMAT:
                return None, {}
            files = {
                path: (blob, Change(time, commit, author))
                for path, (blob, time, commit, author) in raw["files"].items()
            }
            return str(raw["head"]), files
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None, {}

    def _save(self, commit: str, blobs: Mapping[str, str], found: Mapping[str, Change]) -> None:
        files = {
            path: (blobs[path], change.time, change.commit, change.author)
            for path, change in found.items()
        }
        raw = {"format": _FORMAT, "head": commit, "files": files}
        write_atomic(self._path, json.dumps(raw).encode())


def _change(facts: bytes) -> Change:
    identity, time, author = facts.split(b"\x02", 2)
    return Change(int(time), identity.decode("ascii"), author.decode("utf-8", "replace"))


def _fitting(
    blobs: Mapping[str, str], known: Mapping[str, tuple[str, Change]]
) -> dict[str, Change] | None:
    """Return what is known of all files; ``None`` where something is missing."""
    found = {p: known[p][1] for p, blob in blobs.items() if p in known and known[p][0] == blob}
    return found if len(found) == len(blobs) else None


def _tokens(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what stands between zero bytes."""
    rest = b""
    for block in blocks:
        *whole, rest = (rest + block).split(b"\0")
        yield from whole
    if rest:
        yield rest
