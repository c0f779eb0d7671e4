"""The files of a config: location, TOML, merging, and variables of the environment.

The project's file replaces keys of the user's file, table by table. Folders above are searched only
while they belong to the same user, because a config decides which scripts run.
"""

from __future__ import annotations

import os
import re
import shlex
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.base.config import resolve_path
from casetrack.base.errors import ConfigError, See, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ENV_CONFIG = "CTX_CONFIG"
PROJECT_FILES = (Path(".ctx", "config.toml"), Path("config", "ctx.toml"))
"""Paths of a project's config; the first existing file is used."""
_VARIABLE = re.compile(r"\$(?P<escaped>\$\{)|\$\{(?P<name>[^}]*)(?P<closed>\}?)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLACE = re.compile(r" \(at line (?P<line>\d+), column \d+\)$")


def user_file() -> Path:
    """Return the path of the user's config: ``config.toml`` in the user's folder ``ctx``."""
    own, shared = os.environ.get("CTX_CONFIG_DIR"), os.environ.get("XDG_CONFIG_HOME")
    if own:
        folder = resolve_path(own)
    elif shared:
        folder = resolve_path(shared) / "ctx"
    elif os.name == "nt":
        import platformdirs

        folder = platformdirs.user_config_path("ctx", appauthor=False, roaming=True)
    else:
        folder = resolve_path("~/.config/ctx")
    return folder / "config.toml"


def named_file(given: str | Path | None, /) -> Path | None:
    """Return the absolute path in ``--config`` or ``CTX_CONFIG``; the file need not exist."""
    chosen = given or os.environ.get(ENV_CONFIG)
    return resolve_path(chosen) if chosen else None


def project_file(folder: Path, /) -> Path | None:
    """Return the config of the project that contains *folder*, if any."""
    for place in _own_folders(folder):
        for name in PROJECT_FILES:
            if (place / name).is_file():
                return place / name
    return None


def base_of(path: Path, /) -> Path:
    """Return the base of relative paths of a config: the folder of its project."""
    folder = path.parent
    return folder.parent if folder.name in {p.parent.name for p in PROJECT_FILES} else folder


def _own_folders(folder: Path) -> Iterator[Path]:
    """Yield a folder, then its parents while they belong to the current user."""
    yield folder
    for above in folder.parents:
        if hasattr(os, "getuid") and above.stat().st_uid != os.getuid():
            return
        yield above


def read_toml(path: Path, /) -> dict[str, Any]:
    """Read one file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        return tomllib.loads(text)
    except FileNotFoundError as error:
        hint = f"Create it with: ctx --config {shlex.quote(str(path))} init"
        raise ConfigError("The config does not exist", hint, path) from error
    except UnicodeDecodeError as error:
        raise ConfigError("The config is not UTF-8 text", "Save it as UTF-8.", path) from error
    except OSError as error:
        raise ConfigError(
            f"The config cannot be read: {error.strerror}", "Check its permissions.", path
        ) from error
    except tomllib.TOMLDecodeError as error:
        # The message does not repeat the line: it may contain a secret.
        message = str(error)
        place = _PLACE.search(message)
        raise ConfigError(
            f"The config is not valid TOML: {message.partition(' (at ')[0]}",
            f"Correct this line; {See('ctx init', print=True)} shows a complete, valid config.",
            path,
            line=int(place["line"]) if place else len(text.splitlines()) or 1,
        ) from error


def merge(under: Mapping[str, Any], over: Mapping[str, Any], /) -> dict[str, Any]:
    """Merge two configs, table by table; other values come from *over*."""
    merged = dict(under)
    for key, value in over.items():
        before = merged.get(key)
        if isinstance(before, dict) and isinstance(value, dict):
            merged[key] = merge(before, value)
        else:
            merged[key] = value
    return merged


def expand(value: Any, where: str, /) -> Any:
    """Return *value* with each ``${NAME}`` in its texts replaced from the environment.

    ``$${NAME}`` is an escaped ``${NAME}``. *where* is the key that errors name, such as
    ``connectors.script.jira``.
    """
    if isinstance(value, str):
        return _VARIABLE.sub(lambda match: _value_of(match, where), value)
    if isinstance(value, dict):
        return {key: expand(v, f"{where}.{key}") for key, v in value.items()}
    if isinstance(value, list):
        return [expand(v, where) for v in value]
    return value


def _value_of(match: re.Match[str], where: str) -> str:
    if match["escaped"]:
        return "${"
    name = match["name"]
    if not match["closed"] or not _NAME.fullmatch(name):
        raise UsageError(
            f"{where} contains ${{ without a valid name of a variable and a closing brace.",
            hint="Write ${NAME} for a variable of the environment, or $${ for a literal ${.",
        )
    if name not in os.environ:
        raise UsageError(
            f"{where} needs the environment variable {name}, which is not set.",
            hint=f"Set it before you start ctx (export {name}=…), or change {where}.",
        )
    return os.environ[name]
