"""Bringing the program up to date, through whatever installed it."""

from __future__ import annotations

from dataclasses import dataclass

from casetrack import __version__
from casetrack.errors import UpdateImpossible
from casetrack.records.shape import Record
from casetrack.setup.installation import Installation, shown
from casetrack.setup.installers import newest_version, run_installer

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
        The newer one; ``None`` where the installed one is the newest.
    command
        What updates it, as one types it here.
    by_hand
        Why that must be typed; ``None`` where CaseTrack can run it itself.
    """

    current: str
    newest: str | None
    command: str
    by_hand: str | None = None


def check(installation: Installation, /, *, current: str = __version__) -> UpdateState:
    """Return whether there is a newer version, and how to get it. Nothing is changed.

    Raises
    ------
    UpdateImpossible
        This copy is not one that a package manager can replace.
    UpdateUnknown
        The package index cannot be asked.
    InstallerFailed
        The package manager cannot be run.
    """
    command = installation.update_command
    if command is None:
        raise UpdateImpossible(
            "This copy of CaseTrack cannot be updated by itself.",
            hint=_WHY[installation.kind].format(place=installation.place),
        )
    newest = newest_version(installation, current)
    return UpdateState(current, newest, shown(command), installation.by_hand)


def update(installation: Installation, /) -> None:
    """Install the newest version.

    Raises
    ------
    InstallerFailed
        The package manager did not succeed; its own rules say what is installed then.
    UpdateImpossible
        As :func:`check`, or the command must be run by hand.
    """
    command = installation.update_command
    if command is None or installation.by_hand is not None:
        raise UpdateImpossible(
            "This copy of CaseTrack cannot be updated from inside: "
            f"{installation.by_hand or 'nothing installed it'}.",
            hint="" if command is None else f"Run this yourself: {shown(command)}",
        )
    run_installer(command)
