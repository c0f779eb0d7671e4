"""What declares an operation of the edition; with it comes the text of its answer."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import casetrack.editions.legal.text  # noqa: F401 - functions by the classes of records
from casetrack.api.operation import ADDS, READS, Arg, DayRef, DocumentRef
from casetrack.api.operation import edition_operation as operation

Documents = Iterable[DocumentRef]
Names = Iterable[str]
if TYPE_CHECKING:
    PathRef = str | Path
else:
    PathRef = Path

__all__ = ["ADDS", "READS", "Arg", "DayRef", "DocumentRef", "Documents", "Names", "PathRef"]
__all__ += ["operation"]
