"""Units of measure: the words and abbreviations that people write, each to its usual symbol.

Metric units with their prefixes are made here, not listed. Abbreviations keep their case where it
tells units apart ("MB" and "Mb", "mW" and "MW").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast

Family = Literal[
    "length",
    "area",
    "volume",
    "weight",
    "speed",
    "temperature",
    "information",
    "time",
    "energy",
    "power",
    "angle",
    "pressure",
    "electricity",
    "frequency",
    "force",
    "rate",
]


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of measure.

    Attributes
    ----------
    symbol
        Its usual symbol ("km"), or its name where it has none ("day").
    family
        What it measures.
    """

    symbol: str
    family: Family


_PREFIXES = {
    "kilo": "k",
    "hecto": "h",
    "deca": "da",
    "deka": "da",
    "deci": "d",
    "centi": "c",
    "milli": "m",
    "micro": "µ",
    "nano": "n",
    "pico": "p",
    "mega": "M",
    "giga": "G",
    "tera": "T",
    "peta": "P",
}
_METRIC: tuple[tuple[str, str, Family, str], ...] = (
    ("meter,metre", "m", "length", "k h da d c m µ n p"),
    ("gram,gramme", "g", "weight", "k h da d c m µ n M"),
    ("liter,litre", "L", "volume", "k h da d c m µ M"),
    ("second", "s", "time", "m µ n p"),
    ("watt", "W", "power", "k m µ M G T"),
    ("watt hour,watt-hour,watthour", "Wh", "energy", "k M G T"),
    ("joule", "J", "energy", "k m M G"),
    ("calorie", "cal", "energy", "k"),
    ("volt", "V", "electricity", "k m µ M"),
    ("ampere,amp", "A", "electricity", "k m µ"),
    ("ohm", "Ω", "electricity", "k m M"),
    ("hertz", "Hz", "frequency", "k M G T"),
    ("pascal", "Pa", "pressure", "k h M G"),
    ("bar", "bar", "pressure", "m"),
    ("newton", "N", "force", "k m M"),
    ("bit", "bit", "information", "k M G T P"),
    ("byte", "B", "information", "k M G T P"),
    ("tonne", "t", "weight", "k M"),
)
_LISTED = """
length: in inch inches | ft foot feet | yd yard yards yds | mi mile miles | nmi nautical_mile
    nautical_miles | ly light_year light_years light-year light-years | fathom fathoms | furlong
    furlongs | µm micron microns | Å angstrom angstroms | mil mils | pt pts | league leagues |
    rod rods | chain chains | hand hands | au astronomical_unit astronomical_units | parsec
    parsecs
area: ha hectare hectares | acre acres | are ares | m² sqm | ft² sqft | mi² sqmi | km² sqkm
volume: gal gallon gallons gals | qt quart quarts | pint pints | cup cups | fl_oz fluid_ounce
    fluid_ounces fluid-ounce fl._oz. fl._oz floz | tsp teaspoon teaspoons teaspoonful
    teaspoonfuls | tbsp tablespoon tablespoons tablespoonful tablespoonfuls | bbl barrel barrels
    bbls | bu bushel bushels | peck pecks | gill gills | hogshead hogsheads | cord cords | pinch
    pinches | minim minims | fl_dr fluid_dram fluid_drams | cm³ cc ccm | m³ cbm | TEU TEUs |
    board_foot board_feet
weight: lb pound pounds lbs | oz ounce ounces ozs | stone stones | t metric_ton metric_tons |
    ton tons short_ton short_tons | long_ton long_tons | cwt hundredweight hundredweights
    short_hundredweight long_hundredweight | grain grains | dr dram drams drachma drachmas
    drachm drachms | dwt pennyweight pennyweights | carat carats ct | oz_t troy_ounce
    troy_ounces | µg mcg mcgs | slug slugs | quintal quintals
speed: mph miles_an_hour mile_an_hour | km/h kph kmh kmph kilometers_an_hour kilometres_an_hour
    | kn knot knots kt kts | ft/s fps | Mach
temperature: °C ℃ celsius degree_celsius degrees_celsius degrees_centigrade deg_c degree_c
    degrees_c centigrade °_c °c °celsius °_celsius º_c ºc | °F ℉ fahrenheit degree_fahrenheit
    degrees_fahrenheit deg_f degree_f degrees_f °_f °f °fahrenheit °_fahrenheit ºf º_f | K
    kelvin kelvins °k degrees_kelvin
information: kbit/s kbps | Mbit/s mbps | Gbit/s gbps | Tbit/s tbps | KiB kibibyte kibibytes |
    MiB mebibyte mebibytes | GiB gibibyte gibibytes | TiB tebibyte tebibytes
time: s sec secs | min minute minutes mins | h hour hours hr hrs | day days | week weeks wk wks
    | fortnight fortnights | month months mos mths calendar_month calendar_months
    consecutive_months | year years yr yrs calendar_year calendar_years consecutive_years |
    decade decades | century centuries | µs usec | business_day business_days | working_day
    working_days | day calendar_day calendar_days consecutive_days consecutive_calendar_days |
    banking_day banking_days | trading_day trading_days | month consecutive_calendar_months |
    consecutive_business_day consecutive_business_days | quarter calendar_quarters
    consecutive_quarters fiscal_quarters | week calendar_week calendar_weeks consecutive_weeks |
    fiscal_year fiscal_years | weekday weekdays | business_hour business_hours
energy: BTU btus british_thermal_unit british_thermal_units | eV electronvolt electronvolts |
    therm therms
power: hp horsepower bhp | kVA kva | MVA mva | kWp kwp | MWp mwp
electricity: Ah ampere_hour ampere_hours | mAh mah
angle: ° º degree degrees deg | rad radian radians | mrad milliradian milliradians | turn turns
    | ′ arcminute arcminutes arcmin | ″ arcsecond arcseconds arcsec
pressure: psi pounds_per_square_inch | atm atmosphere atmospheres | mmHg mmhg
frequency: rpm revolutions_per_minute | dpi | fps frames_per_second
rate: dB decibel decibels | ppm parts_per_million | ppb parts_per_billion
"""
"""By family: a symbol and its words; "_" is a space."""
_FAMILY = re.compile(r"^(\w+):", re.MULTILINE)
_DRAW_WORDS = frozenset("are ares rod rods chain chains hand hands league leagues mil mils".split())
"""Units that are far more often another word; they are left out."""
SHAKY = frozenset(
    "turn turns pinch stone stones pint quarter bar bars cup cups hand grain degree degrees pt pts "
    "gr dr st ct kn kt min sec ly rad fps cord cords slug slugs dwt minim minims Mach".split()
)
"""Units whose word is often something else: found, but held less sure."""
PLURAL_ONLY = frozenset(("second", "turn", "minim", "quarter", "slug"))
"""Words that, in the singular and after a space, count a unit only where the number is one."""


