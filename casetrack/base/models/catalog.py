"""The known models; ``catalog.toml`` describes them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from casetrack.base.errors import UsageError
from casetrack.base.models.spec import ModelFile, ModelSpec, Recipe, WheelOrigin


def _read_specs() -> dict[str, ModelSpec]:
    tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {name: _spec(name, **table) for name, table in tables.items()}


def _spec(name: str, **table: Any) -> ModelSpec:
    table["files"] = tuple(ModelFile(**file) for file in table["files"])
    if "wheel" in table:
        table["wheel"] = WheelOrigin(**table["wheel"])
    return ModelSpec(name, recipe=Recipe(**table.pop("recipe", {})), **table)


_SPECS = _read_specs()
RAPID = _SPECS.pop("rapidocr")
"""The small networks of PP-OCRv6; nothing else of the wheel is used."""
EASY = _SPECS.pop("easyocr")
"""EasyOCR's detector and its recogniser for English; nothing else of the wheel is used."""
MODELS = tuple(_SPECS.values())


def find_model(name: str, /) -> ModelSpec:
    """Return the model *name*.

    Raises ``UsageError``: the model is unknown; the text lists the known ones.
    """
    for spec in MODELS:
        if spec.name == name:
            return spec
    known = ", ".join(sorted(spec.name for spec in MODELS))
    raise UsageError(f"Unknown model {name!r}; known: {known}.", hint="Choose one of the known.")
