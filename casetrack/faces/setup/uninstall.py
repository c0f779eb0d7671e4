"""Removing CaseTrack from the AI programs and from this computer. Data is never touched."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from casetrack.base import editions
from casetrack.base.editions import edition
from casetrack.base.errors import NoSkill, NoSuchScope, SetupError
from casetrack.base.records.shape import Record
from casetrack.faces.setup.clients import CLIENTS, NAME, project_file, user_files
from casetrack.faces.setup.desktop import remove
from casetrack.faces.setup.installation import shown
from casetrack.faces.setup.installers import run_installer
from casetrack.faces.setup.register import withdraw
from casetrack.faces.setup.skill import forget, lesson_file

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.faces.setup.clients import Client, Machine, Scope
    from casetrack.faces.setup.installation import Installation
    from casetrack.faces.setup.register import Change


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """Changes of the clients' files.

    Attributes
    ----------
    removed
        Files from which the entry was removed.
    problems
        Files that could not be changed, as errors.
    desktop
        Removed files of the desktop's menu.
    """

    removed: tuple[Change, ...]
    problems: tuple[SetupError, ...]
    desktop: tuple[Path, ...] = ()


def withdraw_everywhere(machine: Machine, folder: Path, /, *, dry_run: bool = False) -> Withdrawal:
    """Remove CaseTrack, with the servers of all editions, from the files of every client.

    *folder* is a project whose files are included; other projects are unknown. *dry_run* only
    returns the changes.
    """
    removed: list[Change] = []
    problems: list[SetupError] = []
    servers = dict.fromkeys((NAME, *(edition(name).server for name in editions.names())))
    for (client, path), server in product(_places(machine, folder), servers):
        try:
            change = withdraw(client.of(server), path, dry_run=dry_run)
        except SetupError as error:
            problems += [] if str(error) in map(str, problems) else [error]
        else:
            removed += [change] if change.action == "removed" else []
    _forget_everywhere(machine, folder, dry_run)
    desktop: tuple[Path, ...] = ()
    try:
        desktop = remove(machine, dry_run=dry_run).files
    except SetupError as error:
        problems.append(error)
    return Withdrawal(tuple(removed), tuple(problems), desktop)


def _forget_everywhere(machine: Machine, folder: Path, dry_run: bool) -> None:
    """Remove the instructions of all programs, for this user and in the project."""
    scopes: tuple[Scope, ...] = ("user", "project")
    for client, scope in product(CLIENTS.values(), scopes):
        with contextlib.suppress(NoSkill):  # it was taught nothing
            forget(client, lesson_file(client, scope, machine, folder), dry_run=dry_run)


def _places(machine: Machine, folder: Path) -> list[tuple[Client, Path]]:
    places: list[tuple[Client, Path]] = []
    for client in CLIENTS.values():
        files = list(user_files(client, machine))
        with contextlib.suppress(NoSuchScope):  # a program without projects
            files.append(project_file(client, folder))
        places += [(client, path) for path in dict.fromkeys(files) if path.exists()]
    return places


@dataclass(frozen=True, slots=True)
class Farewell(Record):
    """How to remove the program.

    Attributes
    ----------
    command
        The command that removes it; ``None`` if its folder must be deleted.
    by_hand
        Why the user must run it; ``None`` if CaseTrack can run it.
    place
        The folder of the program.
    """

    command: str | None
    by_hand: str | None
    place: str


def farewell(installation: Installation, /) -> Farewell:
    """Return how the program itself is removed."""
    command = installation.uninstall_command
    return Farewell(
        None if command is None else shown(command), installation.by_hand, installation.place
    )


def remove_program(installation: Installation, /) -> bool:
    """Remove the program if that is safe, and return whether it was removed.

    Raises
    ------
    InstallerFailed
        The package manager failed.
    """
    command = installation.uninstall_command
    if command is None or installation.by_hand is not None:
        return False
    run_installer(command)
    return True
