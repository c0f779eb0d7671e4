"""The files of a config: which ones count, what TOML makes of them, variables of the environment.

The user's file lies beneath, the project's goes over it, table by table. A project is found from
the folders above as well, as far as they belong to the same person: whoever may write a config
decides what a script source runs.
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
"""Where a project keeps its config; the first that is there counts."""
_VARIABLE = re.compile(r"\$(?P<escaped>\$\{)|\$\{(?P<name>[^}]*)(?P<closed>\}?)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLACE = re.compile(r" \(at line (?P<line>\d+), column \d+\)$")


def user_file() -> Path:
    """Return where a user's own config lies: ``config.toml`` in the user's folder ``ctx``."""
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
    """Return the file that ``--config`` or ``CTX_CONFIG`` names, absolute; it need not exist."""
    chosen = given or os.environ.get(ENV_CONFIG)
    return resolve_path(chosen) if chosen else None


def project_file(folder: Path, /) -> Path | None:
    """Return the config of the project that *folder* is in, if it has one."""
    for place in _own_folders(folder):
        for name in PROJECT_FILES:
            if (place / name).is_file():
                return place / name
    return None


def base_of(path: Path, /) -> Path:
    """Return the folder that relative paths of a config start from: its project's."""
    folder = path.parent
    return folder.parent if folder.name in {p.parent.name for p in PROJECT_FILES} else folder


def _own_folders(folder: Path) -> Iterator[Path]:
    """Yield a folder, then those above it while they belong to whoever runs this."""
    yield folder
    for above in folder.parents:
        if hasattr(os, "getuid") and above.stat().st_uid != os.getuid():
            return
        yield above


def read_toml(path: Path, /) -> dict[str, Any]:
    """Read one file.

    Raises
    ------
    ConfigError
        It is not there, cannot be read, or is no TOML; the line is named.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        return tomllib.loads(text)
    except FileNotFoundError as error:
        hint = f"Write one with: ctx --config {shlex.quote(str(path))} init"
        raise ConfigError("There is no such config", hint, path) from error
    except UnicodeDecodeError as error:
        raise ConfigError("The config is no text in UTF-8", "Save it as UTF-8.", path) from error
    except OSError as error:
        raise ConfigError(
            f"The config cannot be read: {error.strerror}", "Check its permissions.", path
        ) from error
    except tomllib.TOMLDecodeError as error:
        # What stands in the line is not repeated: it may hold a secret.
        said = str(error)
        place = _PLACE.search(said)
        raise ConfigError(
            f"The config is no TOML: {said.partition(' (at ')[0]}",
            f"Correct that line; {See('ctx init', print=True)} shows a whole config that works.",
            path,
            line=int(place["line"]) if place else len(text.splitlines()) or 1,
        ) from error


def merge(under: Mapping[str, Any], over: Mapping[str, Any], /) -> dict[str, Any]:
    """Return both, table by table; elsewhere *over* counts."""
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

    ``$${NAME}`` stands for ``${NAME}`` itself.

    Parameters
    ----------
    value
        What TOML makes of a value or a table.
    where
        Its key, for errors: ``connectors.script.jira``.

    Raises
    ------
    UsageError
        A variable is not set, or what stands in the braces is no name.
    """
    if isinstance(value, str):
        return _VARIABLE.sub(lambda found: _value_of(found, where), value)
    if isinstance(value, dict):
        return {key: expand(v, f"{where}.{key}") for key, v in value.items()}
    if isinstance(value, list):
        return [expand(v, where) for v in value]
    return value


def _value_of(found: re.Match[str], where: str) -> str:
    if found["escaped"]:
        return "${"
    name = found["name"]
    if not found["closed"] or not _NAME.fullmatch(name):
        raise UsageError(
            f"{where} has ${{ without the name of a variable and a closing brace.",
            hint="Write ${NAME} for a variable of the environment, or $${ for the signs ${.",
        )
    if name not in os.environ:
        raise UsageError(
            f"{where} needs the environment variable {name}, which is not set.",
            hint=f"Set it where ctx is started (export {name}=…), or change {where}.",
        )
    return os.environ[name]
