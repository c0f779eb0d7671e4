"""Addresses of repositories: which are allowed, how they are shown, where their web pages are."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args
from urllib.parse import quote, unquote, urlsplit
from urllib.request import url2pathname

from casetrack.base.errors import UsageError

Host = Literal["github", "gitlab", "bitbucket", "gitea", "azure", "sourcehut"]
HOSTS: tuple[Host, ...] = get_args(Host)
PROTOCOLS = ("https", "ssh", "file", "git")
"""What git may speak; ``ext::`` would run any program."""

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
    """Where a repository is.

    Attributes
    ----------
    url
        What git is given; may hold a password.
    shown
        The same for people, without user and password.
    secrets
        What must not be shown of it.
    folder
        The repository, where it lies on this machine.
    web
        Where a person sees the repository, without a slash at the end, where that can be told.
    host
        The style of its pages.
    """

    url: str
    shown: str
    secrets: tuple[str, ...] = ()
    folder: Path | None = None
    web: str | None = None
    host: Host | None = None

    def page(self, commit: str, path: str, /) -> str | None:
        """Return where a person sees a file as a commit has it."""
        if self.web is None or self.host is None:
            return None
        return _PAGES[self.host].format(base=self.web, commit=commit, path=quote(path))

    def seen_at(self, origin: str | None, /) -> Address:
        """Return the address with the web pages of the repository that it was cloned from."""
        if self.web is not None or origin is None:
            return self
        try:
            there = parse(origin, base=Path(), where="", host=self.host)
        except UsageError:
            return self
        return replace(self, web=there.web, host=there.host)

    def hide(self, text: str, /) -> str:
        """Return a text without what must not be shown."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text


def parse(url: str, /, *, base: Path, where: str, host: str | None = None) -> Address:
    """Return an address that git may be given.

    Parameters
    ----------
    url
        As a user writes it.
    base
        Folder that paths are relative to.
    where
        The source, for errors.
    host
        One of :data:`HOSTS`, where the address does not tell it.

    Raises
    ------
    UsageError
        It is none, or would have git do something else than fetch.
    """
    if host is not None and host not in HOSTS:
        raise UsageError(
            f"'host' of {where} is {host!r}, which is not known.",
            hint=f"Use one of: {', '.join(HOSTS)}; or leave it out.",
        )
    style = next((h for h in HOSTS if h == host), None)
    url = url.strip()
    scheme = _SCHEME.match(url)
    if scheme is not None:
        return _with_scheme(url, scheme[1].lower(), where=where, host=style)
    if url.startswith("-") or _HELPER.match(url):
        raise _refused(where, "It would be an option or a command for git, not an address.")
    short = _SHORT.fullmatch(url)
    drive = os.name == "nt" and re.match(r"[A-Za-z]:[\\/]", url)
    if short is None or drive or url.startswith((".", "/", "~")):
        folder = base / Path(url).expanduser()
        return Address(folder.absolute().as_uri(), str(folder), folder=folder, host=style)
    name = short["host"]
    if name.startswith("-") or (short["user"] or "").startswith("-") or _UNFIT.search(url):
        raise _refused(where, "It has characters that no address has.")
    web, found = _web(name, short["path"])
    return Address(url, f"{name}:{short['path']}", web=web, host=style or found)


def _with_scheme(url: str, scheme: str, *, where: str, host: Host | None) -> Address:
    if scheme not in PROTOCOLS:
        known = ", ".join(PROTOCOLS)
        raise _refused(where, f"Git may speak {known} here, not {scheme}.")
    if _UNFIT.search(url):
        raise _refused(where, "It has characters that no address has.")
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
        raise _refused(where, "It names no host.")
    place = parts.netloc.rpartition("@")[2]
    # A token may stand in the place of the user; that of ssh is no secret.
    hidden = [password, parts.query, user if scheme != "ssh" and not password else ""]
    secrets = tuple(
        dict.fromkeys(form for part in hidden if part for form in (part, unquote(part)))
    )
    visible = name if scheme != "https" or port is None else f"{name}:{port}"
    web, found = _web(visible, parts.path)
    shown = f"{parts.scheme}://{place}{parts.path}"
    return Address(url, shown, secrets, web=web, host=host or found)


def _web(host: str, path: str) -> tuple[str, Host | None]:
    """Return where a repository is seen, and in which style."""
    host = _ALIASES.get(host.lower(), host.lower())
    path = unquote(path).strip("/").removesuffix(".git")
    style = style_of(host)
    if style == "azure" and (parts := path.split("/"))[0] == "v3" and len(parts) == 4:
        path = f"{parts[1]}/{parts[2]}/_git/{parts[3]}"
    return f"https://{host}/{quote(path, safe='/~')}", style


def style_of(host: str, /) -> Host | None:
    """Return the style of a host's pages, as far as its name tells it."""
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
    """Refuse what cannot be the name of a branch or tag.

    Raises
    ------
    UsageError
        It cannot.
    """
    if not _BRANCH.fullmatch(branch):
        raise UsageError(
            f"'branch' of {where} cannot be the name of a branch: {branch!r}.",
            hint="Write its name alone, such as main or release/2.4.",
        )


def _refused(where: str, reason: str) -> UsageError:
    return UsageError(
        f"'url' of {where} cannot be used. {reason}",
        hint="Write https://host/owner/name.git, git@host:owner/name.git, or a folder.",
    )
