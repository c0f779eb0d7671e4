"""Words that set an organisation apart from another one whose name begins alike.

"Seaforth Shipping" and "Seaforth Shipping (Asia)" are two firms, as are "Acme" and "Acme Holdings",
"Kestrel Fund" and "Kestrel Fund II": a place, a number, or what a part of a group does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.words.states import STATES

if TYPE_CHECKING:
    from collections.abc import Iterable

_REGIONS = """
africa african america americas american anz apac arabia asean asia asian atlantic australasia
australia australian balkans baltic baltics benelux caribbean central dach east eastern emea eu
europa europe european far global gulf iberia iberica inner international latam latin levant mena
mediterranean middle nordic nordics north northeast northeastern northern northwest northwestern
oceania overseas pacific regional scandinavia south southeast southeastern southern southwest
southwestern transatlantic upper west western worldwide nord sud ost
"""
_COUNTRIES = """
afghanistan albania algeria angola argentina armenia austria azerbaijan bahamas bahrain bangladesh
barbados belarus belgium belize benin bermuda bolivia bosnia botswana brasil brazil britain british
brunei bulgaria cambodia cameroon canada canadian cayman chile china chinese colombia congo croatia
cuba curacao cyprus czech denmark deutsche deutschland dominica ecuador egypt england english
eritrea espana estonia ethiopia fiji finland france francaise french gabon gambia georgia german
germany ghana gibraltar greece grenada guatemala guernsey guinea guyana haiti honduras hongkong
hungary iceland india indian indonesia iran iraq ireland irish israel italia italian italy jamaica
japan japanese jersey jordan kazakhstan kenya korea korean kosovo kuwait laos latvia lebanon lesotho
liberia libya liechtenstein lithuania lithuanian luxembourg luxemburg macau macedonia madagascar
malawi malaysia maldives mali malta mauritius mexicana mexico moldova monaco mongolia montenegro
morocco mozambique myanmar namibia nederland nepal netherlands nicaragua niger nigeria norge norway
oman osterreich pakistan panama paraguay peru philippines poland polska portugal prc qatar romania
russia russian rwanda salvador samoa saudi schweiz scotland scottish senegal serbia seychelles
singapore slovakia slovenia somalia spain spanish suisse sverige swaziland sweden swiss switzerland
syria taiwan tajikistan tanzania thailand togo trinidad tunisia turkey turkmenistan uae uganda uk
ukraine uruguay us usa uzbekistan venezuela vietnam wales yemen zambia zimbabwe
"""
_STATES = (
    frozenset(name.split()[-1] for name in STATES) - {"georgia", "island", "mexico", "washington"}
) | frozenset(
    "rhode alberta manitoba ontario quebec saskatchewan queensland tasmania victoria bavaria "
    "bayern sachsen saxony hessen".split()
)
"""Last words of names of states and provinces, but those that are countries, cities or words."""

_CITIES = """
amsterdam ankara antwerp athens atlanta auckland austin bangalore bangkok barcelona basel beijing
belfast berlin bern birmingham bogota bordeaux boston bremen brisbane bristol brussels bucharest
budapest calgary cardiff chicago cologne copenhagen dallas delhi denver detroit dubai dublin
dusseldorf edinburgh frankfurt geneva glasgow gothenburg guangzhou hague hamburg hanoi helsinki
houston istanbul jakarta johannesburg karachi kiev koln lagos leeds leipzig lima lisbon liverpool
london luxembourg lyon lyons madrid manchester manila marseille melbourne miami milan milano
montevideo montreal moscow mumbai munchen munich nagoya nairobi nanjing naples nice nuremberg osaka
oslo ottawa paris perth philadelphia phoenix porto prague riga rome rotterdam saigon santiago
seattle seoul shanghai shenzhen singapore sofia stockholm strasbourg stuttgart sydney tallinn tampa
tianjin tokyo toronto toulouse turin valencia vancouver vienna vilnius warsaw
washington wien winnipeg wuhan zagreb zurich
"""
_PARTS = """
acquisition acquisitions asset assets bancorp bank banking bidco branch capital captive charitable
charities credit delaware division equity estate estates finance financial financing foundation fund
funding funds gp holdco holding holdings insurance institutional intermediate investment investments
investors leasing licensing merger mortgage newco noteholder opco parallel parent pension pensions
properties property realty reinsurance revocable securities securitization spv sub subsidiary topco
treasury trust trustee trustees ventures wireless
"""
_NUMBERS = """
one two three four five six seven eight nine ten first second third fourth fifth
i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx a b c d
alpha beta gamma delta
"""
_HALVES = frozenset("york jersey hampshire carolina dakota rhode victoria".split())
_UNITS = frozenset(f"{_REGIONS} {_COUNTRIES} {_CITIES} {_PARTS} {_NUMBERS}".split()) | _STATES


def names_unit(rest: Iterable[str], /) -> bool:
    """Return whether what a longer name has beyond a shorter one tells two organisations apart.

    Parameters
    ----------
    rest
        The folded words behind the shorter name.

    Examples
    --------
    >>> names_unit(["asia"]), names_unit(["fund", "2"]), names_unit(["systems"])
    (True, True, False)
    """
    return any(w in _UNITS or w.isdigit() for w in rest)


def is_state(key: str, /) -> bool:
    """Return whether a place's key is that of a state or province.

    Examples
    --------
    >>> is_state("maine"), is_state("new-york"), is_state("york")
    (True, True, False)
    """
    first, _, last = key.rpartition("-")
    if first:
        return first in {"new", "north", "south", "west"} and last in _STATES
    return last in _STATES and last not in _HALVES
