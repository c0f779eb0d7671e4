"""Names of cases before their citation, whole as the text has them.

A name is read backwards from where the reporter begins: what stands between is nothing but a name,
or there is none. Words are taken as long as they can be part of a name; abbreviations of case names
(The Bluebook, table T6, 21st edition) end no sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST = 320
_SMALL = frozenset(
    (
        "of the and & for ex rel. rel et al. al al., al.; a an de la le las los del della di da du "
        "van von der den dem ter ten zu y e el und et. d/b/a a/k/a f/k/a n/k/a dba aka o/b/o "
        "o/u/o u/w/o at 'n' etc. etc., minor minors n.a. s.a. ag plc t/a i/s/h/a c/o"
    ).split()
)
_SMALL_WITHIN = frozenset(
    "on behalf in by through as to from with its their his her re parte".split()
)
"""Small words that only a phrase makes part of a name."""
_PHRASES = re.compile(
    r"(?:on|and|by|through|behalf|of|as|in|to|from|with)?\s*"
    r"(?:on behalf of|by and through|by his|as next friend|as guardian|in his|in her|in its|in "
    r"their"
    r"|in the interest of|in the matter of|next friend)",
    re.IGNORECASE,
)
_NO_NAME = frozenset(
    (
        "see but cf accord compare contra also e.g with under unlike like when while since "
        "although "
        "though because as thus however moreover furthermore therefore accordingly indeed here "
        "there this that these those it its if so yet nor and or citing quoting cited following "
        "per via after before both first second third finally likewise similarly instead rather "
        "then our we plaintiffs plaintiff's defendants defendant's court court's courts id ibid "
        "supra infra where which who what how why applying discussing relying pursuant even only "
        "additionally specifically generally held holding quoted rule cases section sections art "
        "article at on by from to for turning unless until upon whether nevertheless nonetheless "
        "contrast conversely further ultimately recently consider considering against overruling "
        "reversing affirming distinguishing notably clearly again still nothing judge chief "
        "footnote "
    ).split()
)
"""Capitalised at the start of a sentence they are no part of the name that follows."""
_ALSO_NAMES = frozenset(("in", "the", "a", "an", "of", "court"))
_FORMS = re.compile(
    r"(?:Inc|LLC|L\.\s?L\.\s?C|LP|L\.\s?P|LLP|L\.\s?L\.\s?P|Ltd|Corp|Co|Cos|N\.\s?A|S\.\s?A"
    r"|P\.\s?C|P\.\s?A|PLLC|P\.L\.L\.C"
    r"|PLC|Jr|Sr|II|III|IV|et|ex|d/b/a|a/k/a|f/k/a|M\.\s?D|Esq|etc|AG|GmbH|B\.V|N\.V|S\.p\.A"
    r"|S\.A\.R\.L|Pty|Bros"
    r"|Incorporated|Limited|Corporation|Company|as|by|individually|on|&|and|of|a|an|Ph\.D|D\.D\.S"
    r"|R\.N|U\.\s?S\.\s?A"
    r"|No|Local|Loc|Dist|Div|Inter|AFL|AFL-CIO|SA|NA|PC)\b",
)
_ABBREVIATIONS = frozenset(
    (
        "acad accid acct admin adm'r adm'x adver advert agric all'n alt alternat am amend ann app "
        "appeal arb ass'n assn assoc assocs atl auth auto automob ave bancorp bank bankr bd behav "
        "bhd bldg bldgs broad brokerage bros bus c.a cal cap cas cath cir civ coal coll colo comm "
        "comm'n comm'r comm'rs commc'n commc'ns commn commr commun cmty cmtys comp compar comput "
        "condo conf cong conn consol const constr cont'l contemp contr conv coop corp corps corr "
        "cos "
        "cosm ct ctr ctrs cts cnty dac def defs del dep't dept depts det dev dir disc disp dist "
        "distrib distribs div dr e.g ecol econ ed educ elec emp emp'r emps enf't eng eng'g eng'r "
        "ent enter enters env't envt envtl equal equip est et etc eur ex exam exch exec exp expl "
        "export ext fac fam fed fed'n fid fin fla found frat frgt ft ga gas gen glob gov gov't "
        "govt grp "
        "guar haw hist hon hosp hosps hous hum ill imp inc ind indem indep indus info ins inst "
        "insts int'l "
        "intell intl inv inv'r invest invs jr jud juv ky la lab labs lib liab loc ltd lumber m.d "
        "mach maint "
        "manag mass md me med mem'l mem mfg mfgs mfr mfrs mgmt mich minn miss mkt mktg mo mont "
        "mortg "
        "mot mr mrs ms mun mut n.a nat nat'l natl nat's neb nev no nos nw oh okla op opp ops or "
        "ore org orgs "
        "pa pac par patt pers pet petr pharm pharma pharms phil phila pl pls prac pres priv prob "
        "probs "
        "proc procs prod prods prof prop props prot ptr pub publ'g publ'n publishing pty r.r reg "
        "regul rehab "
        "rel rels reprod rep res resol rest ret rev riv rr ry s.a sav sch schs sci sec secs sec'y "
        "serv servs shrs soc soc'y sol sols sp spec ss st sta stat std stds ste sub subcomm sur "
        "surg sw "
        "sys syss tax tech techs tel telecomm telecomms telegr telev temp tenn tex theat tit "
        "trade tr "
        "transcon transp trans tres trib trs tr tpk twp unif univ unempl util utils va vet vill "
        "vol vt w.r "
        "warehouse wash wis wyo bro cf ch corp s.e s.w n.e n.w n.y n.j n.c n.d s.c s.d u.s d.c "
        "p.r r.i n.h n.m "
        "ariz ark calif conn colo idaho ill iowa kan nev okla ore wash cty comms mts mt mgt svc "
        "svcs "
        "assur acc accts admx admr exr exx grd gdn sr hwy rd sq blvd intern'l wm chas geo jas "
        "jos thos"
    ).split()
)
_STARTERS = frozenset(
    (
        "The This That These Those It In On At A An We He She They But And See Here As If When "
        "Where "
        "There Under Thus However Because Although Plaintiff Plaintiffs Defendant Defendants Our "
        "His "
        "Her Its Their Such No Nor Yet So Accordingly Id. For By To With After Before Then"
    ).split()
)
_VERSUS = re.compile(r"(?<=[\w.,)'’!\"”&\]])\s(?:v|vs|V|VS)\.?\s(?=['‘’\"“(\[$]?[\w\[])")
_COMPARED = frozenset(
    (
        "actual budget change prior year period quarter month sales reported fixed floating rate "
        "plan "
        "forecast target growth cost costs price margin estimated operational long-term short-term "
        "current previous last total average revenue income net gross expected old new before after"
    ).split()
)
_MOST_WORDS = 14
"""In one side of a name that stands without a reporter."""
_JOINING = frozenset(
    "of the and & for ex rel. rel et al. al de la le las los del van von der "
    "d/b/a a/k/a f/k/a at an a".split()
)
_SIGNALS_AFTER = frozenset(
    (
        "see id ibid supra but and cf in the plaintiff plaintiffs defendant defendants on at by "
        "from "
        "this that these those we our it after before during since as when where if because "
        "however "
        "he she they under although while thus therefore here there"
    ).split()
)
_ROLE = re.compile(
    r"\b(?:[Pp]laintiffs?|PLAINTIFFS?|[Dd]efendants?|DEFENDANTS?|[Pp]etitioners?|PETITIONERS?"
    r"|[Rr]espondents?|RESPONDENTS?"
    r"|[Aa]ppell(?:ant|ee)s?|APPELL(?:ANT|EE)S?)\b(?=[\s,./-]*(?:$|v\b|vs\b|V\b|VS\b"
    r"|[-/]\s?[AaDPRp]))"
)
_ROLE_AFTER = re.compile(
    r",?\s*(?:et\sal\.,?\s*)?(?:Plaintiff|Defendant|Petitioner|Respondent|Appell|PLAINTIFF"
    r"|DEFENDANT|PETITIONER|RESPONDENT|APPELL)"
)
_TITLE = re.compile(
    r"(?<![\w.])(?:[Ii]n\s[Rr]e:?|IN RE:?|[Ee]x\s[Pp]arte|EX PARTE|In the (?:Matter|Interest"
    r"|Interests|Estate|Marriage) of"
    r"|(?:Matter|Estate|Application|Petition|Appeal|Adoption|Guardianship|Conservatorship"
    r"|Marriage|Succession|Will|Welfare|Custody|Parentage|Paternity|Interest|Care and Treatment) of"
    r")\s(?=['‘’\"“]?[\w])"
)
_PLAIN_TITLE = re.compile(
    r"(?<![\w.])(?:The\s(?:['‘’\w&.-]+\s?){1,4}|(?:[A-Z][\w'’.-]+\s){1,3}Cases)$"
)
_TAIL = re.compile(
    r"(?:\s*\((?:[^()\d]{0,30}\s)?(?:17|18|19|20)\d\d\)"
    r"|,?\s*\((?!In re)[\"“]?[A-Z][^()]{0,50}\)"
    r"|,?\s(?:supra|ante)(?:,?\s(?:at\s)?(?:note\s|n\.\s?)?\d+)?"
    r"|,\s(?:[A-Z][\w.&'’-]*\s){0,4}Nos?\.?:?\s?[\w:.()/–‑-]{2,40}(?:(?:,|\s(?:&"
    r"|and))\s[\w:.()/–‑-]*\d[\w:.()/–‑-]*)*"
    r"|,\sslip\sop\.?(?:\sat\s\d+)?"
    r"|,?\s(?:[-—–_]{2,}|\d{1,3})\s[A-Z][\w. ]{0,14}\s?[-—–_]{2,}"
    r"|,?\s(?:at|reported at|reported in|reprinted in|in))*"
    r"(?:\s?,)?\s*$"
)
_WORD = re.compile(r"\S+")
_YEAR = re.compile(r"(?:18|19|20)\d\d")
_COUNTED = frozenset(
    "no nos local loc dist district unit post lodge doe roe one two region ward route of".split()
)
_CLOSING = re.compile(r'^(?![“"«]).*[”"»]$')
_STREETS = frozenset("St Ave Street Avenue Blvd Rd Road Place Pl Broadway Realty Owners".split())
_NUMBER = re.compile(r"[#$]?\d[\d,.\-–/]*(?:st|nd|rd|th|d)?,?$")
_NAME_WORD = re.compile(
    r"['‘’\"“(\[]*(?:[^\W\d_]['’]?)?[A-ZÀ-ÖØ-Þ0-9$#][^;:?]*$|[a-z]{1,3}[A-Z]\S*$|[dl]['’][A-Z]\S*$"
    r"|\((?:[a-z]{1,2}|[A-Z][\w.]*)\)[,.]?$"
)


@dataclass(frozen=True, slots=True)
class CaseName:
    """The name of a case as it stands in a text.

    Attributes
    ----------
    start, end
        Its place.
    text
        What stands there, line breaks as spaces.
    parties
        The two sides, or the one of "In re ...".
    """

    start: int
    end: int
    text: str
    parties: tuple[str, ...]


def name_before(text: str, core: int, /, *, floor: int = 0) -> CaseName | None:
    """Return the name of the case whose citation begins at *core*.

    Parameters
    ----------
    text
        Any text; a line break within a name counts as a space.
    core
        Where volume and reporter begin.
    floor
        The name begins here at the earliest: the end of the citation before.

    Returns
    -------
    CaseName or None
        ``None`` where something else stands before the citation.
    """
    left = _left(text, core, floor)
    window = text[left:core]
    tail = _TAIL.search(window)
    end = tail.start() if tail else len(window)
    region = window[:end].rstrip(" ,\n")
    if tail and not tail[0].strip() and not window[end:].strip():
        end = len(region)
    found = None
    for versus in _VERSUS.finditer(region):
        found = versus
    if found is not None and _is_name(region[found.end() :]):
        start = _first_side(region, found.start())
        if start is not None:
            return _named(region, left, start, (found.start(), found.end()))
    if found is None:
        return _one_sided(region, left)
    return None


def names_alone(text: str, /) -> Iterator[CaseName]:
    """Yield the names of cases with two sides, wherever they stand in *text*, in order."""
    floor = 0
    for versus in _VERSUS.finditer(text):
        left = _left(text, versus.start(), floor)
        begin = _first_side(text[left : versus.start()], versus.start() - left)
        end = _second_side(text, versus.end())
        if begin is None or end is None:
            continue
        start = left + begin
        sides = (text[start : versus.start()], text[versus.end() : end])
        if not _are_parties(sides, versus[0].strip()):
            continue
        yield CaseName(
            start,
            end,
            " ".join(text[start:end].split()),
            tuple(" ".join(side.split()).strip(" ,") for side in sides),
        )
        floor = end


def _are_parties(sides: tuple[str, str], versus: str) -> bool:
    """Whether both sides can be parties, and not what a table compares ("Actual vs. Budget")."""
    if versus[0] == "V" and not all(side.isupper() for side in sides):
        # "Factor V Leiden"
        return False
    for side in sides:
        words = side.split()
        compared = {word.strip("(),.%").lower() for word in words} & _COMPARED
        if len(words) > _MOST_WORDS or "%" in side or (versus[:2].lower() == "vs" and compared):
            return False
    return True


def is_caption(text: str, start: int, end: int, /) -> bool:
    """Whether the name at *start* to *end* heads a paper, and cites nothing.

    A caption calls its parties plaintiff and defendant, or sets them on lines of their own; a
    running head is all that its line says.
    """
    inside = text[start:end]
    if _ROLE.search(inside) or _ROLE_AFTER.match(text, end):
        return True
    if re.search(r"\n\s*(?:v|vs|V|VS)\.?\s*\n", inside) or "\n\n" in inside:
        return True
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line = text[line_start : line_end if line_end >= 0 else len(text)]
    alone = (
        line.strip(" .\t*_#-–—0123456789").startswith(inside.strip())
        and len(line.strip()) <= len(inside) + 6
    )
    return (
        alone
        and ("\n" in text)
        and not re.search(r"[,;:]\s*$", text[max(0, line_start - 3) : line_start])
    )


def _second_side(text: str, start: int) -> int | None:
    """Where the side that begins at *start* ends, read on as long as words can be of a name."""
    end: int | None = None
    before = ""
    for match in _WORD.finditer(text, start, min(len(text), start + 200)):
        word = match[0]
        small = word.strip('(),[];:"“”').lower()
        if end is not None and (
            "\n\n" in text[end : match.start()] or _ends_side(before, word, begun=word[0] in '("“[')
        ):
            break
        named = bool(_NAME_WORD.match(word)) and small.rstrip(".,") not in _SIGNALS_AFTER
        if named:
            end = match.end()
        elif small not in _JOINING:
            break
        elif end is None and small not in {"the", "de", "la", "a", "an"}:
            return None
        before = word
    return _without_signs(text, start, end) if end is not None else None


def _ends_side(before: str, word: str, *, begun: bool) -> bool:
    """Whether a name ends behind the word *before*, whatever *word* is."""
    if (
        begun
        or before.endswith((";", ":", "?", ")", "”", '"'))
        or before.lower() in {"al.", "al.,"}
    ):
        return True
    if before.endswith(","):
        return not _FORMS.match(word)
    if before.endswith(".") and (word in _STARTERS or not _is_abbreviation(before, word)):
        return True
    return _NUMBER.match(word) is not None and before.rstrip(".").lower() not in _COUNTED


def _without_signs(text: str, start: int, end: int) -> int | None:
    while end > start and text[end - 1] in ".,;:)]\"”’'":
        last = re.split(r"\s", text[start:end])[-1]
        if text[end - 1] == "." and _is_abbreviation(last, ""):
            break
        end -= 1
    return end if re.search(r"[^\W\d_]", text[start:end]) else None


def words_before(text: str, core: int, /, *, floor: int = 0) -> CaseName | None:
    """Return the run of words right before a short form, as far as they can be a name.

    ``In Daubert, 509 U.S. at 593`` gives "Daubert".
    """
    left = _left(text, core, floor)
    window = text[left:core]
    tail = _TAIL.search(window)
    region = window[: tail.start() if tail else len(window)].rstrip(" ,\n")
    if not region:
        return None
    start = _first_side(region, len(region))
    if start is None:
        return None
    return _named(region, left, start, None)


def _left(text: str, core: int, floor: int) -> int:
    left = max(floor, core - _LONGEST)
    window = text[left:core]
    for stop in ("\n\n", ";", "\u2022"):
        at = window.rfind(stop)
        if at >= 0:
            left += at + len(stop)
            window = text[left:core]
    depth = 0
    for at in range(len(window) - 1, -1, -1):
        sign = window[at]
        if sign == ")":
            depth += 1
        elif sign == "(":
            if depth == 0:
                return left + at + 1
            depth -= 1
    return left


def _named(region: str, left: int, start: int, versus: tuple[int, int] | None) -> CaseName:
    written = region[start:]
    if versus:
        sides: tuple[str, ...] = (region[start : versus[0]], region[versus[1] :])
    else:
        title = _TITLE.match(written)
        sides = (written[title.end() :] if title else written,)
    return CaseName(
        left + start,
        left + len(region),
        " ".join(written.split()),
        tuple(" ".join(side.split()).strip(" ,") for side in sides),
    )


def _one_sided(region: str, left: int) -> CaseName | None:
    title = None
    for title in _TITLE.finditer(region):
        if _is_name(region[title.end() :]):
            break
    else:
        title = None
    if title is not None:
        start = title.start()
        if not region[start : start + 2].lower().startswith(("in", "ex")):
            # "In re Estate of Doe", "In Matter of Doe"
            before = re.search(r"In (?:re |the )?$", region[:start])
            start = before.start() if before and before[0] != "In " else start
        return _named(region, left, start, None)
    plain = _PLAIN_TITLE.search(region)
    if plain and _is_name(plain[0]) and plain[0].count(" ") and "Court" not in plain[0]:
        return _named(region, left, plain.start(), None)
    return None


def _is_name(side: str) -> bool:
    """Whether all words of *side* can be those of a name."""
    words = side.split()
    if not words or len(words) > 30:
        return False
    for place, word in enumerate(words):
        plain = word.strip(',()[]"“”')
        small = plain.lower()
        if word[-1] in ".?!" and place + 1 < len(words) and words[place + 1] in _STARTERS:
            return False
        if _NAME_WORD.match(word) or small in _SMALL:
            continue
        if small in _SMALL_WITHIN or _is_legal_role(small):
            continue
        return False
    return bool(
        _NAME_WORD.match(words[0]) or words[0].lower() in {"the", "de", "la", "a", "van", "von"}
    )


def _is_legal_role(word: str) -> bool:
    return word in {
        "individually", "official", "capacity", "trustee", "behalf", "deceased", "others", ("simil"
                                                                                           "arly"),
        "situated", "successor", "interest", "friend", "next", "guardian", "estate", "more", "less",
        "acres", "land", "dollars", "currency", "s/h/a", "one", "two", "certain", "known", "minor",
        "doing", "business",
    }  # fmt: skip


def _first_side(region: str, end: int) -> int | None:
    """Where the side that ends at *end* begins; ``None`` where no name stands there."""
    words = [(m.start(), m[0]) for m in _WORD.finditer(region, 0, end)]
    taken = len(words)
    joined = False
    stopped_at = ""
    while taken:
        word = words[taken - 1][1]
        if _CLOSING.search(word):
            # Behind the end of a quotation nothing goes on.
            break
        right = words[taken][1] if taken < len(words) else ""
        if not _goes_on(words, taken - 1, right, joined=joined):
            stopped_at = word
            break
        joined = joined or word in {"&", "and"}
        taken -= 1
        if word.rstrip(",").isdigit() and not _is_numbered(words, taken):
            break
        if word[0] in '"“‘[' and not (word[0] == "‘" and len(word) < 4):
            break
    while taken < len(words) and _is_no_start(words, taken):
        stopped_at = words[taken][1]
        taken += 1
    if taken == len(words):
        return None
    if stopped_at.lower() in {"in", "at", "under", "for", "since", "by", "as"}:
        # "In California, Johnson & Johnson v. ...": the place before the comma is no party.
        for place in range(taken, len(words) - 1):
            if words[place][1].endswith(",") and not _FORMS.match(words[place + 1][1]):
                taken = place + 1
                break
    start, first = words[taken]
    return start + len(first) - len(first.lstrip('"“‘[('))


def _is_numbered(words: list[tuple[int, str]], place: int) -> bool:
    """Whether a number belongs to the word before it: "Local 1547", "Dist. No. 26", "One 1958"."""
    before = words[place - 1][1].lower().rstrip(".") if place else ""
    return before in _COUNTED


def _goes_on(words: list[tuple[int, str]], place: int, right: str, *, joined: bool) -> bool:
    """Whether the word at *place* belongs to the name whose next word is *right*."""
    word = words[place][1]
    plain = word.strip('(),[]"“”')
    small = plain.lower()
    if word[-1] in ";:?!" and right and not (word[-1] == "!" and word[0].isupper()):
        return False
    if small in _SMALL or small.rstrip(".,") in {"rel", "al"}:
        return bool(right) or small.startswith("al")
    if small in _SMALL_WITHIN:
        before = words[place - 1][1].lower() if place else ""
        after = right.lower()
        phrase = f"{before} {small} {after}"
        if small in {"re", "parte"}:
            return before in {"in", "ex"}
        return bool(
            re.search(
                r"on behalf|behalf of|by and|and through|through (?:his|her|its|their)|in (?:his"
                r"|her|their|its) |by (?:his|her|its|their) ",
                phrase,
            )
            or (
                small == "to"
                and before.startswith(("comm", "campaign", "council", "citizens", "right"))
            )
        )
    if small == "in" or (word == "In" and right.lower() in {"re", "re:"}):
        return True
    if _is_legal_role(small):
        return bool(right)
    if _NUMBER.match(word):
        # "On March 4, 2024 Smith v. Jones was filed"; "One 1958 Plymouth Sedan".
        before = words[place - 1][1].lower() if place else ""
        dated = _YEAR.fullmatch(plain) and before not in {"one", "two", "a", "the", "certain"}
        return not dated and (bool(right) or place > 0)
    if not _NAME_WORD.match(word):
        return False
    if small.rstrip(".,") in _NO_NAME and small.rstrip(".,") not in _ALSO_NAMES:
        stands = not word.endswith(".") or not right
        return stands and word[0].isupper() and _is_inner(words, place, right)
    if word.endswith((".", ".)")) and right and not _is_abbreviation(plain, right):
        return False
    if word.rstrip(".,;").endswith(")") and ("(" not in word or re.search(r"\d", word)):
        return False
    if word.endswith((",", ",”", ',"')) and right:
        return _comma_within(plain, right, joined=joined)
    return True


def _is_inner(words: list[tuple[int, str]], place: int, right: str) -> bool:
    """Whether a word that begins sentences stands within a name ("First Nat'l", "Court of")."""
    word = words[place][1].rstrip(".,").lower()
    if word in {"first", "second", "third", "section", "rule", "art", "judge", "cases", "chief"}:
        return bool(right) and right[:1].isupper() and word in {"first", "second", "third", "art"}
    return False


def _is_abbreviation(plain: str, right: str) -> bool:
    stem = plain.rstrip(".,)")
    small = stem.lower()
    if "." in stem or len(stem) <= 2 or small in _ABBREVIATIONS:
        return True
    if "'" in stem or "’" in stem:
        return small.replace("’", "'") in _ABBREVIATIONS or not re.search(r"['’]s$", stem)
    return (
        right[:1] in {"&", ","} or right.lower() in {"v.", "vs.", "of"} or bool(_FORMS.match(right))
    )


def _comma_within(plain: str, right: str, *, joined: bool) -> bool:
    stem = plain.rstrip(",")
    if _FORMS.match(right):
        return True
    if stem.lower() in _NO_NAME or stem.isdigit():
        return False
    if stem.endswith("."):
        return stem.rstrip(".").lower() not in {"e.g", "cf", "id", "ibid"}
    return joined


def _is_no_start(words: list[tuple[int, str]], place: int) -> bool:
    word = words[place][1]
    plain = word.strip("(),[]\"“”'‘’")
    small = plain.lower().rstrip(".,")
    after = words[place + 1][1].lower() if place + 1 < len(words) else ""
    if not plain:
        return True
    if small == "in":
        return after not in {"re", "re:"} and not (
            after == "the"
            and place + 2 < len(words)
            and words[place + 2][1].lower() in {"matter", "interest"}
        )
    if small in {
        "the",
        "a",
        "an",
        "de",
        "la",
        "le",
        "los",
        "las",
        "el",
        "van",
        "von",
        "du",
        "del",
        "di",
        "da",
    }:
        return word[0].islower() and small in {"the", "a", "an"}
    if small in _SMALL or small in _SMALL_WITHIN or _is_legal_role(small):
        return word[0].islower() or word == "&"
    if small in _NO_NAME and small not in _ALSO_NAMES:
        return not _is_inner(words, place, after.title())
    # The mark of a footnote is no part of a name; the number of a house is.
    if re.fullmatch(r"\d{1,2}", plain) is None:
        return False
    return not any(other.strip(".,") in _STREETS for _, other in words[place + 1 :])
