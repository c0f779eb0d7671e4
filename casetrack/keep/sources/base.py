"""The interface of a source: a listing of items with change tokens, and fetching of one item."""

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
    """One item in the listing of a source.

    Attributes
    ----------
    source_id
        The source's id, with slashes; unique within the source.
    token
        Equal tokens mean equal content: a blob's id, an ETag with a size. Never only a time; empty
        if the source has none.
    name
        File name with an extension, if the last part of *source_id* has none: ``ticket-12.md``.
    is_whole
        Whether the files inside it are separate items, so that they are not extracted.
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
    """A source of documents.

    Attributes
    ----------
    notes
        Sentences about the items that the last listing skipped.
    dark
        Folders, by ``source_id``, that the last listing could not read; an empty one is the whole
        source. Their items are unknown, not deleted.
    large
        Items, by ``source_id``, that the last listing skipped because of their size.
    together
        Number of items that may be fetched at the same time, in threads.
    """

    kind: str
    name: str
    notes: list[str]
    dark: list[str]
    large: list[str]
    together: int = 1

    def begin(self) -> None:
        """Forget the previous listing."""
        self.notes, self.dark, self.large = [], [], []

    def note_large(self, largest: int, noun: str = "file", /) -> None:
        """Add a sentence on the items that are larger than *largest* bytes."""
        if self.large:
            self.notes.append(
                f"{counted(len(self.large), noun)} larger than {largest:,} bytes left out: "
                f"{listed(self.large)}. Set max_extract_bytes to include larger ones."
            )

    def items(self, *, cancel: threading.Event | None = None) -> Iterator[Item]:
        """Yield all items of the source in a stable order; unlisted items were deleted.

        Raises
        ------
        SourceError, JobStopped
            The listing is incomplete, or *cancel* was set.
        """

    def file(self, item: Item, /) -> Path | None:  # noqa: ARG002 - most have none
        """Return the path of an item's local file, which is read in place; ``None`` to fetch it."""
        return None

    def prepare(
        self,
        items: Sequence[Item],  # noqa: ARG002 - most need nothing
        /,
        *,
        cancel: threading.Event | None = None,  # noqa: ARG002
    ) -> None:
        """Prepare the fetching of items that are better fetched together."""
        return

    def fetch(self, item: Item, target: Path, /, *, cancel: threading.Event | None = None) -> None:
        """Write an item's content to the new file *target*.

        Raises
        ------
        SourceSkipped
            It has no readable content and never will.
        SourceChanged
            Its content differs from the listing; list again.
        SourceError, JobStopped
            It cannot be fetched now, or *cancel* was set; its document stays.
        """

    def link(self, item: Item, first_line: int | None, last_line: int | None, /) -> str | None:
        """Return a web address of an item at these lines, if the source has one."""

    def close(self) -> None:
        """Close the programs and files that fetching used."""
        return


def label(source: Source, /) -> str:
    """Return the label of a source for users and documents: ``git:platform``."""
    return f"{source.kind}:{source.name}"


# Selection of paths: the user's globs, and default exclusions. Keys and passwords, folders of
# tools, third-party packages, build outputs and generated files are excluded, unless a glob of
# ``include_globs`` names them: ``certs/*.pem`` names keys, ``build/report.md`` a build folder;
# ``**/*`` names nothing.

_SHOWN = 3
_MOST_ALTERNATIVES = 1000
_INNERMOST = re.compile(r"\{([^{}]*)\}")

# Excluded files or folders by kind: a description for notes, and names in lower case.
_FILES: Mapping[str, str] = {
    "with keys or passwords": """
        id_rsa id_dsa id_ecdsa id_ecdsa_sk id_ed25519 id_ed25519_sk *.pem *.key *.ppk *.p12 *.pfx
        *.jks *.keystore *.keytab *.kdb *.kdbx *.gpg *.pgp .env .env.* *.env .envrc .netrc _netrc
        .npmrc .pypirc .htpasswd .htaccess .pgpass .my.cnf .git-credentials .dockercfg
        .vault-token .boto .s3cfg credentials credentials.json client_secret*.json
        service[-_]account*.json secrets.yml secrets.yaml secrets.json secrets.toml *.tfstate
        *.tfstate.backup *.tfvars kubeconfig
    """,
    "generated by programs": """
        package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock composer.lock
        poetry.lock uv.lock pdm.lock pipfile.lock cargo.lock gemfile.lock go.sum flake.lock
        *.min.js *.min.css *.min.mjs *.js.map *.css.map
    """,
}
_HARMLESS = frozenset(
    ".env.example .env.sample .env.template .env.dist .env.defaults example.env sample.env".split()
)
# Folders without a description are in every project and are not mentioned in notes.
_FOLDERS: Mapping[str, str] = {
    "": """
        .git .hg .svn .bzr .ctx .casetrack __pycache__ .mypy_cache .ruff_cache .pytest_cache
        .hypothesis .ipynb_checkpoints .cache .tox .nox .idea .vs .trash __macosx
    """,
    "with keys or passwords": ".ssh .gnupg .aws .azure .kube .docker",
    "of tools": """
        .gradle .m2 .npm .yarn .pnpm-store .cargo .rustup .terraform .serverless .vagrant
    """,
    "with third-party packages": """
        node_modules bower_components jspm_packages site-packages .venv venv .eggs *.egg-info
        *.dist-info
    """,
}
_BUILT = "with build outputs"
_BUILT_FOLDERS = "build dist target out obj .next .nuxt .output .svelte-kit .turbo .parcel-cache"

