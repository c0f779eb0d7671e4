"""All operations on a collection."""

from collections.abc import Mapping

import casetrack.api.library
import casetrack.api.watch.watches  # noqa: F401 - they and their parts declare them
from casetrack.api.operation import OPERATIONS, Operation


def operations() -> Mapping[str, Operation]:
    """Return all operations by the names of their commands."""
    return OPERATIONS
