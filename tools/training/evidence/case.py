"""A search of which it is known whether its answer is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


@dataclass
class Case:
    """One search: what it was, and per mode the features and whether each result answers."""

    data: str
    kind: str
    size: int
    question: str
    features: dict[str, dict[str, np.ndarray]]
    answers: dict[str, np.ndarray]
