"""One request of the window, its language, and the rendering of its page."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.datastructures import UploadFile
from starlette.responses import HTMLResponse, RedirectResponse

from casetrack.api.viewer.markup import printable
from casetrack.base.errors.references import spelled
from casetrack.faces.window.statements import statement_of
from casetrack.faces.window.texts import LANGUAGES, Texts, language_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library
    from casetrack.base.errors.references import Reference


def step(titles: Mapping[str, str], texts: Texts, text: str, /) -> Markup:
    """Return a next step with page titles instead of commands; sentences with others are left out.

    *titles* are the titles of the pages that implement a command, in :mod:`texts`.
    """

    def spell(see: Reference) -> str | None:
        page = next((titles[name] for name in see.names if name in titles), None)
        if page is not None:
            return str(texts("step.page", page=texts(page)))
        fields = [f"argument.ingest_{name}" for name, _ in see.options]
        known = [str(texts("step.field", field=texts(f))) for f in fields if texts.knows(f)]
        return known[0] if known and not see.names else None

    safe = str(escape(printable(texts.note(text)))).replace("Run `", "Open `")
    return Markup(spelled(safe, spell, lambda _: ""))  # noqa: S704


LANGUAGE_COOKIE = "casetrack_language"
THEME_COOKIE = "casetrack_theme"
_THEMES = ("auto", "light", "dark")


@dataclass(frozen=True)
class Visit:
    """A request of a page; *texts* are in the visitor's language, *form* is sent by a change."""

    request: Request
    library: Library
    texts: Texts
    read_only: bool
    form: FormData | None = None

    @functools.cached_property
    def collection(self) -> Collection:
        """The collection that the address names."""
        return self.library.get(self.request.path_params["collection"])

    def opened(self) -> dict[str, Any]:
        """Return the collection as a template value, if it could be opened."""
        known = self.__dict__.get("collection")
        return {} if known is None else {"collection": known}

    @property
    def part(self) -> str:
        """The part of a collection in the address, such as ``timeline``; else empty."""
        places = self._places()
        return places[2] if len(places) > 2 and places[0] == "c" else ""

    @property
    def is_part(self) -> bool:
        """Whether the script of an open page requests a part of it."""
        return self.request.headers.get("x-part") == "1"

    def asked(self, name: str, /) -> str:
        """Return a value of the address, empty if there is none."""
        return self.request.query_params.get(name, "").strip()

    def asked_all(self, name: str, /) -> list[str]:
        """Return all values of the address under one name."""
        return [v for v in self.request.query_params.getlist(name) if v.strip()]

    def asked_number(self, name: str, default: int, /, *, low: int = 1, high: int = 10**9) -> int:
        """Return a whole number of the address within bounds; anything else is the default."""
        text = self.asked(name)
        if not text.isascii() or not text.isdigit():
            return default
        return min(max(int(text[:12]), low), high)

    def sent(self, name: str, /) -> str:
        """Return a value of the form, empty if there is none."""
        value = self.form.get(name) if self.form else None
        return value.strip() if isinstance(value, str) else ""

    def sent_all(self, name: str, /) -> list[str]:
        """Return all values of a form field."""
        sent = self.form.getlist(name) if self.form else []
        return [v.strip() for v in sent if isinstance(v, str) and v.strip()]

    def sent_files(self, name: str, /) -> list[UploadFile]:
        """Return the files that were sent under one name."""
        sent = self.form.getlist(name) if self.form else []
        return [f for f in sent if isinstance(f, UploadFile) and f.filename]

    def address_with(self, **changed: object) -> str:
        """Return the address of this page with some values changed; ``None`` removes one."""
        query = self.request.query_params
        return address(*self._places(), **({n: query.getlist(n) for n in query} | changed))

    def address_without(self, *names: str) -> str:
        """Return the address of this page without some of its values."""
        return self.address_with(**dict.fromkeys(names))

    def sheets(self, total: int, per: int, /) -> dict[str, int]:
        """Return the number of the shown part of a list, and the number of all parts."""
        sheets = max(1, -(-total // per))
        return {"sheet": self.asked_number("sheet", 1, high=sheets), "sheets": sheets}

    def _places(self) -> list[str]:
        return [part_of(part) for part in self.request.url.path.split("/") if part]

    def page(self, template: str, /, *, status: int = 200, **values: Any) -> Response:
        """Render a template with the values of this request."""
        given = self._common() | self.opened() | values
        text = templates().get_template(template).render(given)
        return HTMLResponse(text, status, headers={"cache-control": "no-store"})

    def see(self, address: str, /) -> Response:
        """Send the browser to another page, after a change."""
        return RedirectResponse(address, 303)

    def _common(self) -> dict[str, Any]:
        theme = self.request.cookies.get(THEME_COOKIE, "auto")
        return {
            "t": self.texts,
            "visit": self,
            "to": address,
            "step": functools.partial(step, self.request.app.state.titles),
            "behind": functools.partial(statement_of, self.request),
            "here": self.request.url.path,
            "languages": LANGUAGES,
            "theme": theme if theme in _THEMES else "auto",
            "read_only": self.read_only,
            "is_part": self.is_part,
        }


def visit_of(
    request: Request, library: Library, /, *, read_only: bool, form: FormData | None = None
) -> Visit:
    """Return the visit of a request."""
    language = language_of(
        request.cookies.get(LANGUAGE_COOKIE), request.headers.get("accept-language", "")
    )
    return Visit(request, library, Texts(language), read_only, form)


def address(*parts: object, **query: object) -> str:
    """Return an address within the window: ``address("c", "A/B", q="x")`` is ``/c/A%2FB?q=x``.

    ``None``, empty and false values are left out; a list is written as several values of one name.
    """
    path = "/" + "/".join(quote(str(part), safe="") for part in parts)
    pairs: list[tuple[str, str]] = []
    for name, value in query.items():
        several = value if isinstance(value, (list, tuple, set)) else [value]
        pairs += [(name.rstrip("_"), str(v)) for v in several if v not in (None, "", False)]
    return f"{path}?{urlencode(pairs)}" if pairs else path


def as_part(text: str, /) -> str:
    """Return a part of a path as routes receive it: decoded, except for a slash."""
    return unquote(text).replace("%", "%25").replace("/", "%2F")


def part_of(text: str, /) -> str:
    """Return the decoded text of a part of a path, see :func:`as_part`."""
    return text.replace("%2F", "/").replace("%25", "%")


def own_path(text: str, /) -> str:
    """Return an address as one within the window; two slashes would name another host."""
    return "/" + text.lstrip("/\\")


@functools.cache
def templates() -> Environment:
    """Return the templates, which escape every value except markup."""
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    made.filters |= {"local": _local, "on_disk": _on_disk}
    return made


def _shown(value: Any) -> Any:
    """Return the value of a template expression without the control characters of documents."""
    if value is None:
        return ""
    return printable(value) if type(value) is str else value


def _local(moment: datetime | None) -> str:
    """Return a time in the zone of this computer: ``2026-11-22 14:05``; a day is in no zone."""
    if moment is None:
        return ""
    is_day = not moment.hour and not moment.minute and not moment.second
    return f"{moment:%Y-%m-%d}" if is_day else f"{moment.astimezone():%Y-%m-%d %H:%M}"


def _on_disk(path: str) -> Path:
    """Return the file that contains an attachment, such as ``a.eml`` of ``a.eml/b.pdf``."""
    return next((each for each in Path(path).parents if each.is_file()), Path(path))
