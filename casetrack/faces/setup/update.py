"""Updates or downgrades the program with its installer.

The package manager asks the index, so that its settings (another index, a proxy) apply. Its
download is unpacked next to the program, checked against the maker's signature, and only then
replaces the program. No document and no collection is touched.
"""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import casetrack
from casetrack.base.errors import Opt, UpdateFailed, UpdateImpossible, UpdateUntrusted, UsageError
from casetrack.base.records.shape import Record
from casetrack.faces.setup.installation import Installation, shown
from casetrack.faces.setup.installers import install_missing, newest_version, unpack
from casetrack.faces.setup.signature import PACKAGED, NotSigned, PublicKey, public_keys
from casetrack.faces.setup.switching import NEW, STAGE, checked, switch, tidied
from casetrack.version import __version__

_VERSION = re.compile(r"\d+(\.\d+){1,3}((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?")
_WHY = {
    "editable": "It runs from a checkout ({place}). Update it there, for instance with git pull.",
    "source": "It runs from a checkout ({place}). Update it there, for instance with git pull.",
    "temporary": "It runs in a temporary environment: uvx casetrack@latest, or pipx run --no-cache "
    "casetrack, uses the newest version.",
    "other": "It was installed from {place}. Install the newer version from there in the same way.",
}


@dataclass(frozen=True, slots=True)
class UpdateState(Record):
    """The installed and the available version.

    Attributes
    ----------
    newest
        The newer or requested version; ``None`` if that is installed.
    command
        The command that updates it.
    by_hand
        Why the user must run it; ``None`` if CaseTrack can run it.
    """

    current: str
    newest: str | None
    command: str
    by_hand: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Folders of the program: of the package (*site*) and of its scripts."""

    site: Path
    scripts: Path

    @classmethod
    def here(cls) -> Place:
        """Return the folders of the running program."""
        site = Path(casetrack.__file__).resolve().parents[1]
        return cls(site, Path(sysconfig.get_path("scripts")))


def signers(further: Path | None = None, /) -> tuple[PublicKey, ...]:
    """Return the trusted keys: the maker's, and those of a file that the user names.

    Raises
    ------
    UsageError
        The file cannot be read, or contains no public key.
    """
    keys = public_keys(PACKAGED.read_text("utf-8"))
    if further is None:
        return keys
    try:
        more = public_keys(further.expanduser().read_text("utf-8"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"{further} is not a file of public keys: {reason}.",
            hint="The file needs one key of minisign per line: RW and 54 more characters.",
        ) from error
    return keys + more


def check(
    installation: Installation, /, *, to: str | None = None, current: str = __version__
) -> UpdateState:
    """Return whether there is another version, and how to install it, without any change.

    *to* is the requested version, newer or older (default: newest); *current* is the running one.

    Raises
    ------
    UsageError
        *to* is not a version.
    UpdateImpossible
        No package manager can replace this copy.
    UpdateUnknown
        The package index cannot be reached.
    InstallerFailed
        The package manager cannot be run.
    """
    if to is not None and _VERSION.fullmatch(to) is None:
        raise UsageError(f"{to!r} is not a version.", hint=f"Write it as in {Opt(to='0.1.0')}.")
    command = installation.update_command(to)
    if command is None:
        raise UpdateImpossible(
            "This copy of CaseTrack cannot update itself.",
            hint=_WHY[installation.kind].format(place=installation.place),
        )
    if to is not None:
        other = None if to == current else to
    else:
        other = newest_version(installation, current)
    return UpdateState(current, other, shown(command), installation.by_hand)


def update(
    installation: Installation,
    version: str,
    keys: tuple[PublicKey, ...],
    say: Callable[[str], None],
    /,
    *,
    place: Place | None = None,
) -> None:
    """Replace the running program with *version*, if a trusted key signed it.

    After any failure or kill, the program is installed in its old or new version. *say* gets the
    steps as text; *place* is found by default.

    Raises
    ------
    UpdateImpossible
        The user must run the command.
    UpdateUntrusted
        The release of the index is not the signed one.
    UpdateFailed
        Another update is running, or the folder cannot be written.
    InstallerFailed
        The package manager failed.
    """
    import filelock

    command = installation.update_command(version)
    if command is None or installation.by_hand is not None:
        raise UpdateImpossible(
            "This copy of CaseTrack cannot be updated from inside: "
            f"{installation.by_hand or 'it has no installer'}.",
            hint="" if command is None else f"Run this yourself: {shown(command)}",
        )
    where = place or Place.here()
    lock = filelock.FileLock(where.site / f"{STAGE}.lock", fallback_to_soft=False)
    try:
        with lock.acquire(timeout=0):
            tidied(where.site, where.scripts)
            _exchanged(installation, version, keys, say, where)
    except filelock.Timeout:
        raise UpdateFailed(
            "Another update of CaseTrack is running.", hint="Wait for its end."
        ) from None
    except OSError as error:
        raise UpdateFailed(
            f"CaseTrack {version} cannot be installed in {where.site}: {error.strerror or error}. "
            "The running version is unchanged.",
            hint=f"Run this yourself: {shown(command)}",
        ) from error


def _exchanged(
    installation: Installation,
    version: str,
    keys: tuple[PublicKey, ...],
    say: Callable[[str], None],
    where: Place,
) -> None:
    folder = where.site / STAGE / NEW
    say(f"Fetching CaseTrack {version} ...")
    try:
        folder.mkdir(parents=True)
        unpack(installation, version, folder)
        try:
            new = checked(folder, version, keys)
        except NotSigned as error:
            raise UpdateUntrusted(version, str(error)) from None
        say("Its signature is valid.")
        added = install_missing(installation, new.requires)
        if added:
            say(f"Installed its requirements: {', '.join(added)}")
        switch(new, where.site, where.scripts, "uv" if installation.by_uv else "pip")
    finally:
        tidied(where.site, where.scripts)
