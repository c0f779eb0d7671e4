"""A branch of a repository as a source."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from casetrack.base.errors import SourceSkipped, UsageError
from casetrack.base.files import write_atomic
from casetrack.keep.sources.base import Choice, Item, Source, counted, label, listed, with_lines
from casetrack.keep.sources.git.clone import Clone, Entry
from casetrack.keep.sources.git.program import Git, GitFailed, check_branch, parse

# Time and author of each file's content: one ``git log`` for all files.

_FORMAT = 1
_FACTS = "%H%x02%ct%x02%an"


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """A commit that made a file's content, with its time in seconds since 1970."""

    time: int
    commit: str
    author: str


_UNKNOWN = Change(-1, "", "")


class History:
    """Known changes of the files of one branch, stored in *path*, which may be lost."""

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
        """Return the change that made each file; *root* is the folder of all paths."""
        head, known = self._load()
        changes: dict[str, Change] | None = None
        if head is not None and head != commit and self._is_ancestor(head, commit):
            changes = self._completed(head, commit, blobs, known, root=root, cancel=cancel)
        elif head == commit:
            changes = _fitting(blobs, known)
        if changes is None:
            changes = self._read(commit, blobs, root=root, cancel=cancel)
            # A merge may keep a content from before the fetched history.
            missing = [path for path in blobs if path not in changes]
            changes |= dict.fromkeys(missing, self._newest(commit)) if missing else {}
        self._save(commit, blobs, changes)
        return changes

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
        """Return the changes updated since *head*; ``None`` if an older one is missing."""
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
        changes: dict[str, Change] = {}
        # Renames would fetch blobs to compare them. A merge counts if it made a content that
        # neither side had.
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
                    changes[path] = max(changes.get(path, _UNKNOWN), change)
        return changes

    def _newest(self, commit: str) -> Change:
        return _change(self._git.output("log", "-1", f"--format={_FACTS}", commit).strip())

    def _load(self) -> tuple[str | None, dict[str, tuple[str, Change]]]:
        """Read the stored changes; invalid content counts as empty."""
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

    def _save(self, commit: str, blobs: Mapping[str, str], changes: Mapping[str, Change]) -> None:
        files = {
            path: (blobs[path], change.time, change.commit, change.author)
            for path, change in changes.items()
        }
        raw = {"format": _FORMAT, "head": commit, "files": files}
        write_atomic(self._path, json.dumps(raw).encode())


def _change(facts: bytes) -> Change:
    identity, time, author = facts.split(b"\x02", 2)
    return Change(int(time), identity.decode("ascii"), author.decode("utf-8", "replace"))


def _fitting(
    blobs: Mapping[str, str], known: Mapping[str, tuple[str, Change]]
) -> dict[str, Change] | None:
    """Return the known changes of all files; ``None`` if one is missing."""
    matching = {p: known[p][1] for p, blob in blobs.items() if p in known and known[p][0] == blob}
    return matching if len(matching) == len(blobs) else None


