"""The user's git, restricted to fetching and reading.

No hooks, no submodules, no prompts, and only the listed protocols. The address is passed in the
environment: a password in it is written to no file and shown in no list of processes.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args
from urllib.parse import quote, unquote, urlsplit
from urllib.request import url2pathname

from casetrack.base.errors import JobStopped, SourceError, UsageError
from casetrack.keep.sources.program import Limits, Running, running

# Addresses of repositories: validation, display, and web pages.

Host = Literal["github", "gitlab", "bitbucket", "gitea", "azure", "sourcehut"]
HOSTS: tuple[Host, ...] = get_args(Host)
PROTOCOLS = ("https", "ssh", "file", "git")
"""Allowed protocols; ``ext::`` would run any program."""

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_HELPER = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*::")
_SHORT = re.compile(r"(?:(?P<user>[^@/:]+)@)?(?P<host>\[[^\]/]+\]|[^:/@]+):(?P<path>.+)")
_UNFIT = re.compile(r"[\x00-\x20\x7f]")
_BRANCH = re.compile(r"(?!-|/|.*(?://|\.\.|@\{|/\.|\.lock(?:/|$)|[./]$))[^\x00-\x20\x7f~^:?*\[\\]+")
_ALIASES = {
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
}
_PAGES: dict[Host, str] = {
    "github": "{base}/blob/{commit}/{path}",
    "gitlab": "{base}/-/blob/{commit}/{path}",
    "bitbucket": "{base}/src/{commit}/{path}",
    "gitea": "{base}/src/commit/{commit}/{path}",
    "azure": "{base}?path=/{path}&version=GC{commit}",
    "sourcehut": "{base}/tree/{commit}/item/{path}",
}


@dataclass(frozen=True, slots=True)
class Address:
    """Address of a repository.

    Attributes
    ----------
    url
        For git; may contain a password.
    shown
        For messages, without user and password.
    web
        Web page of the repository, without a trailing slash, if it is known.
    """

    url: str
    shown: str
    secrets: tuple[str, ...] = ()
    folder: Path | None = None
    web: str | None = None
    host: Host | None = None

    def page(self, commit: str, path: str, /) -> str | None:
        """Return the web page of a file in a commit."""
        if self.web is None or self.host is None:
            return None
        return _PAGES[self.host].format(base=self.web, commit=commit, path=quote(path))

    def with_origin(self, origin: str | None, /) -> Address:
        """Return the address with the web pages of the repository's origin."""
        if self.web is not None or origin is None:
            return self
        try:
            upstream = parse(origin, base=Path(), where="", host=self.host)
        except UsageError:
            return self
        return replace(self, web=upstream.web, host=upstream.host)

    def hide(self, text: str, /) -> str:
        """Return a text without the secrets."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text


def parse(url: str, /, *, base: Path, where: str, host: str | None = None) -> Address:
    """Parse an address for git; *host* is the style of its pages if that is not evident."""
    if host is not None and host not in HOSTS:
        raise UsageError(
            f"'host' of {where} is {host!r}, which is unknown.",
            hint=f"Use one of: {', '.join(HOSTS)}; or remove the key.",
        )
    style = next((h for h in HOSTS if h == host), None)
    url = url.strip()
    scheme = _SCHEME.match(url)
    if scheme is not None:
        return _with_scheme(url, scheme[1].lower(), where=where, host=style)
    if url.startswith("-") or _HELPER.match(url):
        raise _refused(where, "It is an option or a command for git, not an address.")
    short = _SHORT.fullmatch(url)
    drive = os.name == "nt" and re.match(r"[A-Za-z]:[\\/]", url)
    if short is None or drive or url.startswith((".", "/", "~")):
        folder = base / Path(url).expanduser()
        return Address(folder.absolute().as_uri(), str(folder), folder=folder, host=style)
    name = short["host"]
    if name.startswith("-") or (short["user"] or "").startswith("-") or _UNFIT.search(url):
        raise _refused(where, "It contains characters that are invalid in an address.")
    web, kind = _web(name, short["path"])
    return Address(url, f"{name}:{short['path']}", web=web, host=style or kind)


def _with_scheme(url: str, scheme: str, *, where: str, host: Host | None) -> Address:
    if scheme not in PROTOCOLS:
        known = ", ".join(PROTOCOLS)
        raise _refused(where, f"Allowed protocols are {known}, not {scheme}.")
    if _UNFIT.search(url):
        raise _refused(where, "It contains characters that are invalid in an address.")
    try:
        parts = urlsplit(url)
        name, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise _refused(where, f"{error}.") from error
    if scheme == "file":
        folder = Path(url2pathname(parts.path))
        return Address(url, url, folder=folder, host=host)
    user, password = parts.username or "", parts.password or ""
    if not name or name.startswith("-") or user.startswith("-"):
        raise _refused(where, "It has no host.")
    place = parts.netloc.rpartition("@")[2]
    # A token may be in the place of the user; for ssh the user is not secret.
    hidden = [password, parts.query, user if scheme != "ssh" and not password else ""]
    secrets = tuple(
        dict.fromkeys(form for part in hidden if part for form in (part, unquote(part)))
    )
    visible = name if scheme != "https" or port is None else f"{name}:{port}"
    web, style = _web(visible, parts.path)
    shown = f"{parts.scheme}://{place}{parts.path}"
    return Address(url, shown, secrets, web=web, host=host or style)


def _web(host: str, path: str) -> tuple[str, Host | None]:
    """Return the web page of a repository, and its style."""
    host = _ALIASES.get(host.lower(), host.lower())
    path = unquote(path).strip("/").removesuffix(".git")
    style = style_of(host)
    if style == "azure" and (parts := path.split("/"))[0] == "v3" and len(parts) == 4:
        path = f"{parts[1]}/{parts[2]}/_git/{parts[3]}"
    return f"https://{host}/{quote(path, safe='/~')}", style


def style_of(host: str, /) -> Host | None:
    """Return the style of a host's pages, if its name shows it."""
    name = host.partition(":")[0]
    if name == "git.sr.ht":
        return "sourcehut"
    if name == "dev.azure.com" or name.endswith(".visualstudio.com"):
        return "azure"
    labels = set(name.split("."))
    if labels & {"gitea", "forgejo", "codeberg"}:
        return "gitea"
    if name == "bitbucket.org":
        return "bitbucket"
    return "github" if "github" in labels else "gitlab" if "gitlab" in labels else None


