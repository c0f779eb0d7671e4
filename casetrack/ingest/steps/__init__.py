"""Steps of a pipeline: pure functions from Arrow batches to Arrow batches, one per file."""

from typing import TYPE_CHECKING

from casetrack.ingest.steps.base import Contract, Step, parameter

if TYPE_CHECKING:
    from casetrack.ingest.steps.base import Batches as Batches

__all__ = ["Contract", "Step", "parameter"]
