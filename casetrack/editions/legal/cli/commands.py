"""The commands of the legal edition, by groups of ``casetrack --help``."""

import tomllib
from pathlib import Path

from casetrack.faces.cli.layout import entries_in

_TABLES = tomllib.loads(Path(__file__).with_name("commands.toml").read_text("utf-8"))
GROUP = ("A lawyer's case file", entries_in(_TABLES))
"""The group of these commands in ``casetrack --help``."""
