"""What people should know beside the answer, on standard error: repairs, and where texts go."""

import logging

from casetrack.faces.cli.output import line
from casetrack.faces.cli.state import State

_logger = logging.getLogger("casetrack.repairs")


class _Notes(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        line(("Note: ", "yellow"), record.getMessage(), err=True)


_handler = _Notes(logging.WARNING)


def show_repairs() -> None:
    """Tell from now on what is repaired."""
    _logger.addHandler(_handler)


def hide_repairs() -> None:
    """Leave it to others: a server logs it with all the rest."""
    _logger.removeHandler(_handler)


def show_notice(state: State, profile: str, /) -> None:
    """Say on standard error where the texts of a collection with this profile would go."""
    notice = state.library.profile_notice(profile)
    if notice:
        line((notice, "yellow"), err=True)