def check_branch(branch: str, /, *, where: str) -> None:
    """Refuse an invalid name of a branch or tag."""
    if not _BRANCH.fullmatch(branch):
        raise UsageError(
            f"'branch' of {where} cannot be the name of a branch: {branch!r}.",
            hint="Use only its name, such as main or release/2.4.",
        )


def _refused(where: str, reason: str) -> UsageError:
    return UsageError(
        f"'url' of {where} cannot be used. {reason}",
        hint="Write https://host/owner/name.git, git@host:owner/name.git, or a folder.",
    )


SILENCE_SECONDS = 300.0
_SHOWN = 300
# If git started this process, as in a hook, these variables would lead it to another repository.
_NOT_INHERITED = re.compile(
    r"GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|"
    r"COMMON_DIR|CEILING_DIRECTORIES|PREFIX|ASKPASS|CONFIG_PARAMETERS|TRACE.*|CURL_VERBOSE|"
    r"SHALLOW_FILE|GRAFT_FILE|LITERAL_PATHSPECS|GLOB_PATHSPECS|EXTERNAL_DIFF|QUARANTINE_PATH)|"
    r"SSH_ASKPASS"
)
_SETTINGS = (
    f"core.hooksPath={os.devnull}",
    "core.fsmonitor=false",
    "core.askPass=",
    "fetch.recurseSubmodules=false",
    "submodule.recurse=false",
    "gc.autoDetach=false",
    "maintenance.autoDetach=false",
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=60",
    "i18n.logOutputEncoding=UTF-8",
    "log.showSignature=false",
    "log.mailmap=false",
)
_LOCAL_SERVER = (
    "git -c uploadpack.allowFilter=true -c uploadpack.allowAnySHA1InWant=true upload-pack"
)

