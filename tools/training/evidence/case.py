"""A search with known truth about whether its answer exists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


@dataclass
class Case:
    """One search and, per mode, its features and whether each result answers it."""

    data: str
    kind: str
    size: int
    question: str
    features: dict[str, dict[str, np.ndarray]]
    answers: dict[str, np.ndarray]
