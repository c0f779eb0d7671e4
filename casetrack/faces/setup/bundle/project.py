"""The bundle's ``pyproject.toml``: the checkout's, without what only its developers need.

uv resolves all extras of a project before it installs any part of it. Without those for tests,
notebooks and measurements the first start is quicker, and fewer libraries can stand in its way.
"""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

PYTHON = "3.11"
"""The Python that the environment is made with: the one on which all libraries have wheels."""

_KEPT = (
    "name",
    "dynamic",
    "description",
    "readme",
    "requires-python",
    "license",
    "license-files",
    "dependencies",
    "scripts",
)


def slimmed(text: str, /) -> str:
    """Return the ``pyproject.toml`` *text* with what is needed to install and run the program."""
    whole = tomllib.loads(text)
    project = {key: whole["project"][key] for key in _KEPT if key in whole["project"]}
    scripts = project.pop("scripts", {})
    hatch = whole["tool"]["hatch"]
    wheel = dict(hatch["build"]["targets"]["wheel"])
    included = wheel.pop("force-include", {})
    tables: dict[str, Mapping[str, Any]] = {
        "build-system": whole["build-system"],
        "project": project,
        "project.scripts": scripts,
        "tool.hatch.version": hatch["version"],
        "tool.hatch.build.targets.wheel": wheel,
        "tool.hatch.build.targets.wheel.force-include": included,
    }
    return "\n".join(_table(name, values) for name, values in tables.items() if values)


def shipped_parts(text: str, /) -> tuple[str, ...]:
    """Return the folders and files that a wheel built from this ``pyproject.toml`` would hold."""
    wheel = _wheel(text)
    return (*wheel["packages"], *wheel.get("force-include", {}))


def left_out(text: str, /) -> frozenset[str]:
    """Return the files of those parts that are not shipped."""
    return frozenset(_wheel(text).get("exclude", ()))


def _wheel(text: str) -> dict[str, Any]:
    wheel: dict[str, Any] = tomllib.loads(text)["tool"]["hatch"]["build"]["targets"]["wheel"]
    return wheel


def shipped_files(text: str, /) -> tuple[str, ...]:
    """Return the single files that the ``pyproject.toml`` *text* names: README and licences."""
    project = tomllib.loads(text)["project"]
    return (project["readme"], *project.get("license-files", []))


def _table(name: str, values: Mapping[str, Any]) -> str:
    rows = [f"[{name}]"]
    rows += [f"{json.dumps(key)} = {_written(value)}" for key, value in values.items()]
    return "\n".join(rows) + "\n"


def _written(value: Any) -> str:
    """Return text or a list of texts as TOML, whose basic strings are those of JSON."""
    if isinstance(value, list):
        return "[" + "".join(f"\n  {json.dumps(item)}," for item in value) + "\n]"
    return json.dumps(value)
