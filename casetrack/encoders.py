"""The models of a data folder, loaded when first used and shared by search and ingestion."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from casetrack.errors import ModelNotFound

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.models.encoder import Encoder


class Encoders:
    """Loads each model once per process.

    Parameters
    ----------
    models_dir
        Folder of model files.
    sessions
        Encoder sessions side by side; ``None`` means by the number of cores.
    """

    def __init__(self, models_dir: Path, /, *, sessions: int | None = None) -> None:
        self.models_dir = models_dir
        self._sessions = sessions
        self._lock = threading.Lock()
        self._loaded: dict[str, Encoder] = {}

    def get(self, name: str, /) -> Encoder:
        """Return the model.

        Raises
        ------
        ModelNotFound, ModelCorrupt
            It is not installed, or its files are damaged.
        """
        from casetrack.models.encoder import Encoder

        with self._lock:
            if name not in self._loaded:
                self._loaded[name] = Encoder.load(self.models_dir, name, sessions=self._sessions)
            return self._loaded[name]

    def get_installed(self, name: str, /) -> Encoder | None:
        """Return the model, or ``None`` where it is not installed."""
        try:
            return self.get(name)
        except ModelNotFound:
            return None

    @property
    def loaded(self) -> tuple[str, ...]:
        """Names of the models that are in memory."""
        return tuple(sorted(self._loaded))
