"""Steps of a pipeline: pure functions from Arrow batches to Arrow batches, one file each.

What a package needs for a step of its own is here.
"""

from typing import TYPE_CHECKING

from casetrack.ingest.steps.base import Contract, Step, parameter

if TYPE_CHECKING:
    from casetrack.ingest.steps.base import Batches as Batches

__all__ = ["Contract", "Step", "parameter"]
