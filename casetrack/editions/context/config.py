"""The checked content of all files of a config as one object."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.base.arguments import suggest
from casetrack.base.errors import ConfigError, See, SourceError, UsageError
from casetrack.editions.context.files import (
    PROJECT_FILES,
    base_of,
    expand,
    merge,
    named_file,
    project_file,
    read_toml,
    user_file,
)
from casetrack.keep.sources import KINDS
from casetrack.keep.sources.kinds import Kind, check_name, kind_of, kinds_in, read_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

# The sections of settings of a config, with keys, defaults and meanings.

SECTIONS: Mapping[str, Kind] = kinds_in(Path(__file__).with_name("keys.toml"))
"""The sections of settings, in the order of the documentation."""
WITHOUT_EFFECT: Mapping[str, str] = {
    "vector_index": "all vectors are compared exactly",
    "tools": "tools in Lua are not supported",
    "models": "no language model is used",
    "registries": "nothing is installed; use a script as a custom source",
}
"""Sections of ctx that are accepted but have no effect, with the reason."""


CONNECTORS, AGENTS = "connectors", "agents"
_LAST_PORT = 65_535
_DATABASES = frozenset({".sqlite", ".sqlite3", ".db"})


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """A source of the config."""

    kind: str
    name: str
    written: Mapping[str, Any] = field(repr=False)  # Its keys before variables are replaced

    @property
    def label(self) -> str:
        """The name that users write: ``git:platform``."""
        return f"{self.kind}:{self.name}"

    def settings(self) -> Mapping[str, Any]:
        """Return its keys, with variables replaced by their values."""
        try:
            filled: Mapping[str, Any] = expand(
                self.written, f"{CONNECTORS}.{self.kind}.{self.name}"
            )
        except UsageError as error:
            raise SourceError(self.label, error.message, hint=error.hint) from error
        return filled


@dataclass(frozen=True, slots=True)
class ContextConfig:
    """The merged content of the files of a config."""

    files: tuple[Path, ...]  # The files, highest priority first
    base: Path  # Absolute folder for relative paths
    # Values of :data:`~casetrack.editions.context.config.SECTIONS`, by section and key.
    sections: Mapping[str, Mapping[str, Any]]
    sources: tuple[SourceEntry, ...]  # In the order of the files, sorted by kind
    agents: Mapping[str, Any]  # The section ``agents`` before variables are replaced
    notes: tuple[str, ...]  # Sentences about sections that have no effect

    @property
    def data_dir(self) -> Path:
        """The data folder: ``[db] path`` without the suffix of a database."""
        path = Path(self.sections["db"]["path"])
        return path.with_suffix("") if path.suffix in _DATABASES else path

    @property
    def chunking(self) -> Mapping[str, Any]:
        """The section ``chunking``."""
        return self.sections["chunking"]

    @property
    def embedding(self) -> Mapping[str, Any]:
        """The section ``embedding``."""
        return self.sections["embedding"]

    @property
    def retrieval(self) -> Mapping[str, Any]:
        """The section ``retrieval``."""
        return self.sections["retrieval"]

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of all sources."""
        return tuple(source.label for source in self.sources)

    @property
    def address(self) -> tuple[str, int]:
        """Host and port of the server."""
        host, _, port = str(self.sections["server"]["bind"]).rpartition(":")
        if not host or not port.isdecimal() or int(port) > _LAST_PORT:
            raise ConfigError(
                f"[server] bind is not HOST:PORT: {self.sections['server']['bind']!r}",
                'Write it as bind = "127.0.0.1:7331".',
                *self.files,
            )
        return host, int(port)

    def select(self, wanted: str, /) -> tuple[SourceEntry, ...]:
        """Return the sources that match a name: ``all``, ``git`` or ``git:platform``."""
        if not self.sources:
            raise UsageError(
                f"The config has no sources: {self.files[0]}.",
                hint='Add a source, such as [connectors.filesystem.docs] with root = "./docs"; '
                f"{See('ctx init', print=True)} shows all kinds.",
            )
        chosen = tuple(s for s in self.sources if wanted in {"all", s.kind, s.label})
        if not chosen:
            known = ["all", *dict.fromkeys(s.kind for s in self.sources)]
            known += [s.label for s in self.sources]
            raise UsageError(
                f"There is no source {wanted!r}{suggest(wanted, known)}.",
                hint=f"Known sources: {', '.join(known)}.",
            )
        return chosen


