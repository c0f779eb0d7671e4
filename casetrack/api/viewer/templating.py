"""Templates of pages, filled by Jinja, which is loaded at first use."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


TEMPLATES = Path(__file__).parent / "templates"


def rendered(template: str, folder: Path = TEMPLATES, /, **values: object) -> str:
    """Fill a template of *folder* with *values* and escape every text among them.

    The template can import those of this package.
    """
    return _environment(folder).get_template(template).render(values)


@functools.cache
def _environment(folder: Path) -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from jinja2.filters import do_mark_safe

    from casetrack.api.viewer.markup import address, esc, span
    from casetrack.api.viewer.symbols import (
        KIND_WORDS,
        capital,
        corners,
        counted,
        joined,
        sentence,
        shortened,
    )

    environment = Environment(
        loader=FileSystemLoader([folder, TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        extensions=["jinja2.ext.do"],
        lstrip_blocks=True,
        # Jinja itself would leave control characters and lone surrogates in the page.
        finalize=lambda value: do_mark_safe(esc(value)) if type(value) is str else value,
    )
    environment.globals |= {"corners": corners, "kind_words": KIND_WORDS}
    environment.filters |= {
        "address": lambda url: do_mark_safe(address(url)),
        "capital": capital,
        "counted": counted,
        "joined": joined,
        "px": "{:.1f}".format,
        "sentence": sentence,
        "shortened": shortened,
        "span": lambda text: do_mark_safe(span(text)),
        "truncated": lambda text, limit: text[:limit],
    }
    environment.filters["sign"] = vars(environment.get_template("signs.html").module)["sign"]
    return environment
