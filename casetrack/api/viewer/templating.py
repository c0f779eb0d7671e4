"""Templates of pages, filled by Jinja, which is loaded for the first one."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


TEMPLATES = Path(__file__).parent / "templates"


def rendered(template: str, folder: Path = TEMPLATES, /, **values: object) -> str:
    """Return a template of *folder* filled with *values*; every text among them is escaped."""
    return _environment(folder).get_template(template).render(values)


@functools.cache
def _environment(folder: Path) -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from jinja2.filters import do_mark_safe

    from casetrack.api.viewer.graph_figure import counted
    from casetrack.api.viewer.markup import address, esc, span
    from casetrack.api.viewer.symbols import shortened, sign

    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Jinja itself would leave control characters and lone surrogates in the page.
        finalize=lambda value: do_mark_safe(esc(value)) if type(value) is str else value,
    )
    environment.filters |= {
        "address": lambda url: do_mark_safe(address(url)),
        "counted": counted,
        "shortened": shortened,
        "sign": lambda kind: do_mark_safe(sign(kind)),
        "span": lambda text: do_mark_safe(span(text)),
        "truncated": lambda text, limit: text[:limit],
    }
    return environment
