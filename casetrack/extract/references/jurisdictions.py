"""Abbreviations of American jurisdictions and of the words in the names of their codes.

After The Bluebook (21st edition), tables T1 and T10.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.base.words.states import ABBREVIATED

if TYPE_CHECKING:
    from collections.abc import Iterable


CODE_WORDS: dict[str, str] = {
    "&": "and",
    "admin": "administrative",
    "aff": "affairs",
    "agric": "agricultural",
    "agencies": "agencies",
    "alco": "alcoholic",
    "art": "article",
    "bev": "beverage",
    "bus": "business",
    "cent": "century",
    "ch": "chapter",
    "child": "childrens",
    "civ": "civil",
    "codified": "codified",
    "com": "commercial",
    "comm": "commercial",
    "comp": "compiled",
    "cons": "consolidated",
    "consol": "consolidated",
    "conserv": "conservation",
    "const": "constitution",
    "corp": "corporations",
    "corps": "corporations",
    "corr": "corrections",
    "crim": "criminal",
    "ct": "court",
    "cts": "courts",
    "dom": "domestic",
    "econ": "economic",
    "educ": "education",
    "elec": "election",
    "empl": "employment",
    "env't": "environment",
    "envtl": "environmental",
    "est": "estates",
    "evid": "evidence",
    "exec": "executive",
    "fam": "family",
    "fin": "finance",
    "gen": "general",
    "gov": "government",
    "gov't": "government",
    "health": "health",
    "hum": "human",
    "hyg": "hygiene",
    "ins": "insurance",
    "inst": "institutions",
    "jud": "judicial",
    "lab": "labor",
    "loc": "local",
    "mun": "municipal",
    "nat": "natural",
    "occ": "occupations",
    "pen": "penal",
    "prac": "practice",
    "pres": "preservation",
    "priv": "private",
    "prob": "probate",
    "proc": "procedure",
    "proceedings": "procedure",
    "prof": "professions",
    "prop": "property",
    "pub": "public",
    "r": "rules",
    "reg": "regulations",
    "regs": "regulations",
    "rel": "relations",
    "rem": "remedies",
    "res": "resources",
    "rev": "revised",
    "saf": "safety",
    "safety": "safety",
    "serv": "services",
    "servs": "services",
    "soc": "social",
    "stat": "statutes",
    "stats": "statutes",
    "tit": "title",
    "transp": "transportation",
    "unemp": "unemployment",
    "unempl": "unemployment",
    "util": "utilities",
    "veh": "vehicle",
    "welf": "welfare",
    "work": "workers",
    "arts": "arts",
    "cont": "control",
    "cred": "creditor",
    "cult": "cultural",
    "debt": "debtor",
    "dists": "districts",
    "fish": "fish",
    "food": "food",
    "game": "game",
    "harb": "harbors",
    "high": "highways",
    "indus": "industrial",
    "mental": "mental",
    "mil": "military",
    "nav": "navigation",
    "oblig": "obligations",
    "spec": "special",
    "sts": "streets",
    "surr": "surrogates",
    "traf": "traffic",
    "vet": "veterans",
    "wild": "wildlife",
    "pers": "personal",
    "cir": "circuit",
}
"""Abbreviated words of codes, small and without points, and the word."""

_WHOLE_WORDS = (
    "Code Codes Statutes Law Laws Penal Labor Labour Business Professions Commerce Civil "
    "Criminal Procedure "
    "Evidence Family Vehicle Government Probate Property Revised General Compiled Education "
    "Insurance "
    "Tax Water Corporations Health Safety Welfare Institutions Public Utilities Administrative "
    "Regulations Rules Court Courts Judicial Proceedings Practice Remedies Election Elections "
    "Executive "
    "Real Estates Powers Trusts Domestic Relations Vehicle Traffic Banking Lien Debtor Creditor "
    "Highway "
    "Town Village City Correction Workers Compensation Military Racing Revenue Finance Tort "
    "Claims Act "
    "Human Resources Natural Transportation Occupations Local Municipal Commercial Corporation "
    "Obligations "
    "Social Services Mental Environmental Not-for-Profit Uniform Surrogate's Commercial "
    "Consolidated "
    "Workers' Fish Game Food Trusts State Annotated and of"
).split()
_DROPPED = frozenset(("ann", "annotated", "a", "of"))


def _abbreviation(name: str) -> str:
    if "." in name:
        return r"\.\s?".join(re.escape(part) for part in name.split(".")) + r"\."
    point = "" if name.upper() in {"ALASKA", "IDAHO", "IOWA", "OHIO", "UTAH"} else r"\.?"
    return re.escape(name).replace("'", "['’]") + point


def _longest_first(words: Iterable[str]) -> list[str]:
    return sorted(words, key=lambda word: (-len(word), word))


def _in_full(name: str) -> str:
    return re.escape(name.title().replace(" Of ", " of ")).replace(r"\ ", r"\s")


def _states() -> str:
    short = [form for name in _longest_first(ABBREVIATED) for form in (name, name.upper())]
    return "|".join(
        [
            *map(_abbreviation, dict.fromkeys(short)),
            *map(_in_full, _longest_first(ABBREVIATED.values())),
        ]
    )


def _code_words() -> str:
    usual = {w.title().replace("'T", "'t") for w in CODE_WORDS if w != "&"}
    pointed = usual | {w.upper() for w in usual} | {"C", "R", "Ann", "ANN", "L", "S", "St"}
    whole = {*_WHOLE_WORDS, *(w.upper() for w in _WHOLE_WORDS)}
    return (
        rf"(?:(?:{'|'.join(_longest_first(pointed))})\.|(?:{'|'.join(_longest_first(whole))})\b"
        r"|(?:Bus|Prof|Civ|Crim|Pen|Evid|Gov['’]?t?|Lab|Stat|Rev|Gen|Ann|Ins|Admin|Proc)\b|&)"
    )


STATE: str = f"(?:{_states()})"
"""Regular expression of a state, abbreviated or in full."""

CODE_WORD: str = _code_words()
"""Regular expression of one word in the name of a code."""


def state_of(written: str, /) -> str:
    """Return the small name of the state that *written* abbreviates or says; "" for none."""
    plain = written.replace("’", "'").replace(" ", "").rstrip(".")
    if plain in ABBREVIATED:
        return ABBREVIATED[plain]
    for name, state in ABBREVIATED.items():
        if name.upper() == plain:
            return state
    small = " ".join(written.lower().split())
    return small if small in ABBREVIATED.values() else ""


def code_name(written: str, /) -> str:
    """Return the usual name of the code that *written* abbreviates, in small letters.

    >>> code_name("Bus. & Prof. Code Ann.")
    'business and professions code'
    """
    words = re.sub(r"(?<=\.)(?=[A-Z])", " ", written.replace("’", "'")).lower().split()
    named = [CODE_WORDS.get(word.strip(".,"), word.strip(".,")) for word in words]
    return " ".join(word for word in named if word and word not in _DROPPED)