_Way = Literal["open", "named", "out"]


class Choice:
    """Selects paths, and remembers the excluded ones.

    Parameters
    ----------
    include
        Globs of included paths; without any, every readable document type except pictures.
    built
        Whether to include folders of build outputs; a repository has only intended ones.
    """

    def __init__(
        self, include: Sequence[str], exclude: Sequence[str], /, *, where: str, built: bool = False
    ) -> None:
        globs = [glob for given in include for glob in alternatives(given, where=where)]
        self.include = patterns(globs, where=f"include_globs of {where}")
        unasked = _unasked(globs) if globs else []
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
        """Forget the earlier excluded paths."""
        self._ways = {}
        self._left = defaultdict(list)

    def takes(self, path: str, /) -> bool:
        """Return whether the file at *path*, relative and with slashes, is included."""
        if self.extensions is not None and suffix_of(path) not in self.extensions:
            return False
        if self.include is not None and not self.include.match_file(path):
            return False
        if self.exclude is not None and self.exclude.match_file(path):
            return False
        return not self.leaves_out(path)

    def leaves_out(self, path: str, /) -> bool:
        """Return whether a path, relative and with slashes, is excluded by default."""
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
        """Return whether a folder is entered, entered only for paths named in it, or skipped."""
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
        """Return a sentence for each kind of excluded path."""
        sentences = []
        for what, paths in self._left.items():
            kind, reason = what.split(" ", 1)
            sentences.append(
                f"{counted(len(paths), kind)} {reason} left out: {listed(paths)}. Name them in "
                "include_globs to include them."
            )
        return sentences


class _Names:
    """Names by the reason of their exclusion."""

    def __init__(self, groups: Mapping[str, str]) -> None:
        self._reasons = {name: reason for reason, names in groups.items() for name in names.split()}
        self._globs = [name for name in self._reasons if set(name) & set("*?[")]
        self._any = re.compile("|".join(translate(glob) for glob in self._globs))

    def reason(self, name: str) -> str | None:
        """Return why a file or folder of this name is excluded."""
        folded = name.casefold()
        reason = self._reasons.get(folded)
        if reason is None and self._any.match(folded):
            reason = next(self._reasons[g] for g in self._globs if fnmatchcase(folded, g))
        return reason

    def names(self, part: str) -> bool:
        """Return whether a part of a glob names an excluded kind: ``*.pem`` does."""
        return self.reason(part) is not None


def alternatives(glob: str, /, *, where: str) -> list[str]:
    """Return a glob for each choice of its braces: ``*.{md,txt}`` is ``*.md`` and ``*.txt``."""
    glob = glob.removeprefix("./")
    match = _INNERMOST.search(glob)
    if match is None:
        return [glob]
    waiting, done = [glob], list[str]()
    while waiting:
        text = waiting.pop()
        match = _INNERMOST.search(text)
        if match is None:
            done.append(text)
        else:
            before, after = text[: match.start()], text[match.end() :]
            waiting += [before + part + after for part in reversed(match[1].split(","))]
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
    """Return the first names, and the number of further ones."""
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more:,} more" if more > 0 else "")


def _some(globs: Iterable[str]) -> GitIgnoreSpec | None:
    return patterns(list(globs), where="include_globs")


def _documents() -> frozenset[str]:
    """Return the extensions of all readable formats except pictures and archives."""
    from casetrack.parse import READERS

    return frozenset(e for r in READERS for e in r.extensions) - _slow_formats()


def _slow_formats() -> frozenset[str]:
    from casetrack.parse import READERS
    from casetrack.parse.archive import ArchiveReader
    from casetrack.parse.image.reader import ImageReader

    slow = (ArchiveReader, ImageReader)
    return frozenset(e for r in READERS if isinstance(r, slow) for e in r.extensions)


def _unasked(globs: Sequence[str]) -> list[str]:
    """Return globs of pictures and archives that none of *globs* names, as they take seconds."""
    named = {suffix_of(glob) for glob in globs}
    return [
        "*" + "".join(f"[{c}{c.upper()}]" if c.isalpha() else c for c in extension)
        for extension in sorted(_slow_formats() - named)
    ]


# Addresses of a repository's file at some of its lines.

_BITBUCKET = re.compile(r"https?://bitbucket\.org/[^/]+/[^/]+/src/")
_GITLAB = re.compile(r"https?://[^/]+/.+/-/blob/")
_AZURE = re.compile(r"https?://(?:dev\.azure\.com|[^/]+\.visualstudio\.com)/.*[?&]path=")
_GITHUB = re.compile(
    r"https?://[^/]+/[^/]+/[^/]+/(?:blob|src/(?:commit|branch|tag))/"  # GitHub; Gitea, Forgejo
)


def with_lines(url: str | None, first: int | None, last: int | None, /) -> str | None:
    """Return the web address of some lines of the file at *url*.

    Lines are 1-based and inclusive; without them the address is unchanged. The form of *url*
    selects the syntax: GitHub, GitLab, Gitea, Forgejo, Bitbucket or Azure Repos. Other addresses,
    and those with a fragment, are returned unchanged.

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
        # Without it, Markdown is shown rendered, without lines.
        shown = f"{url}?plain=1" if url.endswith((".md", ".markdown", ".rst")) else url
        return f"{shown}#L{first}" if one else f"{shown}#L{first}-L{last}"
    return url
