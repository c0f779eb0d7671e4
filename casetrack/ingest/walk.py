"""Walk of a folder, with one set of rules for ingests and syncs."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Literal

from casetrack.base import errors, files
from casetrack.base.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pathspec import GitIgnoreSpec

    Chain = tuple["Ignores", ...]

# Patterns in gitignore syntax, and the ignore files of a folder.

IGNORE_FILE = ".casetrackignore"
"""Name of an ignore file in gitignore syntax, for its folder and all below."""
GIT_IGNORE_FILE = ".gitignore"


def patterns(lines: Iterable[str], /, *, where: str) -> GitIgnoreSpec | None:
    """Return the patterns of *lines* in gitignore syntax; ``None`` without any."""
    from pathspec import GitIgnoreSpec

    wanted = [line for line in lines if line.strip()]
    if not wanted:
        return None
    try:
        # Other backends do not accept names that are not valid Unicode.
        return GitIgnoreSpec.from_lines(wanted, backend="simple")
    except (ValueError, re.error) as error:
        raise errors.UsageError(
            f"A pattern in {where} is invalid: {error}",
            hint="Write patterns as in .gitignore, such as *.bak, drafts/ or !drafts/final.docx.",
        ) from error


def _patterns_of_git(lines: Iterable[str], /) -> GitIgnoreSpec | None:
    """Return the patterns of a ``.gitignore``, without lines that git ignores too."""
    lines = list(lines)
    try:
        return patterns(lines, where=GIT_IGNORE_FILE)
    except errors.UsageError:
        good: list[str] = []
        for line in lines:
            with contextlib.suppress(errors.UsageError):
                patterns([line], where=GIT_IGNORE_FILE)
                good.append(line)
        return patterns(good, where=GIT_IGNORE_FILE)


@dataclass(frozen=True, slots=True)
class Ignores:
    """Content of one ignore file.

    Attributes
    ----------
    base
        Its folder, relative to the walk's, with a slash; empty above the walk's folder.
    above
        The walk's folder relative to its own, with a slash, if its own is further up.
    """

    rank: int
    base: str
    above: str
    spec: GitIgnoreSpec

    def verdict(self, below: str, /) -> bool | None:
        """Return whether the file excludes a path, includes it, or has no matching pattern."""
        return self.spec.check_file(self.above + below[len(self.base) :]).include


def read_ignores(
    folder: str, names: Sequence[str], name: str, base: str, above: str = ""
) -> Ignores | None:
    """Return the ignore file *name* of a folder; ``None`` if it is missing or empty."""
    path = os.path.join(folder, name)  # noqa: PTH118 - names may be invalid Unicode
    if not os.path.isfile(path):  # noqa: PTH113
        return None
    with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:  # noqa: PTH123
        lines = file.read().splitlines()
    spec = _patterns_of_git(lines) if name == GIT_IGNORE_FILE else patterns(lines, where=path)
    return Ignores(names.index(name), base, above, spec) if spec is not None else None


def is_ignored(below: str, chain: Sequence[Ignores], /) -> bool:
    """Return whether a path is excluded by the last file of *chain* with a matching pattern."""
    verdicts = (ignores.verdict(below) for ignores in reversed(chain))
    return next((verdict for verdict in verdicts if verdict is not None), False)


Links = Literal["files", "inside", "none"]

_LONGEST = 259
"""Maximum path length on Windows without long paths."""
_JUNK = frozenset({"thumbs.db", "desktop.ini", ".ds_store", IGNORE_FILE})
_JUNK_NAMES = re.compile(r"~\$.*|\.~lock\..*#|.*\.(?:tmp|swp|crdownload|part)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Rules:
    """Selection of files in a folder.

    Attributes
    ----------
    extensions
        Lower case and with dot; ``None`` means all.
    include, exclude
        Patterns relative to the folder: only files that match an include pattern, if there is one,
        and no exclude pattern.
    ignore_files
        Names of ignore files, in ascending precedence. With ``.gitignore``, those above the folder
        apply too, up to the top of its repository.
    leaves_out
        Called before all patterns; returns whether to exclude a path relative to the folder. Paths
        of folders end with a slash.
    links
        ``"files"`` follows links to files inside the folder, ``"inside"`` those to folders as well,
        ``"none"`` follows no link.
    """

    recursive: bool = True
    extensions: frozenset[str] | None = None
    include: GitIgnoreSpec | None = None
    exclude: GitIgnoreSpec | None = None
    hidden: bool = False
    ignore_files: tuple[str, ...] = (IGNORE_FILE,)
    leaves_out: Callable[[str], bool] | None = None
    links: Links = "files"
    apart: tuple[Path, ...] = ()


def extension_set(extensions: Iterable[str] | None, /) -> frozenset[str] | None:
    """Return extensions such as ``pdf``, ``.docx,.xlsx`` or ``*.TXT`` in one form."""
    if extensions is None:
        return None
    single = (each for text in extensions for each in text.split(","))
    normalized = frozenset("." + each.strip().lower().lstrip("*").lstrip(".") for each in single)
    if "." in normalized:
        raise errors.UsageError(
            "An extension is empty.", hint="Write extensions like pdf or .docx."
        )
    return normalized


@dataclass(frozen=True, slots=True)
class Seen:
    """A selected file with its status (``None`` with a problem)."""

    path: str
    facts: os.stat_result | None
    problem: errors.CaseTrackError | None = None


class _Named:
    """An entry that was named, not listed."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = os.path.basename(path)  # noqa: PTH119 - names may be invalid Unicode
        self._facts = os.lstat(path)

    def is_symlink(self) -> bool:
        return stat.S_ISLNK(self._facts.st_mode)

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return stat.S_ISDIR(self.stat(follow_symlinks=follow_symlinks).st_mode)

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return os.stat(self.path) if follow_symlinks else self._facts  # noqa: PTH116