def _short_forms(symbol: str) -> set[str]:
    return {symbol, "μ" + symbol[1:], "u" + symbol[1:]} if symbol[0] == "µ" else {symbol}


def _metric() -> tuple[dict[str, Unit], dict[str, Unit]]:
    words: dict[str, Unit] = {}
    short: dict[str, Unit] = {}
    for names, symbol, family, allowed in _METRIC:
        for prefix, mark in (("", ""), *_PREFIXES.items()):
            if prefix and mark not in allowed.split():
                continue
            unit = Unit(mark + symbol, family)
            for name in names.split(","):
                words[prefix + name] = words[prefix + name + "s"] = unit
            short.update(dict.fromkeys(_short_forms(mark + symbol), unit))
    return words, short


def _more_short(short: dict[str, Unit]) -> dict[str, Unit]:
    more = {"l": short["L"], "KB": short["kB"], "Kb": short["kbit"], "kb": short["kbit"]}
    more |= {"Mb": short["Mbit"], "Gb": short["Gbit"], "KW": short["kW"], "KWh": short["kWh"]}
    more |= {"kwh": short["kWh"], "KWH": short["kWh"], "kw": short["kW"], "ml": short["mL"]}
    more |= {"cl": short["cL"], "dl": short["dL"], "hl": short["hL"], "µl": short["µL"]}
    more |= {"KM": short["km"], "Km": short["km"], "KG": short["kg"], "Kg": short["kg"]}
    more |= {"MM": short["mm"], "CM": short["cm"], "mb": short["MB"], "gb": short["GB"]}
    more |= {"tb": short["TB"], "ML": short["mL"], "kilo": short["kg"], "kilos": short["kg"]}
    more |= {"msec": short["ms"], "gm": short["g"], "gms": short["g"], "kgs": short["kg"]}
    more |= {"kms": short["km"], "mtrs": short["m"], "ltr": short["L"], "ltrs": short["L"]}
    more |= {"grams": short["g"], "mgs": short["mg"], "cms": short["cm"], "khz": short["kHz"]}
    return more | {"mhz": short["MHz"], "ghz": short["GHz"], "amps": short["A"], "MT": short["t"]}


def _listed(words: dict[str, Unit], short: dict[str, Unit]) -> None:
    _, *pieces = _FAMILY.split(_LISTED)
    for family, entries in zip(pieces[::2], pieces[1::2], strict=True):
        for entry in entries.split("|"):
            symbol, *names = (name.replace("_", " ") for name in entry.split())
            unit = Unit(symbol, cast("Family", family))
            for name in names:
                words[name.lower()] = unit
            if len(symbol) <= 2 and symbol.isascii():
                short.setdefault(symbol, unit)
            else:
                words.setdefault(symbol.lower(), unit)


def _raised(words: dict[str, Unit], short: dict[str, Unit]) -> None:
    lengths = [(word, unit) for word, unit in words.items() if unit.family == "length"]
    brief = [(word, unit) for word, unit in short.items() if unit.family == "length"]
    kinds: tuple[tuple[Family, str, tuple[str, ...], str], ...] = (
        ("area", "²", ("square", "sq", "sq."), "2"),
        ("volume", "³", ("cubic", "cu", "cu."), "3"),
    )
    for family, mark, before, digit in kinds:
        for word, unit in lengths + brief:
            raised = Unit(unit.symbol + mark, family)
            for first in before:
                words[f"{first} {word.lower()}"] = words[f"{first}-{word.lower()}"] = raised
        for word, unit in brief:
            raised = Unit(unit.symbol + mark, family)
            short.update(dict.fromkeys((word + mark, word + digit, f"{word}^{digit}"), raised))


def _build() -> tuple[dict[str, Unit], dict[str, Unit]]:
    words, short = _metric()
    short.update(_more_short(short))
    _listed(words, short)
    _raised(words, short)
    for word in ("ft", "yd", "mi"):
        short[word.upper()] = short[word]
    for symbol in ("m", "g", "L", "s", "W", "V", "A", "J", "N", "t", "h"):
        words.pop(symbol, None)
    for word in _DRAW_WORDS:
        words.pop(word, None)
    for abbreviation in ("B", "K", "Mt", "Mg"):
        short.pop(abbreviation, None)
    return words, short


WORDS, SHORT = _build()
"""Names in small letters, and abbreviations in their own case; each to its unit."""
