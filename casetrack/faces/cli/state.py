"""State of one invocation of a program: its data folder and output format."""

from __future__ import annotations

import logging
import os
import shlex
from typing import TYPE_CHECKING

from casetrack.base.dataclass import dataclass, field, replace
from casetrack.base.errors import UsageError
from casetrack.base.machine import load_light
from casetrack.base.registry import registered
from casetrack.faces.cli.output import line

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.api.library import Library
    from casetrack.base.config import Settings
    from casetrack.base.license import Tier
    from casetrack.base.records import CollectionInfo

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130


@dataclass(slots=True)
class Invocation:
    """State of all commands of one invocation of any program.

    Attributes
    ----------
    interrupt_reported
        Whether a command has already reported that Ctrl-C stopped it.
    stopped_by
        The cause of the stop; other programs may cancel the job.
    """

    interrupt_reported: bool = field(default=False, kw_only=True)
    stopped_by: str = field(default="Ctrl-C", kw_only=True)

    @property
    def library(self) -> Library:
        """The library in the chosen data folder, opened on first use."""
        raise NotImplementedError


@dataclass(slots=True)
class State(Invocation):
    """State of all commands of one invocation of ``casetrack``.

    Attributes
    ----------
    data_dir
        ``--data-dir FOLDER`` as typed; ``None`` uses ``CASETRACK_HOME`` or the default.
    license_key
        ``--license`` as typed.
    tier
        A tier that overrides the license; set before the library is opened.
    """

    data_dir: str | None = None
    license_key: str | None = field(default=None, repr=False)
    tier: Tier | None = None
    _library: Library | None = None

    @property
    def settings(self) -> Settings:
        """The settings of the chosen data folder."""
        return self.library.settings

    @property
    def library(self) -> Library:
        """The library in the chosen data folder, opened on first use."""
        if self._library is None:
            load_light()
            from casetrack.api.library import Library
            from casetrack.base.config import load_settings

            settings = load_settings(self.data_dir)
            if self.license_key is not None:
                settings = replace(settings, license_option=self.license_key)
            self._library = Library(settings, tier=self.tier)
        return self._library

    def collection(self, name: str | None, /) -> Collection:
        """Return the collection of ``-c``, the case in use, or the only collection.

        For the last rule, archived collections count only if there are no others.
        """
        if name is not None:
            return self.library.get(name)
        used = self._used()
        if used is not None:
            return self.library.get(used.id)
        everything = self.library.collections(status="all")
        infos = [info for info in everything if info.status != "archived"] or everything
        if len(infos) == 1:
            return self.library.get(infos[0].id)
        if not infos:
            raise UsageError(
                f"There is no collection yet in {self.settings.data_dir}.",
                hint="Create one and add files: casetrack ingest PATH --create -c NAME",
            )
        names = "\n".join(f"  - {info.name} (ID: {info.id})" for info in infos)
        raise UsageError(
            f"There are {len(infos)} collections; name one:\n{names}",
            hint=f"For instance: -c {shlex.quote(infos[0].name)}",
        )

    def _used(self) -> CollectionInfo | None:
        chosen = (choose(self.library) for choose in registered("chosen").values())
        return next((info for info in chosen if info is not None), None)

    def collection_to_fill(self, name: str | None, /) -> Collection:
        """Return the collection for the user's files; see :meth:`collection`."""
        from casetrack.faces.demo import COLLECTION

        collection = self.collection(name)
        if name is None and collection.name == COLLECTION:
            raise UsageError(
                f'No collection is named, and the only one is "{COLLECTION}", the sample case '
                "file.",
                hint=f"For a new collection: --create -c NAME. For the sample: -c {COLLECTION}.",
            )
        return collection


# Notes on standard error: repairs, and services that receive texts.

_logger = logging.getLogger("casetrack.repairs")


class _Notes(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        line(("Note: ", "yellow"), record.getMessage(), err=True)


class _Brief(logging.Formatter):
    """Formats records for a terminal: a reason, and its traceback only under CASETRACK_DEBUG=1."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        error = record.exc_info[1] if record.exc_info else None
        if error is None or os.environ.get("CASETRACK_DEBUG") == "1":
            return super().format(record)
        return f"{record.getMessage()}: {type(error).__name__}: {error}".replace("\n", " ")


_handler = _Notes(logging.WARNING)


def show_repairs() -> None:
    """Show repairs as notes, until :func:`hide_repairs`, and other log records as lines."""
    _logger.addHandler(_handler)
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(_Brief())


def hide_repairs() -> None:
    """Do not show repairs: a server logs them with all other records."""
    _logger.removeHandler(_handler)


def show_notice(state: State, profile: str, /) -> None:
    """Write the notice about the service that receives the texts of a profile."""
    notice = state.library.profile_notice(profile)
    if notice:
        line((notice, "yellow"), err=True)
