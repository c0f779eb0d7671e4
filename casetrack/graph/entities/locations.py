"""Places that are written in several ways."""

from __future__ import annotations

from casetrack.graph.entities.text import fold, plain_words, slug

_VARIANTS = """
united states|us|usa|united states of america|vereinigte staaten
| vereinigte staaten von amerika
united kingdom|uk|great britain and northern ireland|vereinigtes konigreich
| united kingdom of great britain and northern ireland|gb
germany|federal republic of germany|deutschland|bundesrepublik deutschland|brd
france|french republic|frankreich
italy|italian republic|italien|italia
spain|kingdom of spain|spanien|espana
austria|republic of austria|osterreich
switzerland|swiss confederation|schweiz|suisse|svizzera
netherlands|kingdom of the netherlands|niederlande|nederland
belgium|kingdom of belgium|belgien|belgique|belgie
ireland|republic of ireland|irland|eire
poland|republic of poland|polen|polska
czech republic|czechia|tschechien|tschechische republik
china|peoples republic of china|prc|volksrepublik china
hong kong|hong kong sar|hongkong
taiwan|republic of china|roc
south korea|republic of korea|sudkorea
north korea|democratic peoples republic of korea|dprk|nordkorea
russia|russian federation|russland
turkey|republic of turkey|turkiye|turkei
united arab emirates|uae|vereinigte arabische emirate
south africa|republic of south africa|rsa|sudafrika
india|republic of india|indien
australia|commonwealth of australia|australien
new zealand|aotearoa|neuseeland
european union|eu|europaische union
new york city|nyc|city of new york
los angeles|city of los angeles
san francisco|city of san francisco
washington dc|washington d c|district of columbia
munich|munchen
cologne|koln
nuremberg|nurnberg
vienna|wien
zurich|zuerich
geneva|geneve|genf
brussels|brussel|bruxelles
the hague|den haag|hague
milan|milano|mailand
rome|roma|rom
prague|praha|prag
warsaw|warszawa|warschau
lisbon|lisboa|lissabon
copenhagen|kobenhavn|kopenhagen
mumbai|bombay
beijing|peking
"""
_CANONICAL = {
    slug(variant): slug(variants.partition("|")[0])
    for variants in _VARIANTS.replace("\n|", "|").strip().splitlines()
    for variant in variants.split("|")
}


def location_key(text: str, /) -> str:
    """Return the key of a place: the same for the usual ways of writing it.

    Examples
    --------
    >>> location_key("the U.S.A."), location_key("Port of Aldermere")
    ('united-states', 'port-of-aldermere')
    """
    words = [fold(w) for w in plain_words(text)]
    if len(words) > 1 and words[0] == "the":
        key = "-".join(words)
        return _CANONICAL.get(key) or _CANONICAL.get("-".join(words[1:]), "-".join(words[1:]))
    key = "-".join(words)
    if key not in _CANONICAL and len(words) > 2 and words[0] in {"state", "commonwealth"}:
        key = "-".join(words[2:] if words[1] == "of" else words)  # "State of Delaware"
    return _CANONICAL.get(key, key)


def is_known_place(key: str, /) -> bool:
    """Return whether a key is that of a country or city of the list above."""
    return key in _CANONICAL
