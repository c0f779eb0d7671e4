"""The sections of settings of a config, with keys, defaults and meanings.

They are the only source for checking a config, ``ctx init`` and the page of the docs; sources have
:data:`casetrack.keep.sources.KINDS`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.keep.sources.kinds import Kind, kinds_in

if TYPE_CHECKING:
    from collections.abc import Mapping

SECTIONS: Mapping[str, Kind] = kinds_in(Path(__file__).with_name("keys.toml"))
"""The sections of settings, in the order of the documentation."""
WITHOUT_EFFECT: Mapping[str, str] = {
    "vector_index": "all vectors are compared exactly",
    "tools": "tools in Lua are not supported",
    "models": "no language model is used",
    "registries": "nothing is installed; use a script as a custom source",
}
"""Sections of ctx that are accepted but have no effect, with the reason."""