def load_config(given: str | Path | None = None, /, *, folder: Path | None = None) -> ContextConfig:
    """Read the config; keys of the project's file replace those of the user's file.

    Parameters
    ----------
    given
        The project's file; default: ``CTX_CONFIG``, then ``.ctx/config.toml`` or
        ``config/ctx.toml`` in *folder* (default: the working directory) or above it.
    """
    start = folder or Path.cwd()
    project, user = named_file(given) or project_file(start), user_file()
    files = [path for path in (project, user if user.is_file() else None) if path is not None]
    if not files:
        looked = " or ".join(str(p) for p in PROJECT_FILES)
        raise UsageError(
            f"No config found: neither {looked} in {start} or above it, nor {user}.",
            hint="Create a config with: ctx init",
        )
    raw: dict[str, Any] = {}
    for path in reversed(files):
        tables = read_toml(path)
        _check_sections(tables, path)
        raw = merge(raw, tables)
    base = base_of(project) if project is not None else start
    with _with_files(files):
        sections = {name: _section(name, raw.get(name, {}), base) for name in SECTIONS}
        sources = tuple(_sources(raw.get(CONNECTORS, {}), base))
    return ContextConfig(
        tuple(files),
        base,
        sections,
        sources,
        raw.get(AGENTS, {}),
        tuple(
            f"[{name}] has no effect: {why}." for name, why in WITHOUT_EFFECT.items() if name in raw
        ),
    )


def _check_sections(tables: Mapping[str, Any], path: Path) -> None:
    known = [*SECTIONS, CONNECTORS, AGENTS, *WITHOUT_EFFECT]
    for name, value in tables.items():
        if name not in known:
            raise ConfigError(
                f"Unknown section {name!r}{suggest(name, known)}",
                f"Known sections: {', '.join(known)}.",
                path,
            )
        if not isinstance(value, dict):
            raise ConfigError(f"{name!r} is not a table", f"Write it as [{name}].", path)


def _section(name: str, written: Mapping[str, Any], base: Path) -> Mapping[str, Any]:
    where = f"[{name}]"
    values, _ = read_settings(SECTIONS[name], expand(written, name), where=where, base=base)
    for key in SECTIONS[name].keys:
        value = values[key.name]
        if key.only and value not in key.only:
            raise UsageError(
                f"{where}: invalid value {value!r} of {key.name!r}{suggest(str(value), key.only)}.",
                hint=f"Use {' or '.join(key.only)}.",
            )
    return values


def _sources(written: Mapping[str, Any], base: Path) -> Iterator[SourceEntry]:
    for kind_name, named in written.items():
        kind = kind_of(kind_name)
        for name, keys in _tables(named, f"{CONNECTORS}.{kind_name}"):
            check_name(name, kind=kind_name)
            entry = SourceEntry(kind_name, name, keys)
            read_settings(kind, keys, where=entry.label, base=base)
            yield entry


def _tables(value: Any, where: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the named tables of *where*."""
    if not isinstance(value, dict):
        raise UsageError(f"{where} is not a table.", hint=f"Write it as [{where}.NAME].")
    for name, table in value.items():
        if not isinstance(table, dict):
            raise UsageError(
                f"{where}.{name} is not a table.", hint=f"Give the source a name: [{where}.NAME]."
            )
        yield name, table


@contextlib.contextmanager
def _with_files(files: Iterable[Path]) -> Iterator[None]:
    """Add the files to errors about their merged content."""
    try:
        yield
    except ConfigError:
        raise
    except UsageError as error:
        raise ConfigError(error.message.removesuffix("."), error.hint, *files) from error


# The config that ``ctx init`` writes, with every section and key and their meaning.

_WIDTH = 100
_HEAD = """\
# Sources of this project, for ctx. Relative paths start at the folder of the project. ${NAME} is a
# variable of the environment. Keys after a # show their default or an example.
"""


def config_text() -> str:
    """Return a valid config with the folder as its source; other keys are comments."""
    parts = [_HEAD]
    parts += [_table(name, kind, used=True) for name, kind in SECTIONS.items()]
    for kind in KINDS.values():
        name = f"connectors.{kind.name}.{kind.called}"
        parts.append(_table(name, kind, used=kind.name == "filesystem"))
    return "\n".join(parts)


def _table(name: str, kind: Kind, *, used: bool) -> str:
    lines = [f"# {kind.summary}", f"{'' if used else '# '}[{name}]"]
    for key in kind.keys:
        values = (key.chosen, key.default, key.example)
        value = next((each for each in values if each is not None), None)
        mark = "" if used and key.chosen is not None else "# "
        lines += _commented(f"{mark}{key.name} = {_written(value)}", key.help)
    if kind.free_keys:
        lines += _commented(
            '# api_token = "${API_TOKEN}"', "Further keys are passed to the program."
        )
    return "\n".join([*lines, ""])


def _commented(line: str, comment: str) -> list[str]:
    """Return a line with its comment, on one line if both fit."""
    combined = f"{line:<40}  # {comment}"
    if len(combined) <= _WIDTH:
        return [combined]
    import textwrap

    return [*(f"# {part}" for part in textwrap.wrap(comment, _WIDTH - 2)), line]


def _written(value: object) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value)
