"""Bringing the program up to date, or back, through whatever installed it.

The package manager is asked, so that its settings (another index, a proxy) count. What it gives is
unpacked beside the program, held against its maker's signature, and takes the program's place only
then. No document and no collection is touched.
"""

from __future__ import annotations

import re
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import casetrack
from casetrack.base.errors import Opt, UpdateFailed, UpdateImpossible, UpdateUntrusted, UsageError
from casetrack.base.records.shape import Record
from casetrack.faces.setup.installation import Installation, shown
from casetrack.faces.setup.installers import install_missing, newest_version, unpack
from casetrack.faces.setup.signature import PACKAGED, NotSigned, public_keys
from casetrack.faces.setup.switching import NEW, STAGE, checked, switch, tidied
from casetrack.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.faces.setup.signature import PublicKey

_VERSION = re.compile(r"\d+(\.\d+){1,3}((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?")
_WHY = {
    "editable": "It runs from a checkout ({place}). Update it there, for instance with git pull.",
    "source": "It runs from a checkout ({place}). Update it there, for instance with git pull.",
    "temporary": "It runs in an environment that is made anew: uvx casetrack@latest, or pipx run "
    "--no-cache casetrack, take the newest version.",
    "other": "It was installed from {place}. Install the newer version from there in the same way.",
}


@dataclass(frozen=True, slots=True)
class UpdateState(Record):
    """What is installed, and what there is.

    Attributes
    ----------
    current
        The installed version.
    newest
        The newer one, or the one that was asked for; ``None`` where that is installed.
    command
        What updates it, as one types it here.
    by_hand
        Why that must be typed; ``None`` where CaseTrack can run it itself.
    """

    current: str
    newest: str | None
    command: str
    by_hand: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where the program lies.

    Attributes
    ----------
    site
        The folder that holds the package.
    scripts
        The folder of its scripts.
    """

    site: Path
    scripts: Path

    @classmethod
    def here(cls) -> Place:
        """Return the place of the program that runs."""
        site = Path(casetrack.__file__).resolve().parents[1]
        return cls(site, Path(sysconfig.get_path("scripts")))


def signers(further: Path | None = None, /) -> tuple[PublicKey, ...]:
    """Return whose signature counts: the maker's, and that of a file which the user names.

    Raises
    ------
    UsageError
        The file cannot be read, or holds no public key.
    """
    keys = public_keys(PACKAGED.read_text("utf-8"))
    if further is None:
        return keys
    try:
        more = public_keys(further.expanduser().read_text("utf-8"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"{further} cannot be taken for a file of public keys: {reason}.",
            hint="It has one key a line, as minisign writes them: RW and 54 more characters.",
        ) from error
    return keys + more


def check(
    installation: Installation, /, *, to: str | None = None, current: str = __version__
) -> UpdateState:
    """Return whether there is another version, and how to get it. Nothing is changed.

    Parameters
    ----------
    to
        The version that is wanted, newer or older; by default the newest.
    current
        The version that runs.

    Raises
    ------
    UsageError
        *to* is no version.
    UpdateImpossible
        This copy is not one that a package manager can replace.
    UpdateUnknown
        The package index cannot be asked.
    InstallerFailed
        The package manager cannot be run.
    """
    if to is not None and _VERSION.fullmatch(to) is None:
        raise UsageError(f"{to!r} is no version.", hint=f"Write it as in {Opt(to='0.1.0')}.")
    command = installation.update_command(to)
    if command is None:
        raise UpdateImpossible(
            "This copy of CaseTrack cannot be updated by itself.",
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
    """Install *version* in the place of what runs, if its maker signed it.

    Whatever goes wrong, and whenever it is killed, the program is there: the old version or the
    new one.

    Parameters
    ----------
    keys
        Whose signature counts.
    say
        Called with what is being done.
    place
        Where the program lies; found by itself.

    Raises
    ------
    UpdateImpossible
        The command must be run by hand.
    UpdateUntrusted
        The index gave something else than what was signed.
    UpdateFailed
        Another update goes on, or the folder cannot be written.
    InstallerFailed
        The package manager did not succeed.
    """
    import filelock

    command = installation.update_command(version)
    if command is None or installation.by_hand is not None:
        raise UpdateImpossible(
            "This copy of CaseTrack cannot be updated from inside: "
            f"{installation.by_hand or 'nothing installed it'}.",
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
            "Another update of CaseTrack goes on.", hint="Wait until it has ended."
        ) from None
    except OSError as error:
        raise UpdateFailed(
            f"CaseTrack {version} cannot take its place in {where.site}: "
            f"{error.strerror or error}. The version that runs is as it was.",
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
        say("Its signature is right.")
        added = install_missing(installation, new.requires)
        if added:
            say(f"Installed what it needs: {', '.join(added)}")
        switch(new, where.site, where.scripts, "uv" if installation.by_uv else "pip")
    finally:
        tidied(where.site, where.scripts)
