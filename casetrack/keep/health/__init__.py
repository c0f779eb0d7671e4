"""``casetrack doctor``: is everything stored whole, cited, in step with its index, and readable."""

from casetrack.keep.health.collection import (
    Examined,
    Examiner,
    check_collection,
    damaged_collection,
)
from casetrack.keep.health.machine import (
    check_data_dir,
    check_models,
    check_notebooks,
    check_ocr,
    check_private,
    check_remains,
    make_private,
)
from casetrack.keep.health.repair import mend_data_dir, mend_folder
from casetrack.keep.health.rows import page_problems, row_problems

__all__ = [
    "Examined",
    "Examiner",
    "check_collection",
    "check_data_dir",
    "check_models",
    "check_notebooks",
    "check_ocr",
    "check_private",
    "check_remains",
    "damaged_collection",
    "make_private",
    "mend_data_dir",
    "mend_folder",
    "page_problems",
    "row_problems",
]
