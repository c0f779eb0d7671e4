"""Small closed lists of words that stand beside names or inside them."""

from __future__ import annotations

from casetrack.base.words import WordLists
from casetrack.base.words import legal_forms as lists
from casetrack.base.words.months import month_numbers
from casetrack.base.words.titles import title_words

_LISTS = WordLists(__file__)

LEGAL_FORMS = frozenset(lists.LEGAL_FORMS.words("words"))
HONORIFICS = title_words("address", "academic", "knights", "peers", "german").union(
    _LISTS.words("honorifics")
)
PLACES = frozenset(_LISTS.words("places"))
BODIES = frozenset(_LISTS.words("bodies"))
DATES = frozenset(
    "sept monday tuesday wednesday thursday friday saturday "
    "sunday mon tue wed thu fri sat sun".split()
) | frozenset(month_numbers("en", "en_short", "de"))
PAPERS = frozenset(_LISTS.words("papers"))
PARTICLES = frozenset("of the and for de la le van von der den di da del du bin al el y e".split())
NEVER = PAPERS | DATES | PARTICLES
"""A name has at least one word that is not of these."""
COMPANY_ENDS = frozenset(lists.LEGAL_FORMS.words("ends"))
"""Legal forms that hardly stand anywhere but at the end of a company's name."""
GENERIC_FORMS = frozenset(
    "corporation company partnership limited liability general association bank".split()
)
ABBREVIATED = frozenset((*lists.LEGAL_FORMS.words("short"), "bros", "jr", "sr", "dept"))
STOPS = frozenset(_LISTS.words("stops"))
TITLES = title_words("address", "academic").union(_LISTS.words("titles"))
"""Titles that are left out of a name."""
PUBLIC_BODIES = frozenset(_LISTS.words("public_bodies"))
OFFICES = PUBLIC_BODIES | frozenset(
    "bank university college institute academy society museum chamber union association league "
    "federation confederation alliance archives library hospital school church".split()
)
"""Words that "of" or "for" is part of a name behind."""
SUBJECTS = frozenset(_LISTS.words("subjects"))
"""What public bodies are there for; several are joined by "and" within a name."""
FELLOWS = frozenset(
    "partners sons son co company brothers bros associates daughters fils cie".split()
)
"""Words behind "and" that make a firm of the name before."""
STATUTES = frozenset("act law laws code rules statute statutes ordinance regulations".split())
NUMBERED = frozenset(
    "regulation rule form schedule item section class series tranche topic article chapter".split()
)
"""Words that a mark stands behind, not a name: "Regulation AB"."""
PEOPLES = frozenset(_LISTS.words("peoples"))
"""What is of a place, and who lives there, is no place itself."""
NO_NAMES = NEVER | frozenset(
    "act adr asc asu attn bond bonds capex ceo cfa cfo coo cpa credit cto cusip dgcl ebitda "
    "eitf esq etf evp extension facsimile fas fax form gaap gdp gmt ifrs indenture investor "
    "ipo isin item jd law laws lbo libor loan loans mba md note notes number otc phd plan "
    "proposal prospectus pst recital regulation relations rmb rule securities security sfas "
    "sofr stock svp term throughput ucc usd utc vat voip vp vsoe xbrl".split()
)
"""Nor is a name all of these."""
_FLAGGED = (LEGAL_FORMS, HONORIFICS, PLACES, BODIES, DATES, PAPERS, PARTICLES)


def flags_of(word: str, /) -> int:
    """Return which of the seven lists a word is in, one bit each, the legal forms first."""
    low = word.lower()
    return sum(1 << i for i, words in enumerate(_FLAGGED) if low in words)
