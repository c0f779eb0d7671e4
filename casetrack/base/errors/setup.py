"""Errors of setting up AI programs, and of updating and removing CaseTrack."""

from __future__ import annotations

from pathlib import Path

from casetrack.base.errors.base import CaseTrackError, UsageError
from casetrack.base.errors.references import Opt, See

_BY_HAND = "To add CaseTrack manually, see: casetrack setup {client} --print"


class SetupError(CaseTrackError):
    """An AI program's file cannot be changed; it is as it was."""

    code = "setup"


class ClientFileInvalid(SetupError):
    """A client's configuration file is not valid.

    Parameters
    ----------
    client
        The client's name on the command line.
    reason
        The problem, without a full stop.
    line, column
        1-based; 0 if unknown.
    """

    def __init__(
        self, path: Path | str, client: str, reason: str, line: int = 0, column: int = 0
    ) -> None:
        self.line = line
        self.column = column
        place = f", line {line}, column {column}" if line else ""
        super().__init__(
            f"Cannot read {path}{place}: {reason}. Nothing was changed.",
            hint="Correct the file there and run the command again. "
            + _BY_HAND.format(client=client),
        )


class ClientFileShape(SetupError):
    """A client's file can be read, but the place for servers has another type."""

    def __init__(self, path: Path | str, client: str, where: str, actual: str, wanted: str) -> None:
        super().__init__(
            f"In {path}, {where} must be {wanted}, but it is {actual}. Nothing was changed.",
            hint="Correct the file and run the command again. " + _BY_HAND.format(client=client),
        )


class ClientFileLocked(SetupError):
    """A client's file, or its folder, cannot be written."""

    def __init__(self, path: Path | str, client: str, reason: str) -> None:
        super().__init__(
            f"Cannot write {path}: {reason}. Nothing was changed.",
            hint="Change its permissions and run the command again. "
            + _BY_HAND.format(client=client),
        )


class ClientFileBusy(SetupError):
    """Another program changed the file repeatedly during the update."""

    def __init__(self, path: Path | str, client: str) -> None:
        super().__init__(
            f"Another program keeps changing {path}. CaseTrack did not change it.",
            hint=f"Close that program and run {See('setup', client)} again.",
        )


class DesktopUnwritable(SetupError):
    """A file of the desktop menu cannot be written or removed."""

    def __init__(self, path: Path | str, error: OSError) -> None:
        super().__init__(
            f"Cannot change {path}: {error.strerror or error}.",
            hint=f"Change its permissions and run {See('setup', 'desktop')} again. Or open the "
            f"window with {See('browse', app=True)}.",
        )


class NoSuchScope(UsageError):
    """A client has no such file."""

    def __init__(self, title: str, client: str, scope: str) -> None:
        super().__init__(
            f"{title} has no settings per {scope}.",
            hint=f"Leave out {Opt(scope='SCOPE')}: {See('setup', client)}.",
        )


class NoSkill(UsageError):
    """A client reads no instructions that can be written for it."""

    def __init__(self, title: str, client: str) -> None:
        super().__init__(
            f"{title} does not support instruction files; the server itself provides instructions "
            "for searching and citing.",
            hint=f"Leave out {Opt('skill')}: {See('setup', client)}.",
        )


class UpdateImpossible(CaseTrackError):
    """No package manager can replace this copy of CaseTrack."""


class UpdateUnknown(CaseTrackError):
    """The newest version could not be determined."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"Cannot check for a newer version: {reason}. Nothing was changed.",
            hint="Check the connection to the internet, or to your package index, and run "
            f"{See('update', check=True)} again.",
        )


class UpdateUntrusted(CaseTrackError):
    """The package index delivered a package without a valid signature of CaseTrack."""

    def __init__(self, version: str, reason: str) -> None:
        super().__init__(
            f"CaseTrack {version} from the package index was not installed: {reason}. "
            "Nothing was changed.",
            hint="Check which index your package manager uses. For a private index with custom "
            "builds, pass the file of its public key with "
            f"{See('update', signed_by='FILE')}.",
        )


class UpdateFailed(CaseTrackError):
    """The new version could not take the place of the one that runs, which is as it was."""


class InstallerFailed(CaseTrackError):
    """The package manager that was asked to replace or remove CaseTrack did not succeed."""

    def __init__(self, command: str, exit_code: int, output: str) -> None:
        lines = [row.strip() for row in output.splitlines() if row.strip()]
        detail = f" Last output: {lines[-1]}" if lines else ""
        super().__init__(
            f"The command failed with exit code {exit_code}: {command}.{detail}",
            hint="Run it in a terminal to see its full output. Your data was not changed.",
        )
