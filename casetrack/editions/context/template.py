"""The config that ``ctx init`` writes, with every section and key and their meaning."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from casetrack.editions.context.keys import SECTIONS
from casetrack.keep.sources import KINDS

if TYPE_CHECKING:
    from casetrack.keep.sources import Kind

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
