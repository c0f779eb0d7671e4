"""Tells what goes wrong in the dialogue, which goes on."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from casetrack.base.errors import CaseTrackError
from casetrack.faces.cli.output import line

if TYPE_CHECKING:
    from collections.abc import Callable


class AlreadyTold(Exception):
    """Something went wrong, and the user was told what."""


def told(work: Callable[[], None], /) -> bool:
    """Do some work and tell on standard error what goes wrong; return whether all went well.

    Raises
    ------
    BrokenPipeError
        Nobody reads what is written.
    """
    try:
        work()
    except CaseTrackError as error:
        line(("Error: ", "bold red"), error.message, err=True)
        if error.hint:
            line(error.hint, err=True, indent=2)
    except KeyboardInterrupt:
        line("Cancelled.", err=True)
    except AlreadyTold:
        return False
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - told, and what was done before is not lost
        if os.environ.get("CASETRACK_DEBUG") == "1":
            import traceback

            traceback.print_exception(error)
        what = f"{type(error).__name__}: {error}".strip()
        line(("Unexpected error: ", "bold red"), what, err=True)
    else:
        return True
    return False
