"""What one invocation of ``ctx`` knows: the config, and what it describes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.faces.cli.state import Invocation

if TYPE_CHECKING:
    from casetrack.api.library import Library
    from casetrack.editions.context.home import ContextHome


@dataclass(slots=True)
class ContextState(Invocation):
    """Shared by all commands of one invocation of ``ctx``.

    Attributes
    ----------
    config_file
        ``--config`` as typed; ``None`` leaves it to the environment and to the folder.
    """

    config_file: str | None = None
    _home: ContextHome | None = None

    @property
    def home(self) -> ContextHome:
        """What the config describes, read when first asked for."""
        if self._home is None:
            from casetrack.editions.context.home import ContextHome

            self._home = ContextHome.open(self.config_file)
        return self._home

    @property
    def library(self) -> Library:
        """The data folder that the config names."""
        return self.home.library
