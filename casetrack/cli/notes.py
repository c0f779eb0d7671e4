"""What was repaired on its own, told on standard error as ``Note: ...``."""

import logging

from casetrack.cli.output import line

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