class Walk:
    """One walk of a folder; *unread* are folders that could not be listed."""

    def __init__(self, folder: Path, rules: Rules, /) -> None:
        self.unread: list[str] = []
        self._root = str(folder)
        self._rules = rules
        self._real_root = os.path.realpath(folder)
        self._links: list[tuple[str, str, Chain]] = []
        self._folders_seen: set[tuple[int, int]] = set()
        self._files_seen: set[tuple[int, int]] = set()

    def files(self, only: Sequence[Path] | None = None) -> Iterator[Seen]:
        """Yield the files in a stable order, limited to the files and folders *only*."""
        above = self._from_above()
        if only is None:
            yield from self._below(self._root, "", above)
        else:
            taken: set[str] = set()
            for path in sorted(set(only)):
                for seen in self._named(path, above):
                    if seen.path not in taken:
                        taken.add(seen.path)
                        yield seen
        # The target of a link is listed under its own path if it has one.
        while self._links:
            yield from self._follow(*self._links.pop(0))

    def _from_above(self) -> Chain:
        """Return the ignore files of the enclosing repository; none if it ignores the folder."""
        names = self._rules.ignore_files
        if GIT_IGNORE_FILE not in names:
            return ()
        root = Path(self._root)
        top = next((p for p in (root, *root.parents) if (p / ".git").exists()), root)
        chain: Chain = ()
        for folder in reversed(root.parents):
            if folder == top or top in folder.parents:
                above = root.relative_to(folder).as_posix() + "/"
                ignores = read_ignores(str(folder), names, GIT_IGNORE_FILE, "", above)
                chain = (*chain, ignores) if ignores is not None else chain
        return () if is_ignored("", chain) else chain

    def _named(self, path: Path, chain: Chain) -> Iterator[Seen]:
        relative = path.relative_to(self._root)
        folder, rel = self._root, ""
        if path == Path(self._root):
            yield from self._below(folder, rel, chain)
            return
        if len(relative.parts) > 1 and not self._rules.recursive:
            return
        for part in relative.parts:
            try:
                chain = self._with_ignore_files(folder, rel, chain)
                entry = _Named(os.path.join(folder, part))  # noqa: PTH118
            except (FileNotFoundError, NotADirectoryError):
                return
            except OSError as error:
                yield self._refused(os.path.join(folder, part), error)  # noqa: PTH118
                return
            entries: list[tuple[str, str, Chain]] = []
            yield from self._look(entry, rel, chain, entries)
            if not entries:
                return
            folder, rel, _ = entries[0]
        if self._rules.recursive:
            yield from self._below(folder, rel, chain)

    def _below(self, folder: str, rel: str, chain: Chain) -> Iterator[Seen]:
        stack = [(folder, rel, chain)]
        while stack:
            path, rel, chain = stack.pop()
            try:
                if self._rules.links == "inside" and self._came_before(path):
                    continue
                with os.scandir(path) as listing:
                    entries = sorted(listing, key=lambda e: e.name)
                if any(e.name in self._rules.ignore_files for e in entries):
                    chain = self._with_ignore_files(path, rel, chain)
            except OSError as error:
                yield self._refused(path, error)
                continue
            folders: list[tuple[str, str, Chain]] = []
            for entry in entries:
                yield from self._look(entry, rel, chain, folders)
            if self._rules.recursive:
                stack += reversed(folders)

    def _came_before(self, folder: str) -> bool:
        facts = os.stat(folder)  # noqa: PTH116
        key = (facts.st_dev, facts.st_ino)
        if key in self._folders_seen:
            return True
        self._folders_seen.add(key)
        return False

    def _refused(self, path: str, error: OSError) -> Seen:
        self.unread.append(path)
        return Seen(path, None, errors.FileUnreadable(path, _reason(path, error)))

    def _look(
        self,
        entry: os.DirEntry[str] | _Named,
        rel: str,
        chain: Chain,
        folders: list[tuple[str, str, Chain]],
    ) -> Iterator[Seen]:
        """Yield a selected file; a folder is added to *folders*."""
        name = entry.name
        if (name.startswith(".") and not self._rules.hidden) or is_junk(name):
            return
        below = rel + name
        try:
            if entry.is_symlink():
                if self._rules.links == "inside":
                    self._links.append((entry.path, below, chain))
                else:
                    yield from self._link(entry.path, below, chain)
            elif entry.is_dir(follow_symlinks=False):
                if not self._left_out(below + "/", chain) and not self._is_apart(entry.path):
                    folders.append((entry.path, below + "/", chain))
            elif self._fits(below, chain):
                facts = entry.stat(follow_symlinks=False)
                if not facts.st_ino:  # Windows reports it only for the file itself
                    facts = os.lstat(entry.path)
                yield self._file(entry.path, facts)
        except OSError as error:
            if isinstance(error, FileNotFoundError) and not _is_too_long(entry.path):
                return  # deleted since the folder was listed
            yield Seen(
                entry.path, None, errors.FileUnreadable(entry.path, _reason(entry.path, error))
            )

    def _is_apart(self, path: str) -> bool:
        name = os.path.basename(path).casefold()  # noqa: PTH119
        return any(
            name == folder.name.casefold() and folder.exists() and os.path.samefile(path, folder)  # noqa: PTH121
            for folder in self._rules.apart
        )

    def _file(self, path: str, facts: os.stat_result) -> Seen:
        if not stat.S_ISREG(facts.st_mode):
            problem = errors.WrongPathKind(
                f"{path} is not a regular file.",
                hint="Pipes and devices cannot be ingested; give the path of a file.",
            )
            return Seen(path, None, problem)
        if self._rules.links == "inside":
            self._files_seen.add((facts.st_dev, facts.st_ino))
        return Seen(path, facts)

    def _link(self, path: str, below: str, chain: Chain) -> Iterator[Seen]:
        is_folder = os.path.isdir(path)  # noqa: PTH112
        left_out = self._left_out(below + "/", chain) if is_folder else not self._fits(below, chain)
        if left_out or (is_folder and not self._rules.recursive):
            return
        if not self._leads_inside(path):
            yield Seen(path, None, _outside(path))
        elif is_folder or self._rules.links == "none":
            return  # it is listed under its own path
        elif not os.path.exists(path):  # noqa: PTH110
            yield Seen(path, None, errors.FileNotFound(path))
        else:
            yield self._file(path, os.stat(path))  # noqa: PTH116

    def _follow(self, path: str, below: str, chain: Chain) -> Iterator[Seen]:
        try:
            facts = os.stat(path)  # noqa: PTH116
        except OSError:
            return  # a broken link is not a file
        is_folder = stat.S_ISDIR(facts.st_mode)
        fits = not self._left_out(below + "/", chain) if is_folder else self._fits(below, chain)
        if not fits:
            return
        if not self._leads_inside(path):
            yield Seen(path, None, _outside(path))
        elif is_folder:
            if self._rules.recursive:
                yield from self._below(path, below + "/", chain)
        elif (facts.st_dev, facts.st_ino) not in self._files_seen:
            yield self._file(path, facts)

    def _leads_inside(self, path: str) -> bool:
        target = os.path.realpath(path)
        return target == self._real_root or target.startswith(
            os.path.join(self._real_root, "")  # noqa: PTH118
        )

    def _with_ignore_files(self, folder: str, rel: str, chain: Chain) -> Chain:
        """Return *chain* with the ignore files of *folder*, in ascending precedence."""
        names = self._rules.ignore_files
        files = (read_ignores(folder, names, name, rel) for name in names)
        own = [ignores for ignores in files if ignores is not None]
        return tuple(sorted((*chain, *own), key=lambda i: i.rank)) if own else chain

    def _fits(self, below: str, chain: Chain) -> bool:
        rules = self._rules
        if rules.extensions is not None and suffix_of(below) not in rules.extensions:
            return False
        if rules.include is not None and not rules.include.match_file(below):
            return False
        return not self._left_out(below, chain)

    def _left_out(self, below: str, chain: Chain) -> bool:
        rules = self._rules
        if rules.leaves_out is not None and rules.leaves_out(below):
            return True
        if rules.exclude is not None and rules.exclude.match_file(below):
            return True
        return is_ignored(below, chain)


def suffix_of(path: str, /) -> str:
    """Return a path's extension, lower case, with dot; empty without one."""
    return PurePath(path).suffix.lower()


def is_junk(name: str, /) -> bool:
    """Return whether a file is internal to a program: a lock, a partial download, a cache."""
    folded = name.lower()
    return folded in _JUNK or _JUNK_NAMES.fullmatch(folded) is not None


def _outside(path: str) -> errors.UsageError:
    return errors.UsageError(
        f"{path} is a link to a target outside the folder.",
        hint="Name the file or folder itself to ingest it.",
    )


def _is_too_long(path: str) -> bool:
    """Return whether Windows lists a file but cannot open its long path."""
    return files.IS_WINDOWS and len(path) > _LONGEST


def _reason(path: str, error: OSError) -> str:
    if _is_too_long(path):
        return (
            f"its path has {len(path)} characters, and Windows opens {_LONGEST}; shorten it, or "
            "switch on long paths in Windows (LongPathsEnabled)"
        )
    return error.strerror or str(error)
