"""What a source is: a listing of items with change tokens, and a way to fetch one of them."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from fnmatch import fnmatchcase, translate
from typing import TYPE_CHECKING, Any, Literal, Protocol

from casetrack.base.errors import UsageError
from casetrack.ingest.walk import patterns, suffix_of

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from pathspec import GitIgnoreSpec


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that a source has, as its listing tells it.

    Attributes
    ----------
    source_id
        What the source calls it, with slashes; unique within the source.
    token
        Equal tokens mean equal content: a blob's id, an ETag with a size. Never a time alone; empty
        where the source knows of nothing better.
    size
        Bytes, where the listing knows.
    url
        Where a person finds it.
    title, author
        By the source's own account.
    updated_at
        When it was last changed there (UTC).
    metadata
        Further facts, of JSON's types.
    name
        A file name with an extension, by which it is read and shown, where the last part of
        *source_id* is none: ``ticket-12.md``.
    is_whole
        Whether the files inside it are items of the source as well, so that they are not taken
        out of it.
    """

    source_id: str
    token: str
    size: int | None = None
    url: str | None = None
    title: str | None = None
    author: str | None = None
    updated_at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    name: str | None = None
    is_whole: bool = False


class Source(Protocol):
    """A place that documents come from.

    Attributes
    ----------
    kind
        ``filesystem``, ``git``, ``s3`` or ``script``; ``production`` for one that came with a load
        file.
    name
        The user's own name of it.
    notes
        What the last listing left out and why, a sentence each.
    dark
        Folders, by their ``source_id``, that the last listing could not look into; an empty one is
        the whole source. What lies below them is unknown, not gone.
    large
        Items that the last listing left out because they are too large, by their ``source_id``.
    """

    kind: str
    name: str
    notes: Sequence[str]
    dark: Sequence[str]
    large: Sequence[str]

    def items(self, *, cancel: threading.Event | None = None) -> Iterator[Item]:
        """Yield everything that the source has now, in a stable order.

        A listing that ends without an error is complete: what it does not name is gone.

        Raises
        ------
        SourceError
            The listing cannot be had, or not to its end.
        JobStopped
            *cancel* was set.
        """
        ...

    def file(self, item: Item, /) -> Path | None:  # noqa: ARG002 - most have none
        """Return an item's own file where it lies on this machine, absolute.

        It is read in place, documents have its path, and it is compared by its content as the files
        of any folder are; ``None`` where an item has to be fetched.
        """
        return None

    def prepare(
        self,
        items: Sequence[Item],  # noqa: ARG002 - most need nothing
        /,
        *,
        cancel: threading.Event | None = None,  # noqa: ARG002
    ) -> None:
        """Get ready for these items to be fetched, where they are better had together.

        Raises
        ------
        SourceError
            Nothing can be fetched.
        JobStopped
            *cancel* was set.
        """
        return

    def fetch(self, item: Item, target: Path, /, *, cancel: threading.Event | None = None) -> None:
        """Write an item's content to *target*, which does not exist yet.

        Raises
        ------
        SourceSkipped
            There is nothing to read in it, now or later.
        SourceChanged
            It has another content than the listing said; list again.
        SourceError
            It cannot be had. What was known of it stays.
        JobStopped
            *cancel* was set.
        """
        ...

    def link(self, item: Item, first_line: int | None, last_line: int | None, /) -> str | None:
        """Return an address that opens an item at these lines, where the source has one."""
        ...

    def close(self) -> None:
        """Let go of the programs and files that fetching needed."""
        return


def label(source: Source, /) -> str:
    """Return what users write for a source, and what documents carry: ``git:platform``."""
    return f"{source.kind}:{source.name}"


# Which paths of a source are taken: the user's globs, and what nobody wants read unasked.
#
# Keys and passwords, the folders of tools, the packages of others, what was built and what programs
# wrote for themselves are left out, unless a glob of ``include_globs`` names them: ``certs/*.pem``
# names keys, ``build/report.md`` names a build folder; ``**/*`` names nothing.

_SHOWN = 3
_MOST_ALTERNATIVES = 1000
_INNERMOST = re.compile(r"\{([^{}]*)\}")