_ASKS = r"could not read (?:Username|Password)|Authentication failed|terminal prompts disabled|"
_ASKS += r"Permission denied \(|Host key verification failed|returned error: 40[13]"
_NO_HOST = r"Could not resolve host|unable to look up|Name or service not known|name resolution"
_NO_ANSWER = r"Connection (?:refused|timed out|reset)|unable to connect|Failed to connect|"
_NO_ANSWER += r"Operation too slow|Network is unreachable|No route to host|Operation timed out|"
_NO_ANSWER += r"early EOF|the remote end hung up|RPC failed|returned error: (?:429|5\d\d)"
_GONE = r"[Rr]epository .*not found|does not appear to be a git repository|not found|"
_GONE += r"does not exist|Could not read from remote repository|returned error: 404"
_LOG_IN = (
    "Try `git ls-remote {shown}` in a terminal. Set up a credential helper or ssh-agent, or put a "
    "variable into 'url': https://user:${{TOKEN}}@host/owner/name.git."
)
_CAUSES = (
    (
        r"dubious ownership",
        "the repository belongs to another user, so git does not read it",
        "If you trust it, run: git config --global --add safe.directory {folder}",
    ),
    (_ASKS, "the host denied access (no login, or a wrong one)", _LOG_IN),
    (_NO_HOST, "the host cannot be found", "Check 'url' and the network, and sync again."),
    (r"certificate", "the host's certificate is not trusted", "Trust it in git: http.sslCAInfo."),
    (
        r"transport '[^']*' not allowed",
        "the address uses a protocol that is not allowed",
        "Allowed are " + ", ".join(PROTOCOLS) + "; look for url.….insteadOf in your git settings.",
    ),
    (
        r"is corrupt|inflate: |unable to unpack|object corrupt or missing",
        "an object of the repository is damaged",
        "Run `git fsck` in it, and restore the object from another clone.",
    ),
    (_NO_ANSWER, "the host did not answer, or closed the connection", "Sync again later."),
    (
        _GONE,
        "there is no such repository, or you may not see it",
        "Check 'url' in a browser or with `git ls-remote {shown}`.",
    ),
)


class GitFailed(Exception):
    """Git ended with an error; the text is git's."""


class GitStopped(Exception):
    """Git was stopped because its fetch grew too large."""


