"""Typed errors: what happened, where, and the next step.

Fields are stored, the text is built once in ``__init__``. ``code`` is a stable name for JSON
output, ``hint`` the next step. Common texts follow PRD 09 §2, "Common Error Patterns".
"""

from casetrack.base.errors.base import *
from casetrack.base.errors.base import CaseTrackError
from casetrack.base.errors.collections import *
from casetrack.base.errors.files import *
from casetrack.base.errors.references import *
from casetrack.base.errors.setup import *
from casetrack.base.errors.storage import *
from casetrack.base.errors.work import *


def __dir__() -> list[str]:
    """Return the names of the errors, for completion."""
    kinds = (each for each in globals().values() if isinstance(each, type))
    return sorted(kind.__name__ for kind in kinds if issubclass(kind, CaseTrackError))
