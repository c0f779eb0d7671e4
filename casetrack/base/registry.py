"""Extension points: higher layers and editions register objects in ``registry.toml``."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import tomllib
from pathlib import Path
from typing import Any


@functools.cache
def registered(point: str, /) -> dict[str, Any]:
    """Return the objects registered at a point, by name, without those of absent packages."""
    table = tomllib.loads(Path(__file__).with_name("registry.toml").read_text(encoding="utf-8"))
    targets = {name: target.split(":") for name, target in table[point].items()}
    return {
        name: getattr(importlib.import_module(module), attribute)
        for name, (module, attribute) in targets.items()
        if _is_installed(module)
    }


def _is_installed(module: str) -> bool:
    """Return whether the package or edition of a module is installed."""
    parts = module.split(".")
    depth = 3 if parts[1] in {"editions", "faces"} else 2
    return importlib.util.find_spec(".".join(parts[:depth])) is not None
