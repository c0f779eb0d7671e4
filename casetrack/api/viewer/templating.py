"""Templates of pages, filled by Jinja, which is loaded at first use."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.runtime import Context


TEMPLATES = Path(__file__).parent / "templates"


def rendered(template: str, folder: Path = TEMPLATES, /, **values: object) -> str:
    """Fill a template of *folder* with *values* and escape every text among them.

    The template can import those of this package.
    """
    return _environment(folder).get_template(template).render(values)


@functools.cache
def _environment(folder: Path) -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
    from jinja2.filters import do_mark_safe
    from markupsafe import Markup

    from casetrack.api.viewer.markup import address, esc, span
    from casetrack.api.viewer.symbols import (
        ENGLISH,
        KIND_WORDS,
        Words,
        capital,
        corners,
        counted,
        joined,
        sentence,
        shortened,
    )

    def words_in(context: Context) -> Words:
        words = context.get("words")
        return words if isinstance(words, Words) else ENGLISH

    @pass_context
    def phrase(context: Context, text: str, **fields: object) -> str:
        """Return a phrase of a template in the language of the page, with its fields."""
        told = words_in(context).phrase(str(text))
        # An escaped text, so that the markup among its fields stays.
        return Markup(esc(told)).format(**fields) if fields else told  # noqa: S704

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
    environment.globals |= {"corners": corners, "kind_words": KIND_WORDS, "_": phrase}
    environment.filters |= {
        "address": lambda url: do_mark_safe(address(url)),
        "capital": capital,
        "cited": pass_context(lambda c, text: words_in(c).told(text)),
        "counted": pass_context(lambda c, *given: counted(*given, words=words_in(c))),
        "joined": pass_context(lambda c, parts: joined(parts, words_in(c))),
        "number": pass_context(lambda c, *given: words_in(c).number(*given)),
        "px": "{:.1f}".format,
        "sentence": sentence,
        "shortened": shortened,
        "span": lambda text: do_mark_safe(span(text)),
        "truncated": lambda text, limit: text[:limit],
    }
    environment.filters["sign"] = vars(environment.get_template("signs.html").module)["sign"]
    return environment
