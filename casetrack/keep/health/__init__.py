"""``casetrack doctor``: checks that stored data are intact, citable, indexed and readable."""

from casetrack.keep.health.collection import (
    Examined,
    Examiner,
    check_collection,
    damaged_collection,
)
from casetrack.keep.health.doctor import repair_data_dir, repair_folder
from casetrack.keep.health.machine import (
    check_data_dir,
    check_models,
    check_notebooks,
    check_ocr,
    check_private,
    check_remains,
    make_private,
)
from casetrack.keep.health.rows import page_problems, row_problems
