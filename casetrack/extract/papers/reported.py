"""Where an opinion is itself reported: what its head, its title or the name of its file says."""

from __future__ import annotations

import re

from casetrack.base.words import WordLists

_LISTS = WordLists(__file__)

_REPORTER = (
    r"U\.\s?S\.|S\.\s?Ct\.|L\.\s?Ed\.(?:\s?2d)?|F\.(?:\s?(?:2d|3d|4th)|\s?Supp\.(?:\s?(?:2d"
    r"|3d))?|\s?App['’]x)?|B\.R\.|F\.R\.D\.|Fed\.\s?Cl\."
    r"|A\.(?:\s?[23]d)?|N\.\s?E\.(?:\s?[23]d)?|N\.\s?W\.(?:\s?[23]d)?|P\.(?:\s?[23]d)?"
    r"|S\.\s?E\.(?:\s?2d)?|S\.\s?W\.(?:\s?[23]d)?|So\.(?:\s?[23]d)?"
    r"|Cal\.(?:\s?(?:2d|3d|4th|5th))?(?:\s?App\.(?:\s?(?:2d|3d|4th|5th))?)?"
    r"|Cal\.\s?Rptr\.(?:\s?[23]d)?|N\.Y\.(?:\s?[23]d)?|N\.Y\.S\.(?:\s?[23]d)?"
    r"|A\.D\.(?:\s?[23]d)?|Misc\.(?:\s?[23]d)?"
    r"|Ill\.(?:\s?2d)?(?:\s?App\.(?:\s?[23]d)?)?|Mass\.(?:\s?App\.\s?Ct\.)?|Conn\.(?:\s?App\.)?"
    r"|Ohio\s?St\.(?:\s?[23]d)?|Pa\.|N\.J\.(?:\s?Super\.)?|Va\.(?:\s?App\.)?|Ga\.(?:\s?App\.)?"
    r"|N\.C\.(?:\s?App\.)?|S\.C\.|Wis\.(?:\s?2d)?|Minn\.|Mich\.(?:\s?App\.)?|Md\.(?:\s?App\.)?"
    r"|Wash\.(?:\s?2d)?(?:\s?App\.)?|Or\.(?:\s?App\.)?|Kan\.(?:\s?App\.(?:\s?2d)?)?|Neb\.|Tex\."
    r"|Ark\.(?:\s?App\.)?|Haw(?:ai['’]i|\.)|Idaho|Mont\.|Nev\.|N\.H\.|N\.M\.|Vt\.|W\.\s?Va\."
    r"|Ind\.(?:\s?App\.)?|Iowa|Ky\.|La\.|Me\.|Miss\.|Mo\.|Okla?\.|Tenn\.|Utah(?:\s?2d)?|Wyo\."
    r"|WL|LEXIS|U\.S\.\s?LEXIS|Bankr\.\s?LEXIS"
)
_CITE = re.compile(
    rf"(?<![\w.])(?P<volume>\d{{1,4}})\s+(?P<reporter>{_REPORTER})\s+(?P<page>\d{{1,7}})(?![\w.]*\d)"
)
_NEUTRAL = re.compile(
    r"\[\d{4}\]\s(?:\d\s)?(?:UKSC|UKHL|UKPC|EWHC|EWCA\s(?:Civ|Crim)|HCA|FCA|SCC|CSIH|CSOH|NICA"
    r"|WLR|AC|QB|KB|Ch|All\sER)\s\d+(?:\s\((?:Ch|QB|KB|Comm|Admin|Fam|TCC|Pat|IPEC)\))?|\b(?:19"
    r"|20)\d\d\s(?:IL(?:\sApp\s\(\d\w{2}\))?|WI(?:\sApp)?|ND|SD|UT|VT|OK|MT|ME|NMSC|CO"
    r"|OH(?:io)?|SCC|ONCA|PA\sSuper)\s\d+|ECLI:[A-Z]{2}:[A-Z]+:\d{4}:\w+"
)
_ONLY_CITES = re.compile(
    rf"(?:[\s,;=()*\[\]]|\d{{1,4}}\s+(?:{_REPORTER})\s+(?:\d{{1,7}}|_+|-+)|(?:19|20)\d\d"
    rf"|Cite\sas:?|CITE\sAS:?|Citation:?|Cited\sas:?|No\.|Reported\sat)+",
    re.IGNORECASE,
)
_CITE_AS = re.compile(
    r"\bcite(?:d)? as:?|\bneutral citation(?: number)?:?|\bcitation:", re.IGNORECASE
)
_NAMED = _LISTS.phrases("named")
_SQUASHED = {re.sub(r"[^a-z0-9]", "", r.casefold()): r for r in _NAMED}
_IN_NAME = re.compile(
    r"\W*(?P<volume>\d{1,4})[ _.-]*(?P<reporter>"
    + "|".join(r"[ _.]*".join(squashed) for squashed in sorted(_SQUASHED, key=len, reverse=True))
    + r")[ _.-]*(?P<page>\d{1,5})(?!\d)",
    re.IGNORECASE,
)


def is_citation(line: str, /) -> bool:
    """Whether a line says where a decision is reported, and nothing else."""
    return _ONLY_CITES.fullmatch(line.strip()) is not None and _CITE.search(line) is not None


def own_citations(text: str, name: str, title: str | None, /) -> tuple[str, ...]:
    """Return where an opinion is reported by its own account: its head, its title, its file's name.

    Citations in its text are of other decisions; those that stand alone on one of its first
    lines, or after "Cite as", are its own.
    """
    found: dict[str, None] = {}
    for number, line in enumerate(line for line in text[:3000].split("\n") if line.strip()):
        if number >= 14:
            break
        after = _CITE_AS.search(line)
        if after or _ONLY_CITES.fullmatch(line.strip()):
            found |= dict.fromkeys(_cites(line[after.end() :] if after else line))
        elif number < 6 and _NEUTRAL.fullmatch(line.strip(" .")):
            found[line.strip(" .")] = None
    for words in filter(None, (title,)):
        if " v. " in words or "In re" in words:
            found |= dict.fromkeys(_cites(words))
    if not found:
        plain = name.rsplit(".", 1)[0]
        inside = _IN_NAME.match(plain)
        if inside:
            reporter = _SQUASHED[re.sub(r"[^a-z0-9]", "", inside["reporter"].casefold())]
            found[f"{inside['volume']} {reporter} {inside['page']}"] = None
        else:
            found |= dict.fromkeys(_cites(plain.replace("_", " ")))
    return tuple(found)


def _cites(text: str) -> list[str]:
    cites = [
        f"{m['volume']} {' '.join(m['reporter'].split())} {m['page']}" for m in _CITE.finditer(text)
    ]
    return cites + [" ".join(m.group().split()) for m in _NEUTRAL.finditer(text)]
