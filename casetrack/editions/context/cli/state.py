"""State of one run of ``ctx``: the config and its collection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.faces.cli.state import Invocation

if TYPE_CHECKING:
    from casetrack.api.library import Library
    from casetrack.editions.context.home import ContextHome


@dataclass(slots=True)
class ContextState(Invocation):
    """State shared by all commands of one run of ``ctx``."""

    config_file: str | None = None  # ``--config`` as typed; ``None``: the environment or the folder
    _home: ContextHome | None = None

    @property
    def home(self) -> ContextHome:
        """The data folder and the sources of the config, read on first use."""
        if self._home is None:
            from casetrack.editions.context.home import ContextHome

            self._home = ContextHome.open(self.config_file)
        return self._home

    @property
    def library(self) -> Library:
        """The data folder of the config."""
        return self.home.library
