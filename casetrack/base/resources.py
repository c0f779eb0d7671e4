"""Locations of ``schemas``, ``pipelines`` and ``data-samples``.

In a checkout they are top-level folders, in a wheel folders of ``casetrack/_resources``.
"""

from __future__ import annotations

from pathlib import Path

from casetrack.base.errors import CaseTrackError

SCHEMA_VERSION = 1
"""The version of ``schemas`` that this program writes; every released one stays readable."""

_PACKAGE = Path(__file__).parents[1]


def resource_dir(name: str, /) -> Path:
    """Return the folder *name* of the installed package or of the checkout.

    Raises ``CaseTrackError``: the folder is missing: the installation is incomplete.
    """
    for base in (_PACKAGE / "_resources", _PACKAGE.parent):
        folder = base / name
        if folder.is_dir():
            return folder
    raise CaseTrackError(
        f"This installation of CaseTrack is incomplete: the folder {name!r} is missing.",
        hint="Install it again with `pip install --force-reinstall casetrack`.",
    )