# Each kind of file or folder: what it is called in a note, and names, in lower case.
_FILES: Mapping[str, str] = {
    "with keys or passwords": """
        id_rsa id_dsa id_ecdsa id_ecdsa_sk id_ed25519 id_ed25519_sk *.pem *.key *.ppk *.p12 *.pfx
        *.jks *.keystore *.keytab *.kdb *.kdbx *.gpg *.pgp .env .env.* *.env .envrc .netrc _netrc
        .npmrc .pypirc .htpasswd .htaccess .pgpass .my.cnf .git-credentials .dockercfg
        .vault-token .boto .s3cfg credentials credentials.json client_secret*.json
        service[-_]account*.json secrets.yml secrets.yaml secrets.json secrets.toml *.tfstate
        *.tfstate.backup *.tfvars kubeconfig
    """,
    "that programs wrote for themselves": """
        package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock composer.lock
        poetry.lock uv.lock pdm.lock pipfile.lock cargo.lock gemfile.lock go.sum flake.lock
        *.min.js *.min.css *.min.mjs *.js.map *.css.map
    """,
}
_HARMLESS = frozenset(
    ".env.example .env.sample .env.template .env.dist .env.defaults example.env sample.env".split()
)
# What has no reason is in every folder of a project, and nobody misses it.
_FOLDERS: Mapping[str, str] = {
    "": """
        .git .hg .svn .bzr .ctx .casetrack __pycache__ .mypy_cache .ruff_cache .pytest_cache
        .hypothesis .ipynb_checkpoints .cache .tox .nox .idea .vs .trash __macosx
    """,
    "with keys or passwords": ".ssh .gnupg .aws .azure .kube .docker",
    "of tools": """
        .gradle .m2 .npm .yarn .pnpm-store .cargo .rustup .terraform .serverless .vagrant
    """,
    "with packages of others": """
        node_modules bower_components jspm_packages site-packages .venv venv .eggs *.egg-info
        *.dist-info
    """,
}
_BUILT = "of built files"
_BUILT_FOLDERS = "build dist target out obj .next .nuxt .output .svelte-kit .turbo .parcel-cache"

_Way = Literal["open", "named", "out"]


class Choice:
    """Decides path by path, and remembers what was left out.

    Parameters
    ----------
    include
        Globs of what is taken; none takes every kind of document that can be read, but no pictures.
    exclude
        Globs of what is not taken.
    where
        The source, for errors.
    built
        Whether folders of built files are taken; a repository has only those that it wants.

    Attributes
    ----------
    include, exclude
        The same as patterns.
    extensions
        Those that are taken, lower case and with dot; ``None`` takes all that *include* fits.

    Raises
    ------
    UsageError
        A glob cannot be understood.
    """

    def __init__(
        self, include: Sequence[str], exclude: Sequence[str], /, *, where: str, built: bool = False
    ) -> None:
        globs = [glob for given in include for glob in alternatives(given, where=where)]
        self.include = patterns(globs, where=f"include_globs of {where}")
        unasked = _unasked_pictures(globs) if globs else []
        self.exclude = patterns(
            [*unasked, *(g for given in exclude for g in alternatives(given, where=where))],
            where=f"exclude_globs of {where}",
        )
        self.extensions = None if globs else _documents()
        folders = dict(_FOLDERS) if built else {**_FOLDERS, _BUILT: _BUILT_FOLDERS}
        self._files, self._folders = _Names(_FILES), _Names(folders)
        ends = [(glob, glob.rpartition("/")[2]) for glob in globs]
        self._named_files = _some(g for g, end in ends if self._files.names(end))
        self._named_folders = _some(
            g for g in globs if any(self._folders.names(p) for p in g.split("/")[:-1])
        )
        self._entered = {
            part.casefold()
            for g in globs
            for part in g.split("/")[:-1]
            if self._folders.names(part)
        }
        self._ways: dict[str, _Way] = {}
        self._left: dict[str, list[str]] = {}
        self.begin()

    def begin(self) -> None:
        """Forget what was left out before."""
        self._ways = {}
        self._left = defaultdict(list)

    def takes(self, path: str, /) -> bool:
        """Return whether the file at *path*, relative and with slashes, is taken."""
        if self.extensions is not None and suffix_of(path) not in self.extensions:
            return False
        if self.include is not None and not self.include.match_file(path):
            return False
        if self.exclude is not None and self.exclude.match_file(path):
            return False
        return not self.leaves_out(path)

    def leaves_out(self, path: str, /) -> bool:
        """Return whether a path is one that nobody wants read unasked.

        Parameters
        ----------
        path
            Relative, with slashes; that of a folder ends with one.
        """
        folder, _, name = path.rpartition("/")
        way = self._way(folder)
        if way == "out" or not name:
            return way == "out"
        if way == "named" and not (self._named_folders and self._named_folders.match_file(path)):
            return True
        reason = self._files.reason(name)
        if reason is None or name.casefold() in _HARMLESS:
            return False
        if self._named_files is not None and self._named_files.match_file(path):
            return False
        self._left[f"file {reason}"].append(path)
        return True

    def _way(self, folder: str) -> _Way:
        """Return whether a folder is entered, or only for what is named in it, or not at all."""
        if not folder:
            return "open"
        known = self._ways.get(folder)
        if known is None:
            above, _, name = folder.rpartition("/")
            known = self._way(above)
            reason = self._folders.reason(name) if known != "out" else None
            if reason is not None:
                known = "named" if self._is_entered(name) else "out"
                if known == "out" and reason:
                    self._left[f"folder {reason}"].append(folder)
            self._ways[folder] = known
        return known

    def _is_entered(self, name: str) -> bool:
        return any(fnmatchcase(name.casefold(), part) for part in self._entered)

    def notes(self) -> list[str]:
        """Return a sentence for each kind of what was left out."""
        told = []
        for what, paths in self._left.items():
            kind, reason = what.split(" ", 1)
            told.append(
                f"{counted(len(paths), kind)} {reason} left out: {listed(paths)}. "
                "Name them in include_globs to have them read."
            )
        return told


