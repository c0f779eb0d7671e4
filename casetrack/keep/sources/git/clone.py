"""A bare clone without blobs: the tree of a branch, and blobs fetched on demand."""

from __future__ import annotations

import contextlib
import hashlib
import re
import shutil
import subprocess
import threading
import weakref
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from casetrack.base.errors import JobStopped, SourceError
from casetrack.keep.sources.git.program import Address, Git, GitFailed, GitStopped
from casetrack.keep.sources.program import end, own_group

_FIRST_PACK_BYTES = 1 << 30
_GROUP = 32
_SLACK_BYTES = 1 << 20
_LOCK_SECONDS = 0.2
_NEAR = 3
_BROKEN = re.compile(
    r"corrupt|packfile|loose object|invalid sha1|bad (?:object|tree|config)|did not send all|"
    r"not a git repository: |unable to (?:read|parse|open)"
)
"""Git's messages about a damaged clone."""


class Entry(NamedTuple):
    """An entry of a tree: ``blob``, ``commit`` (a submodule); a link is a blob of mode 120000."""

    mode: str
    type: str
    id: str
    path: bytes


class Clone:
    """A branch (``None``: the default one) of a repository, in a folder that may be lost."""

    def __init__(
        self,
        folder: Path,
        address: Address,
        branch: str | None,
        /,
        *,
        where: str,
        largest: int,
        shallow: bool = False,
    ) -> None:
        self._depth = ["--depth=1"] if shallow else []
        self.git = Git(folder, address, where)
        self._branch = branch
        self._where = where
        self._largest = largest
        own = hashlib.sha256((branch or "").encode()).hexdigest()[:12]
        self._ref = f"refs/casetrack/{own}"
        self.history_path = folder / f"casetrack-history-{own}.json"
        self._reader: subprocess.Popen[bytes] | None = None

    @contextlib.contextmanager
    def locked(self, cancel: threading.Event | None) -> Iterator[None]:
        """Lock the clone for this process; leftovers of a killed one are removed."""
        import filelock

        folder = self.git.folder
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            lock = filelock.FileLock(folder.with_name(f"{folder.name}.lock"))
            while True:
                with contextlib.suppress(filelock.Timeout):
                    lock.acquire(timeout=_LOCK_SECONDS)
                    break
                if cancel is not None and cancel.is_set():
                    raise JobStopped(f"Reading {self._where} was stopped.")
        except OSError as error:
            raise SourceError(
                self._where,
                f"the clone cannot be stored in {folder}: {error.strerror or error}.",
                hint="Set 'cache_dir' to a folder that you may write to.",
            ) from error
        try:
            self._clear()
            yield
        finally:
            lock.release()

    def _clear(self) -> None:
        folder = self.git.folder
        left = [*folder.glob("*.lock"), *(folder / "refs").rglob("*.lock"), *self._unfinished()]
        for path in left:
            path.unlink(missing_ok=True)

    def _unfinished(self) -> list[Path]:
        return list((self.git.folder / "objects" / "pack").glob("tmp_*"))

    def update(self, cancel: threading.Event | None) -> str:
        """Fetch the branch without blobs; return its newest commit."""
        try:
            name, wanted = self._on_server(cancel)
            if not (self.git.folder / "HEAD").exists():
                self._make(wanted)
            if self._commit() != wanted:
                self._fetch_branch(name, cancel)
            return self._commit(must=True)
        except GitFailed as failed:
            if _BROKEN.search(str(failed)):
                raise
            raise self.git.error(failed) from failed

    def _on_server(self, cancel: threading.Event | None) -> tuple[str, str]:
        """Return the full name of the branch, and its commit on the server."""
        asked = [f"refs/{part}/{self._branch}" for part in ("heads", "tags")]
        names = ["HEAD"] if self._branch is None else [*asked, f"{asked[1]}^{{}}"]
        refs = self._refs(names, cancel)
        for name in ("HEAD",) if self._branch is None else asked:
            if name in refs:
                return name, refs.get(f"{name}^{{}}", refs[name])
        heads = self._refs(["refs/heads/*"], cancel)
        raise self._no_branch([name.removeprefix("refs/heads/") for name in heads])

    def _refs(self, names: list[str], cancel: threading.Event | None) -> dict[str, str]:
        listed = self.git.output("ls-remote", "--quiet", "origin", *names, cancel=cancel)
        lines = (line.split("\t", 1) for line in listed.decode("utf-8", "replace").splitlines())
        refs = {name: commit for commit, name in lines}
        # A pattern also matches the end of a name.
        return {k: v for k, v in refs.items() if k in names or names[0].endswith("*")}

    def _no_branch(self, heads: list[str]) -> SourceError:
        shown = self.git.address.shown
        if not heads:
            return SourceError(
                self._where,
                f"{shown} has no branch yet.",
                hint="Push a commit to it, or check 'url'.",
            )
        if self._branch is None:
            return SourceError(
                self._where,
                f"{shown} has no default branch.",
                hint=f"Set 'branch' to one of: {_names(heads, '')}.",
            )
        return SourceError(
            self._where,
            f"{shown} has no branch or tag {self._branch!r} (any more).",
            hint=f"Set 'branch' to one of: {_names(heads, self._branch)}.",
        )

    def _make(self, commit: str) -> None:
        """Create an empty clone without a template, whose hooks would be copied."""
        kind = "sha256" if len(commit) == 64 else "sha1"
        self.git.folder.mkdir(parents=True, exist_ok=True)
        self.git.output("init", "--quiet", "--bare", "--template=", f"--object-format={kind}")

    def _commit(self, *, must: bool = False) -> str:
        try:
            output = self.git.output("rev-parse", "--verify", "--quiet", f"{self._ref}^{{commit}}")
        except GitFailed:
            if must:
                raise
            return ""
        return output.decode("ascii").strip()

    def _fetch_branch(self, name: str, cancel: threading.Event | None) -> None:
        self.git.output(
            "fetch", "--filter=blob:none", "--no-tags", "--no-write-fetch-head", "--force",
            "--no-recurse-submodules", "--progress", *self._depth, "origin",
            f"+{name}:{self._ref}", cancel=cancel, alive=self._received,
        )  # fmt: skip

    def entries(self, commit: str, root: str) -> list[Entry]:
        """Return the entries of a commit in a folder, at all depths, in path order."""
        listed = self.git.output(
            "ls-tree", "-r", "-z", "--full-tree", commit, *(["--", f"{root}/"] if root else [])
        )
        tree = []
        for line in listed.split(b"\0")[:-1]:
            facts, path = line.split(b"\t", 1)
            mode, what, identity = facts.decode("ascii").split(" ")
            tree.append(Entry(mode, what, identity, path))
        if not tree and root:
            raise SourceError(
                self._where,
                f"there is no folder {root!r} in {self._branch or 'the default branch'} of "
                f"{self.git.address.shown}.",
                hint="Set 'root' to a folder of the repository, or remove the key.",
            )
        return tree

    def local_sizes(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the sizes of blobs if the repository is on this machine; otherwise nothing."""
        inner = self._inner()
        return _sizes(Git(inner, self.git.address, self._where), ids) if inner is not None else {}

    def origin_of_folder(self) -> str | None:
        """Return the origin of a local repository, if it is a clone."""
        inner = self._inner()
        try:
            output = (
                self.git.output(
                    "config", "--file", str(inner / "config"), "--get", "remote.origin.url"
                )
                if inner is not None
                else b""
            )
        except GitFailed:
            return None
        return output.decode("utf-8", "replace").strip() or None

    def _inner(self) -> Path | None:
        """Return the repository itself, if it is on this machine."""
        folder = self.git.address.folder
        inner = None if folder is None else folder / ".git"
        return inner if inner is not None and inner.exists() else folder

    def fetched_sizes(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the sizes of fetched blobs."""
        fetched = self._here()
        return _sizes(self.git, [blob for blob in ids if blob in fetched])

    def _here(self) -> set[str]:
        """Return the ids of all fetched objects."""
        listed = self.git.output(
            "cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname)"
        )
        return set(listed.decode("ascii").split())

    def fetch(self, ids: Iterable[str], cancel: threading.Event | None) -> set[str]:
        """Fetch the missing blobs in one request; return the ids of those that are too large.

        A server reports no sizes in advance. So a fetch is stopped if it exceeds the possible size,
        and its blobs are fetched in smaller groups.
        """
        fetched = self._here()
        wanted = [blob for blob in dict.fromkeys(ids) if blob not in fetched]
        groups = [(wanted, max(_FIRST_PACK_BYTES, 4 * self._largest))] if wanted else []
        too_large: set[str] = set()
        while groups:
            group, most = groups.pop()
            if self._fetch_group(group, most, cancel):
                continue
            if len(group) == 1:
                too_large.add(group[0])
                continue
            step = _GROUP if len(group) > _GROUP else (len(group) + 1) // 2
            for start in range(0, len(group), step):
                part = group[start : start + step]
                groups.append((part, self._largest * min(len(part), 2) + _SLACK_BYTES))
        return too_large

    def _fetch_group(self, ids: list[str], most: int, cancel: threading.Event | None) -> bool:
        try:
            self.git.output(
                "-c", "fetch.negotiationAlgorithm=noop", "fetch", "--filter=blob:none", "--no-tags",
                "--no-write-fetch-head", "--no-recurse-submodules", "--progress", "--stdin",
                "origin",
                given="".join(f"{blob}\n" for blob in ids).encode(),
                cancel=cancel, alive=self._received, stop=lambda: self._received() > most,
            )  # fmt: skip
        except GitStopped:
            for path in self._unfinished():
                path.unlink(missing_ok=True)
            return False
        except GitFailed as failed:
            raise self.git.error(failed) from failed
        return True

    def _received(self) -> int:
        """Return the number of received bytes."""
        total = 0
        for path in self._unfinished():
            with contextlib.suppress(OSError):
                total += path.stat().st_size
        return total

    def content(self, blob: str) -> Iterator[bytes]:
        """Yield the content of a fetched blob, in blocks."""
        reader = self._open_reader()
        answers, questions = reader.stdout, reader.stdin
        assert answers is not None and questions is not None  # noqa: S101, PT018 - requested
        try:
            questions.write(f"{blob}\n".encode("ascii"))
            questions.flush()
            words = answers.readline().split()
        except OSError as error:
            self.close()
            raise GitFailed(str(error)) from error
        if len(words) != 3:
            self.close()
            raise GitFailed(b" ".join(words).decode("ascii", "replace") or "git ended")
        try:
            yield from _exactly(answers, int(words[2]))
            answers.read(1)
        except BaseException:
            # Unread output would be taken for the next response.
            self.close()
            raise

    def _open_reader(self) -> subprocess.Popen[bytes]:
        if self._reader is None or self._reader.poll() is not None:
            self._reader = subprocess.Popen(
                self.git.command("cat-file", "--batch"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=self.git.environment(),
                **own_group(),
            )
            weakref.finalize(self, _end, self._reader)
        return self._reader

    def close(self) -> None:
        """Stop the program that reads blobs."""
        reader, self._reader = self._reader, None
        if reader is not None:
            _end(reader)

    def discard(self) -> None:
        """Remove the clone, so that it is created again."""
        self.close()
        shutil.rmtree(self.git.folder, ignore_errors=True)


def _sizes(git: Git, ids: Sequence[str]) -> dict[str, int]:
    if not ids:
        return {}
    given = "".join(f"{blob}\n" for blob in ids).encode()
    output = git.output("cat-file", "--batch-check=%(objectname) %(objectsize)", given=given)
    lines = (line.split() for line in output.decode("ascii").splitlines())
    return {words[0]: int(words[1]) for words in lines if words[1].isdigit()}


def _end(reader: subprocess.Popen[bytes]) -> None:
    if reader.returncode is None:
        end(reader)
        reader.wait()
    for pipe in (reader.stdin, reader.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


def _exactly(stream: IO[bytes], size: int) -> Iterator[bytes]:
    left = size
    while left:
        block = stream.read(min(left, 1 << 20))
        if not block:
            raise GitFailed("git ended within a blob")
        left -= len(block)
        yield block


def _names(heads: list[str], asked: str) -> str:
    import difflib

    near = difflib.get_close_matches(asked, heads, n=_NEAR, cutoff=0.4)
    return ", ".join(near or heads[:_NEAR])
