"""Links: web addresses and digital object identifiers. E-mail addresses are none.

An address has one key however it is written: without scheme, ``www.``, fragment and a slash at the
end. A digital object identifier has the key ``link:doi-10-1000-182``, also as an address of its
resolver.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.extract.references.matches import ReferenceMatch, slug

if TYPE_CHECKING:
    from collections.abc import Iterator

_GENERIC = (
    "com|org|net|edu|gov|mil|int|info|biz|name|pro|app|dev|cloud|online|site|shop|store|tech|xyz|blog"
    "|wiki|news|law|legal|academy|agency|bank|email|group|international|ltd|media|network|software"
    "|solutions|support|systems|team|tools|world|aws|google|london|berlin|museum|travel|jobs|mobi"
)
_COUNTRY = (
    "ac|ae|am|ar|asia|au|ba|be|bg|br|ca|cat|cc|ch|ci|cl|cn|co|cr|cy|cz|de|dk|ee|eg|es|eu|fi|fm|fr|gg|gl"
    "|gr|gs|hk|hr|hu|id|ie|il|im|io|ir|is|je|jp|ke|kr|kz|la|li|lt|lu|lv|ly|ma|me|mk|ms|mt|mx|my|ng|nl"
    "|nz|pe|ph|pk|pl|pt|ro|rs|ru|sa|se|sg|si|sk|su|th|ti|tk|to|tr|tv|tw|ua|uk|us|uy|vc|vn|za"
)
_TLD = rf"(?:{_GENERIC}|{_COUNTRY}|ai|at|in|no|ws)"
_HOST = r"[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}"
_TAIL = r"(?::\d{1,5})?(?:[/?#][^\s<>\"“”„|\\^`{}\u3000-\u303f]*)?"
_WITH_SCHEME = re.compile(
    rf"(?<![\w@])(?i:https?|ftps?)://(?:localhost|\d{{1,3}}(?:\.\d{{1,3}}){{3}}|{_HOST}\.[A-Za-z][\w-]*)(?=[^\w@]|$){_TAIL}"
)
_BARE = re.compile(
    rf"(?<![\w@./:-])(?:(?i:www\.){_HOST}\.(?i:{_TLD})|[a-z0-9][a-z0-9-]{{0,62}}(?:\.[a-z0-9][a-z0-9-]{{0,62}}){{0,6}}\.{_TLD})"
    rf"(?![\w@-]|\.\w){_TAIL}"
)
_BARE_GATE = re.compile(r"[A-Za-z0-9]\.[a-z]{2}")
_DOI_GATE = re.compile(r"10\.\d{4,9}/")
_DOI = re.compile(r"(?<![\w./])(?:doi\s?:?\s?)?10\.\d{4,9}/[^\s\"<>“”]{1,200}", re.IGNORECASE)
_DOI_ADDRESS = re.compile(r"https?://(?:dx\.)?doi\.org/(10\.\d{4,9}/\S+)", re.IGNORECASE)
_END_PUNCTUATION = ".,;:!?'\"’”*_…"
_CLOSING = {")": "(", "]": "[", "}": "{", ">": "<"}


def find_links(text: str, /) -> Iterator[ReferenceMatch]:
    """Yield the links of *text*.

    Parameters
    ----------
    text
        Any text.

    Yields
    ------
    ReferenceMatch
        Places of type ``link``, those with a scheme first.
    """
    if "://" in text:
        for match in _WITH_SCHEME.finditer(text):
            yield _link(match.start(), match[0], 0.98)
    if _DOI_GATE.search(text):
        for match in _DOI.finditer(text):
            yield _link(match.start(), match[0], 0.95)
    if _BARE_GATE.search(text):
        for match in _BARE.finditer(text):
            yield _link(match.start(), match[0], 0.9 if match[0][:3].lower() == "www" else 0.7)


def _link(start: int, raw: str, confidence: float) -> ReferenceMatch:
    address = _without_end_punctuation(raw)
    return ReferenceMatch(start, start + len(address), "link", _key(address), address, confidence)


def _without_end_punctuation(raw: str) -> str:
    end = len(raw)
    depth = {sign: raw.count(opening) - raw.count(sign) for sign, opening in _CLOSING.items()}
    while end > 1:
        last = raw[end - 1]
        if last in _CLOSING and depth[last] < 0:
            depth[last] += 1
        elif last not in _END_PUNCTUATION:
            break
        end -= 1
    return raw[:end]


def _key(address: str) -> str:
    if found := _DOI_ADDRESS.match(address):
        return "link:doi-" + slug(found[1])
    if "://" not in address and (found := re.search(r"10\.\d{4,9}/.+", address)):
        return "link:doi-" + slug(found[0])
    rest = address.split("://", 1)[-1]
    # A fragment that is a path ("#/orders", "#!/name") names another page, not a place in one.
    page, mark, fragment = rest.partition("#")
    if mark and fragment[:1] in {"/", "!"}:
        page = rest
    host, slash, path = page.partition("/")
    return "link:" + (host.lower().removeprefix("www.") + slash + path).rstrip("/")
