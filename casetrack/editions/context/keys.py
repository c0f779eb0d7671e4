"""The sections of settings of a config: each with its keys, defaults and meanings, declared once.

Checking a config, writing one (``ctx init``) and the page of the docs are made of this, and of
:data:`casetrack.keep.sources.KINDS` for the sources.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.keep.sources.kinds import Kind, kinds_in

if TYPE_CHECKING:
    from collections.abc import Mapping

SECTIONS: Mapping[str, Kind] = kinds_in(Path(__file__).with_name("keys.toml"))
"""The sections of settings, in the order in which they are told."""
WITHOUT_EFFECT: Mapping[str, str] = {
    "vector_index": "vectors are compared with all others, exactly",
    "tools": "tools in Lua are not run",
    "models": "no language model is run",
    "registries": "nothing is installed; a source of your own is a script",
}
"""Sections of ctx that mean nothing here, and why: they may stand in a file, and are named."""
