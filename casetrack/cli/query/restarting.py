"""Begins the dialogue anew, in the place of a process that a statement keeps busy."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from casetrack.cli.output import line
from casetrack.config import ENV_HOME
from casetrack.license.entitlements import ENV_LICENSE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

    from casetrack.cli.query.running import How
    from casetrack.cli.query.source import Source


def restart(source: Source, given: Mapping[str, str], how: How, /) -> NoReturn:
    """Begin the dialogue anew with the collections, values and format it had.

    The new program takes the place of this process, and with it the terminal. Windows cannot do
    that; there the program ends.

    Parameters
    ----------
    source
        What was asked.
    given
        Values of parameters as typed, by name.
    how
        How rows were written.
    """
    if os.name == "nt":
        os._exit(1)
    line("The statement could only be ended with its process; the dialogue begins anew.", err=True)
    sys.stderr.flush()
    program = sys.orig_argv[: len(sys.orig_argv) - len(sys.argv[1:])]
    words = ["query"]
    for collection in source.collections:
        words += ["-c", collection.info.id]
    for name, value in given.items():
        words += ["-p", f"{name}={value}"]
    if how.wanted is not None:
        words += ["--format", how.wanted]
    if how.limit is not None:
        words += ["--limit", str(how.limit)]
    words += ["--show-sql"] * how.show_sql + ["--explain"] * how.explain
    os.environ[ENV_HOME] = str(source.data_dir)
    license_key = source.collections[0].settings.license_option
    if license_key is not None:
        os.environ[ENV_LICENSE] = license_key
    os.execv(sys.executable, [*program, *words])  # noqa: S606 - this very program, no shell