class _Names:
    """Names by the reason why they are left out."""

    def __init__(self, groups: Mapping[str, str]) -> None:
        self._reasons = {name: reason for reason, names in groups.items() for name in names.split()}
        self._globs = [name for name in self._reasons if set(name) & set("*?[")]
        self._any = re.compile("|".join(translate(glob) for glob in self._globs))

    def reason(self, name: str) -> str | None:
        """Return why a file or folder of this name is left out."""
        folded = name.casefold()
        reason = self._reasons.get(folded)
        if reason is None and self._any.match(folded):
            reason = next(self._reasons[g] for g in self._globs if fnmatchcase(folded, g))
        return reason

    def names(self, part: str) -> bool:
        """Return whether a part of a glob names something that is left out: ``*.pem`` does."""
        return self.reason(part) is not None


def alternatives(glob: str, /, *, where: str) -> list[str]:
    """Return a glob once for each choice of its braces: ``*.{md,txt}`` is ``*.md`` and ``*.txt``.

    Raises
    ------
    UsageError
        The braces make more globs than anybody can mean.
    """
    glob = glob.removeprefix("./")
    found = _INNERMOST.search(glob)
    if found is None:
        return [glob]
    waiting, done = [glob], list[str]()
    while waiting:
        text = waiting.pop()
        found = _INNERMOST.search(text)
        if found is None:
            done.append(text)
        else:
            before, after = text[: found.start()], text[found.end() :]
            waiting += [before + part + after for part in reversed(found[1].split(","))]
        if len(waiting) + len(done) > _MOST_ALTERNATIVES:
            raise UsageError(
                f"A glob of {where} has more than {_MOST_ALTERNATIVES:,} alternatives: {glob[:80]}",
                hint="Write fewer choices in braces.",
            )
    return list(dict.fromkeys(done))


def counted(number: int, what: str, /) -> str:
    """Return ``1 file`` or ``2,000 files``."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def listed(names: Sequence[str], /) -> str:
    """Return the first names, and how many more there are."""
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more:,} more" if more > 0 else "")


def _some(globs: Iterable[str]) -> GitIgnoreSpec | None:
    return patterns(list(globs), where="include_globs")


def _documents() -> frozenset[str]:
    """Return the extensions of all that can be read but pictures."""
    from casetrack.parse import READERS

    return frozenset(e for r in READERS for e in r.extensions) - _pictures()


def _pictures() -> frozenset[str]:
    from casetrack.parse import READERS
    from casetrack.parse.image.reader import ImageReader

    return frozenset(e for r in READERS if isinstance(r, ImageReader) for e in r.extensions)


def _unasked_pictures(globs: Sequence[str]) -> list[str]:
    """Return globs of the pictures that none of *globs* names: recognising them takes seconds."""
    named = {suffix_of(glob) for glob in globs}
    return [
        "*" + "".join(f"[{c}{c.upper()}]" if c.isalpha() else c for c in extension)
        for extension in sorted(_pictures() - named)
    ]


# Addresses that open a file of a repository at some of its lines.

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
