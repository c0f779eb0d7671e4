"""The config that ``ctx init`` writes: every section and every key, each with what it means."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from casetrack.editions.context.keys import SECTIONS
from casetrack.keep.sources import KINDS

if TYPE_CHECKING:
    from casetrack.keep.sources import Kind

_WIDTH = 100
_HEAD = """\
# Sources of this project, for ctx. Relative paths start from the project's folder; ${NAME} is a
# variable of the environment. Keys behind a # show their defaults, or an example.
"""


def config_text() -> str:
    """Return a whole config that works: the folder itself as a source, all else as comments."""
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
        lines += _commented('# api_token = "${API_TOKEN}"', "Keys of your own go to the program.")
    return "\n".join([*lines, ""])


def _commented(line: str, comment: str) -> list[str]:
    """Return a line with its comment, beside it where both fit."""
    beside = f"{line:<40}  # {comment}"
    if len(beside) <= _WIDTH:
        return [beside]
    import textwrap

    return [*(f"# {part}" for part in textwrap.wrap(comment, _WIDTH - 2)), line]


def _written(value: object) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value)