@dataclass(frozen=True, slots=True)
class Git:
    """Git on one bare repository."""

    folder: Path
    address: Address
    where: str

    def output(
        self,
        *arguments: str,
        given: bytes = b"",
        cancel: threading.Event | None = None,
        alive: Callable[[], int] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> bytes:
        """Return the output of a command; *given* is its standard input.

        Raises
        ------
        GitFailed, GitStopped
            It ended with an error, or *stop* returned true.
        SourceError, JobStopped
            Git is missing or was silent for too long, or *cancel* was set.
        """
        limits = Limits(cancel=cancel, silence=SILENCE_SECONDS, alive=alive, stop=stop)
        return b"".join(self._blocks(arguments, given, limits))

    def stream(self, *arguments: str, cancel: threading.Event | None = None) -> Iterator[bytes]:
        """Yield the output of a command as it arrives; see :meth:`output`."""
        return self._blocks(arguments, b"", Limits(cancel=cancel, silence=SILENCE_SECONDS))

    def _blocks(self, arguments: tuple[str, ...], given: bytes, limits: Limits) -> Iterator[bytes]:
        command = self.command(*arguments)
        if limits.cancel is not None and limits.cancel.is_set():
            raise JobStopped(f"Reading {self.where} was stopped.")
        try:
            with running(
                command, limits=limits, given=given, environment=self.environment()
            ) as program:
                yield from program.blocks()
        except FileNotFoundError as error:
            raise self._missing() from error
        self._check(program)

    def _check(self, program: Running) -> None:
        if program.ended == "cancel":
            raise JobStopped(f"Reading {self.where} was stopped.")
        if program.ended == "stop":
            raise GitStopped
        if program.ended:
            raise SourceError(
                self.where,
                f"git was silent for {SILENCE_SECONDS:.0f} seconds and was stopped.",
                hint="Sync again later; fetched data are kept.",
            )
        if program.code:
            raise GitFailed(self.address.hide(program.errors))

    def command(self, *arguments: str) -> list[str | Path]:
        """Return the command line of a git command."""
        git = shutil.which("git")
        if git is None:
            raise self._missing()
        settings = [
            word
            # The cache may belong to another user, such as root.
            for setting in (*_SETTINGS, f"safe.directory={self.folder.as_posix()}")
            for word in ("-c", setting)
        ]
        return [git, "--no-pager", *settings, "--git-dir", self.folder, *arguments]

    def _missing(self) -> SourceError:
        return SourceError(
            self.where,
            "git is not installed, or not on the search path.",
            hint="Install git (https://git-scm.com/downloads) and sync again.",
        )

    def environment(self) -> dict[str, str]:
        """Return the user's environment without variables that prompt or redirect git."""
        base = {k: v for k, v in os.environ.items() if not _NOT_INHERITED.fullmatch(k)}
        settings = {"remote.origin.url": self.address.url}
        if self.address.folder is not None:
            # A local repository supports blob filters only with this server option.
            settings["remote.origin.uploadpack"] = _LOCAL_SERVER
        given = base.get("GIT_CONFIG_COUNT", "")
        first = int(given) if given.isdigit() else 0
        for number, (name, value) in enumerate(settings.items(), first):
            base[f"GIT_CONFIG_KEY_{number}"], base[f"GIT_CONFIG_VALUE_{number}"] = (name, value)
        ssh = base.get("GIT_SSH_COMMAND") or _own_ssh() or base.get("GIT_SSH") or "ssh"
        options = "-o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=15"
        if os.path.basename(ssh.split()[0]).startswith("ssh"):  # noqa: PTH119 - may be a command
            base["GIT_SSH_COMMAND"] = f"{ssh} {options}"
        return base | {
            "GIT_CONFIG_COUNT": str(first + len(settings)),
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_ALLOW_PROTOCOL": ":".join(PROTOCOLS),
            "GIT_PROTOCOL_FROM_USER": "0",
            "GIT_LITERAL_PATHSPECS": "1",
            "GCM_INTERACTIVE": "never",
            "LC_ALL": "C",
            "LANGUAGE": "C",
        }

    def error(self, failed: GitFailed, /) -> SourceError:
        """Return the error for the owner of the source."""
        text = str(failed)
        lines = [line for line in text.splitlines() if line.startswith(("fatal:", "error:", "ERR"))]
        last = (lines or text.splitlines() or ["no reason given"])[-1]
        words = {"folder": self.address.folder or "", "shown": self.address.shown}
        for pattern, cause, hint in _CAUSES:
            reason = next((line for line in text.splitlines() if re.search(pattern, line)), None)
            if reason is not None:
                message = f"{self.address.shown}: {cause}: {_sentence(reason)}"
                return SourceError(self.where, message, hint=hint.format(**words))
        return SourceError(
            self.where,
            f"git could not read {self.address.shown}: {_sentence(last)}",
            hint=f"Try `git ls-remote {self.address.shown}` in a terminal.",
        )


def _sentence(line: str) -> str:
    return line.strip()[:_SHOWN].rstrip(".") + "."


def _own_ssh() -> str:
    """Return the ssh command that the user configured for git."""
    try:
        result = subprocess.run(
            ["git", "config", "--get", "core.sshCommand"],  # noqa: S607 - the user's own git
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return ""
    return result.stdout.strip()