def _tokens(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the texts between zero bytes."""
    rest = b""
    for block in blocks:
        *whole, rest = (rest + block).split(b"\0")
        yield from whole
    if rest:
        yield rest


_POINTER = b"version https://git-lfs.github.com/spec/"
_POINTER_BYTES = 1024
_LINK = "120000"


class GitSource(Source):
    """A branch (``None``: the default one) of a repository; globs are relative to *root*.

    *shallow* fetches the last commit only, whose date and author all files then have. *cache_dir*
    is the folder of the clone, by default one in *cache*.
    """

    kind = "git"

    def __init__(
        self,
        name: str,
        /,
        *,
        url: str,
        branch: str | None = None,
        root: str = ".",
        include_globs: Sequence[str] = (),
        exclude_globs: Sequence[str] = (),
        host: str | None = None,
        shallow: bool = False,
        cache_dir: Path | None = None,
        max_extract_bytes: int = 50_000_000,
        base: Path,
        cache: Path | None = None,
    ) -> None:
        self.name = name
        self.begin()
        where = label(self)
        self._address = parse(url, base=base, where=where, host=host)
        if branch is not None:
            check_branch(branch, where=where)
        self._root = _folder(root, where=where)
        # A repository contains intended files only, including build outputs.
        self._choice = Choice(include_globs, exclude_globs, where=where, built=True)
        self._largest = max_extract_bytes
        self._clone = Clone(
            _clone_folder(cache_dir, cache, self._address.shown + " shallow" * shallow),
            self._address,
            branch,
            where=where,
            largest=max_extract_bytes,
            shallow=shallow,
        )
        self._pages = self._address
        self._sizes: dict[str, int] = {}
        self._too_large: set[str] = set()

    def items(self, *, cancel: threading.Event | None = None) -> Iterator[Item]:
        """Yield the branch's files; see :meth:`casetrack.keep.sources.base.Source.items`."""
        self.begin()
        with self._clone.locked(cancel):
            try:
                items = self._list(cancel)
            except GitFailed:
                # The clone is ours and can be created again.
                self._clone.discard()
                try:
                    items = self._list(cancel)
                except GitFailed as failed:
                    raise self._clone.git.error(failed) from failed
        yield from items

    def _list(self, cancel: threading.Event | None) -> list[Item]:
        commit = self._clone.update(cancel)
        self._pages = self._address.with_origin(self._clone.origin_of_folder())
        blobs = self._chosen(self._clone.entries(commit, self._root))
        sizes = self._clone.local_sizes(list(blobs.values()))
        self.large = [path for path, blob in blobs.items() if sizes.get(blob, 0) > self._largest]
        self.note_large(self._largest)
        history = History(self._clone.git, self._clone.history_path)
        changes = history.of(commit, blobs, root=self._root, cancel=cancel)
        for path in self.large:
            del blobs[path]
        return [
            self._item(path, blob, sizes.get(blob), changes[path]) for path, blob in blobs.items()
        ]

    def _chosen(self, entries: list[Entry]) -> dict[str, str]:
        """Return the blob ids of the included files, by path; the others are noted."""
        self._choice.begin()
        blobs: dict[str, str] = {}
        unnamed: list[str] = []
        links: list[str] = []
        modules: list[str] = []
        above = len(self._root) + 1 if self._root else 0
        for entry in entries:
            path = entry.path.decode("utf-8", "backslashreplace")
            if entry.type == "commit":
                modules.append(path)
            elif not self._choice.takes(path[above:]):
                continue
            elif path.encode() != entry.path:
                unnamed.append(path)
            elif entry.mode == _LINK:
                links.append(path)
            else:
                blobs[path] = entry.id
        kinds = (
            (modules, "submodule", "not read: {}. Configure a separate source for each."),
            (links, "link", "not followed: {}."),
            (unnamed, "file", "left out: {}. The name is not valid Unicode; rename it."),
        )
        self.notes += [f"{counted(len(p), k)} {t.format(listed(p))}" for p, k, t in kinds if p]
        self.notes += self._choice.notes()
        return blobs

    def _item(self, path: str, blob: str, size: int | None, change: Change) -> Item:
        return Item(
            path,
            blob,
            size=size,
            url=self._pages.page(change.commit, path),
            author=change.author or None,
            updated_at=datetime.fromtimestamp(change.time, UTC),
            metadata={"git_sha": change.commit, "repo_url": self._address.shown},
        )

    def prepare(self, items: Sequence[Item], /, *, cancel: threading.Event | None = None) -> None:
        """Fetch blobs in one request; see :meth:`casetrack.keep.sources.base.Source.prepare`."""
        ids = [item.token for item in items]
        with self._clone.locked(cancel):
            try:
                self._too_large |= self._clone.fetch(ids, cancel)
                self._sizes |= self._clone.fetched_sizes(ids)
            except GitFailed as failed:
                raise self._clone.git.error(failed) from failed

    def fetch(self, item: Item, target: Path, /, *, cancel: threading.Event | None = None) -> None:
        """Write a file's content; see :meth:`casetrack.keep.sources.base.Source.fetch`."""
        if item.token not in self._sizes and item.token not in self._too_large:
            self.prepare([item], cancel=cancel)
        size = self._sizes.get(item.token, 0)
        if item.token in self._too_large or size > self._largest:
            raise SourceSkipped(
                label(self),
                f"{item.source_id} is larger than {self._largest:,} bytes.",
                hint="Set max_extract_bytes to include larger files.",
            )
        try:
            with target.open("wb") as file:
                for block in self._clone.content(item.token):
                    file.write(block)
        except GitFailed as failed:
            raise self._clone.git.error(failed) from failed
        if size <= _POINTER_BYTES and target.read_bytes().startswith(_POINTER):
            target.unlink()
            raise SourceSkipped(
                label(self),
                f"{item.source_id} is a pointer to a file in Git LFS, which is not fetched.",
                hint="Use a filesystem source with a checkout after `git lfs pull`.",
            )

    def link(self, item: Item, first_line: int | None, last_line: int | None, /) -> str | None:
        """Return the web page of a file's lines in the commit that made them."""
        return with_lines(item.url, first_line, last_line)

    def close(self) -> None:
        """Stop the program that reads blobs."""
        self._clone.close()


def _folder(root: str, *, where: str) -> str:
    parts = [part for part in PurePosixPath(root.replace("\\", "/")).parts if part not in "./"]
    if ".." in parts:
        raise UsageError(
            f"'root' of {where} is outside the repository: {root!r}.",
            hint="Use the path of a folder in the repository, such as docs.",
        )
    return "/".join(parts)


def _clone_folder(cache_dir: Path | None, cache: Path | None, shown: str) -> Path:
    """Return the folder of the clone, never one that other users can create."""
    if cache_dir is not None:
        return cache_dir / "casetrack.git"
    if cache is None:
        import platformdirs

        cache = Path(platformdirs.user_cache_path("casetrack"))
    return cache / "git" / f"{hashlib.sha256(shown.encode()).hexdigest()[:16]}.git"
