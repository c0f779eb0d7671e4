"""The SQL statement with the content of a page, for further queries."""

from __future__ import annotations

import functools
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request


@functools.cache
def statements() -> Mapping[str, str]:
    """Return the statements by the names of their pages."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def statement_of(request: Request, /) -> str:
    """Return the SQL statement for the content of a page; empty if there is none."""
    made = statements().get(getattr(request.scope.get("route"), "name", ""), "")
    known = {"q": request.query_params.get("q", "").strip(), **request.path_params}
    if "{q}" in made and not known["q"]:
        return ""
    return re.sub(r"\{(\w+)\}", lambda part: _text(known[part[1]]), made)


def _text(value: object) -> str:
    return "'" + str(value).replace("'", "''") + "'"
