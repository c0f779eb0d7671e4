"""The cells of a table's line: a label, and the numbers after it, each with its exact place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from casetrack.base.words import WordLists
from casetrack.extract.amounts.find import find_amounts
from casetrack.extract.amounts.money import CODES, PHRASES, SIGNS
from casetrack.extract.amounts.numerals import Habit, read_value
from casetrack.extract.tables.model import MONEY_SIGNS

# Meaning of a row by its label: counts of things, ratios, prices of a share.

_LISTS = WordLists(__file__)

_PER_SHARE = re.compile(_LISTS.text("per_share"), re.VERBOSE | re.IGNORECASE)
_BASIC = _LISTS.pattern("basic")
_IN_BRACKETS = re.compile(r"\([^)]*\)?")
_MONEY_WORDS = re.compile(_LISTS.text("money_words"), re.VERBOSE | re.IGNORECASE)
_THINGS = re.compile(_LISTS.text("things"), re.VERBOSE | re.IGNORECASE)
_RATIOS = re.compile(_LISTS.text("ratios"), re.VERBOSE | re.IGNORECASE)
_UNIT = _LISTS.pattern("unit")
_OTHER_UNIT = _LISTS.pattern("other_unit")
_PERIOD = re.compile(r"\b(?:FYE?\s?|[QH][1-4]\s?)?['’]?(?:19|20)\d\d(?:[/–-]\d\d)?\b")
_CACHED = 4096
_SHARES_ONLY = _LISTS.pattern("shares_only")


def is_per_share(label: str, section: str, /) -> bool:
    """Return whether a row has values of one share or thing, which have no scale.

    *section* is the line of words above it, such as "Net income per share:".

    Examples
    --------
    >>> is_per_share("Diluted", "Earnings per common share:"), is_per_share("Net sales", "")
    (True, False)
    """
    if _PER_SHARE.search(label) or _BASIC.match(label):
        return True
    section = _IN_BRACKETS.sub("", section)
    return bool(_PER_SHARE.search(section)) and not _MONEY_WORDS.search(label)


def names_money(label: str, /) -> bool:
    """Return whether the label of a row says that its values are money.

    Examples
    --------
    >>> names_money("Total assets"), names_money("Ending balance")
    (True, False)
    """
    return bool(_MONEY_WORDS.search(label)) and not counts_things(label, "")


def counts_things(label: str, section: str, /) -> bool:
    """Return whether a row has counts or ratios: shares, employees, days, per cents; no sums.

    Examples
    --------
    >>> counts_things("Weighted average shares", ""), counts_things("Cost of shares issued", "")
    (True, False)
    """
    if _SHARES_ONLY.search(label) or _RATIOS.search(label) or names_unit(label):
        return True
    if _THINGS.search(label) and not _MONEY_WORDS.search(label):
        return True
    if _MONEY_WORDS.search(label):
        return False
    return bool(_SHARES_ONLY.search(section) or _RATIOS.search(section) or _THINGS.search(section))


@lru_cache(_CACHED)
def names_unit(words: str, /) -> bool:
    """Return whether words end with a unit other than a currency: "Gas (million m3)", "GWh".

    Examples
    --------
    >>> names_unit("Gas (million m3)"), names_unit("2024 thousand barrels"), names_unit("(EUR m)")
    (True, True, False)
    """
    unit = _UNIT.search(_PERIOD.sub("", words))
    if unit is None:
        return False
    counted = f"7 {unit[1]}"
    amounts = find_amounts(counted)
    is_known = bool(amounts) and amounts[0].kind == "quantity" and amounts[0].end == len(counted)
    return is_known or _OTHER_UNIT.fullmatch(unit[1]) is not None


# Scales in a table, its caption or its page: "(in millions, except per share)".


class Scale(NamedTuple):
    """A statement of the scale of numbers."""

    start: int
    end: int
    factor: float  # 1e6 for "in millions"
    unit: str | None  # its currency, as in `AmountSpan.unit`, or `None`
    of_money: bool  # false for other things ("shares in thousands")
    enclosed: bool  # whether it is in brackets, as captions have it even within running text


_FACTORS = {
    "thousand": 1e3, "000": 1e3, "k": 1e3, "tsd": 1e3, "tausend": 1e3, "lakh": 1e5, "lac": 1e5,
    "crore": 1e7, "cr": 1e7, "billion": 1e9, "bn": 1e9, "mrd": 1e9, "milliarden": 1e9, "b": 1e9,
    "trillion": 1e12,
}  # fmt: skip
_MONEY = (
    rf"(?:[A-Z]{{1,3}}[$]|[{MONEY_SIGNS}]|Rs\.?|(?-i:[A-Z]{{3}})(?=\b|(?:m|mn|bn|k)\b)"
    r"|(?:(?:u\.?s\.?|united\sstates|canadian|australian|hong kong|singapore|new zealand|nominal)"
    r"\s)?dollars?\b"
    r"|euros?\b|pounds?(?:\ssterling)?\b|yen\b|rupees?\b|renminbi\b|francs?\b|kron[ao]r?\b)"
)
_USUAL = "EUR|CHF|GBP|USD|SEK|NOK|DKK|JPY|CAD|AUD|INR|PLN|CNY|RMB"
_WORD = (
    r"(?:thousands?|millions?|billions?|trillions?|crores?|lakhs?|lacs?|tausend|millionen"
    r"|milliarden|mio\b\.?|mrd\b\.?|tsd\b\.?|mln\b|mn\b|bn\b|mm\b|cr\b\.?|['’]?000s?\b(?:['’]s)?)"
)
_STATED = re.compile(
    rf"""(?<![\w.,'’$€£])(?:
      (?P<named>(?:(?:dollars|amounts?|figures|values?|tabular\s\w+|data|stated|expressed|reported
          |presented|shown|shares)\b[^\n()|.;]{{0,30}}?\s|\$\sand\s\w+\s)?)in\s(?:nominal\s)?
          (?P<before>{_MONEY}\s?)?(?P<word>{_WORD})(?P<of>\sof\s{_MONEY}|\s?{_MONEY})?
      |(?P<money>{_MONEY})\s?(?:in\s)?(?P<short>{_WORD}|['’]?(?:m|b|k)\b)(?!\s?\d(?!\d\d\d\b))
      |(?P<lone>{_WORD})(?P<after>\s(?:of\s)?{_MONEY}|)(?=\s?[,)|;]|\s(?:except|omitted)\b|\s?$)
      |(?:in\s)?(?P<joined>(?:T|k|mn?|bn)(?:€|(?:{_USUAL})\b))
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_CURRENCY_ALONE = re.compile(
    rf"[(/]\s*(?:in\s)?({_MONEY})\s*\)?\s*$|^\s*(?:in\s)?([A-Z]{{0,3}}[{MONEY_SIGNS}]|{_USUAL})\s*$"
)
_CURRENCY = re.compile(rf"{_MONEY}|(?-i:{_USUAL})", re.IGNORECASE)
_QUICK = _LISTS.pattern("quick")
_OTHER_THINGS = _LISTS.pattern("other_things")
_COUNTED = re.compile(r"\bnumber\sof\s[\w\s-]+\(?$", re.IGNORECASE)
_OF_MONEY = re.compile(
    rf"[{MONEY_SIGNS}]|\b(?:dollars?|amounts?|currency|values?|sales|revenues?|costs?)\b",
    re.IGNORECASE,
)
_EXCEPT = re.compile(r"\b(?:except|excluding|other than)\b.*", re.IGNORECASE | re.DOTALL)
_REACH = 70
_US_DOLLARS = frozenset(("u.s. dollars", "us dollars", "united states dollars"))


def find_scales(text: str, /, *, anywhere: bool = False) -> Iterator[Scale]:
    """Yield the statements of scales in a line, a caption or a table's header, in order.

    Numbers with a word ("$5 million") and running text ("in thousands of cities") are excluded:
    outside brackets a statement must begin the text, a cell or a clause, or mention amounts.
    In a page's header, whose lines are joined, it may be *anywhere*.

    Examples
    --------
    >>> [(s.factor, s.unit) for s in find_scales("(in millions of euros, except per share data)")]
    [(1000000.0, 'EUR')]
    >>> [s.of_money for s in find_scales("(Shares in thousands)")]
    [False]
    """
    if _QUICK.search(text) is None:
        return
    for match in _STATED.finditer(text):
        ahead = text[max(0, match.start() - _REACH) : match.start()]
        if match["money"] and unit_of(match["money"].strip()) is None:
            continue  # "LONG-TERM" is no code with an "M"
        if re.search(r"\d\s?$", ahead) and not re.search(r"\b(?:19|20)\d\d\s$", ahead):
            continue
        opened = ahead.rfind("(") > ahead.rfind(")")
        clause = _PERIOD.sub("", re.split(r"[(|\n]", ahead)[-1])
        if not (opened or anywhere or _begins(match, clause)):
            continue
        word = match["word"] or match["short"] or match["lone"] or ""
        about = _EXCEPT.sub("", clause) + (match["named"] or "")
        of_money = not _OTHER_THINGS.search(about) or bool(_OF_MONEY.search(about))
        of_money = of_money and not _COUNTED.search(re.split(r"[|\n]", ahead)[-1])
        yield Scale(
            match.start(), match.end(), _factor(word, match["joined"]), _unit(match, about),
            of_money, opened,
        )  # fmt: skip


@lru_cache(_CACHED)
def scale_of_column(name: str, /) -> Scale | None:
    """Return the scale in a column's name, if it is money.

    Examples
    --------
    >>> scale_of_column("2024 / EUR m").factor, scale_of_column("Price (USD)").unit
    (1000000.0, 'USD')
    """
    if stated := [s for level in name.split(" / ") for s in find_scales(level) if s.of_money]:
        return stated[-1]
    alone = _CURRENCY_ALONE.search(_PERIOD.sub("", name))
    unit = unit_of((alone[1] or alone[2]).strip()) if alone else None
    return Scale(0, len(name), 1.0, unit, of_money=True, enclosed=True) if unit else None


def currency_of(line: str, /) -> Scale | None:
    """Return the currency of a line or a row of headers that consists of nothing else.

    Examples
    --------
    >>> currency_of("US dollars").unit, currency_of("| $ | $").unit, currency_of("EUR | 2031")
    ('USD', 'dollar', None)
    """
    cells = [cell for cell in map(str.strip, line.split("|")) if cell]
    if not cells or len(line) > _REACH:
        return None
    units = {unit_of(cell) if _CURRENCY.fullmatch(cell) else None for cell in cells}
    unit = units.pop()
    is_one = unit is not None and not units
    return Scale(0, len(line), 1.0, unit, of_money=True, enclosed=True) if is_one else None


def _begins(match: re.Match[str], clause: str) -> bool:
    before = clause.strip()
    if match["lone"] is not None:
        return not before and (match["lone"][-1:] in "sS." or bool(match["after"]))
    if match["named"]:
        return (
            not re.match(r"(?:data|values?|shares)\b", match["named"], re.IGNORECASE) or not before
        )
    return not before or before[-1] in ",;:-–—"


def _factor(word: str, joined: str | None) -> float:
    if joined:
        return {"m": 1e6, "b": 1e9}.get(joined[0].lower(), 1e3)
    name = word.lower().strip(".'’")
    if name.startswith("000"):
        return 1e3
    return _FACTORS.get(name, _FACTORS.get(name.removesuffix("s"), 1e6))


def _unit(match: re.Match[str], about: str) -> str | None:
    if match["joined"]:
        written = re.sub(r"^(?:T|k|mn?|bn)", "", match["joined"], flags=re.IGNORECASE)
    else:
        parts = (match["before"], match["of"], match["money"], match["after"])
        written = next((part for part in parts if part and part.strip()), "") or ""
        written = re.sub(r"^\s*of\s", "", written, flags=re.IGNORECASE)
    known = unit_of(written.strip())
    if known is None and (named := re.search(_MONEY, about, re.IGNORECASE)):
        known = unit_of(named[0].strip())
    return known


def unit_of(written: str, /) -> str | None:
    """Return the unit of a currency's sign, code or name, or ``None``.

    Examples
    --------
    >>> unit_of("US$"), unit_of("dollars"), unit_of("Mio")
    ('USD', 'dollar', None)
    """
    if written in SIGNS:
        return SIGNS[written]
    code = "CNY" if written.upper() == "RMB" else written.upper()
    if code in CODES:
        return code
    bare = written.rstrip(".")
    return (
        SIGNS.get(bare)
        or PHRASES.get(bare.lower())
        or ("USD" if bare.lower() in _US_DOLLARS else None)
    )


class Cell(NamedTuple):
    """A cell of a line."""

    # start, end: number with sign and brackets, without the currency.
    start: int
    end: int
    value: float | None  # `None` for an empty cell (a dash, "N/A")
    unit: str | None  # its currency, which may be at the end of the cell before, or `None`
    percent: bool  # whether it is a percentage, or another ratio ("2.5x")
    decimals: int  # number of decimals
    plain: bool  # whether it has digits only, as years and footnotes do
    name: str = ""  # name of its column, if the line repeats it: "Item: Rent | 2024: 9"


class Row(NamedTuple):
    """A line of a table: the span of its label, which may be empty, and its cells."""

    label: tuple[int, int]
    cells: tuple[Cell, ...]


_SIGN = rf"(?:[A-Z]{{1,3}}[$]|[{MONEY_SIGNS}]|Rs\.?(?=\s?[\d(])|\b[A-Z]{{3}}(?=\s?[\d(]))"
_TOKEN = re.compile(
    rf"""(?P<sign>{_SIGN})
      |(?P<open>\(\s?)?(?P<minus>[-−–]\s?)?(?P<inner>{_SIGN}\s?)?(?P<open2>\(\s?)?
       (?P<number>(?!000(?![\d.,]*\d))\d(?:[\d,.'’\u00a0\u202f]*\d)?|\.\d+)
       (?P<ratio>\s?(?:%|bps\b|pts?\b|x\b))?(?P<close>\s?\))?(?P<ratio2>\s?%)?
      |(?P<none>[-—–―]{{1,3}}|\bN/?[AM]\b|\bn/?[am]\b|\bnil\b|[*†]+(?=\s|$))""",
    re.VERBOSE,
)
_GAP = re.compile(r"[\s|]*")
_NOTE = re.compile(r"(?:\s?(?:\([a-z]\)|[*†‡§¹²³]+)|\(\d{1,2}\))+(?=\s(?!%)|\||$)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LEAST_BARS = 2
_MARK = re.compile(r"\(?\d{1,2}\)?")
_BRACKETED_MARK = re.compile(r"\(\d{1,2}\)")


def read_row(line: str, habit: Habit, /) -> Row | None:
    """Return a line's label and cells, or ``None`` if it does not end with cells.

    Bars or, after a label, spaces separate cells; *habit* is the number style of the page.

    Examples
    --------
    >>> from casetrack.extract.amounts.numerals import Habit
    >>> line = "Net sales (1) | $ 34,229 $ | (35,355) | —"
    >>> [(line[c.start : c.end], c.value, c.unit) for c in read_row(line, Habit(line)).cells]
    [('34,229', 34229.0, 'dollar'), ('(35,355)', -35355.0, 'dollar'), ('—', None, None)]
    """
    tokens = max(_last_run(line, 0, len(line)), _between_words(line), key=len)
    if ": " in line:
        named = _named_row(line, habit)
        count = sum(not token["sign"] for token in tokens)
        if named is not None and len(named.cells) >= max(count, 1 + (not named.label[1])):
            return named
    cells = _cells(tokens, line, habit)
    if not cells:
        return None
    head = line[: tokens[0].start()]
    end = len(head.rstrip(" |\t"))
    start = len(head) - len(head.lstrip(" |\t"))
    if start >= end and len(cells) > 1 and _is_name(line, cells):
        # A year at the start of its line names the row: "2027 | $ 500".
        start, end = cells[0].start, cells[0].end
        del cells[0]
    elif start < end and len(cells) > 1 and "|" not in line[end : cells[0].start]:
        bar = line.find("|", cells[0].end)
        parted = 0 <= bar < cells[1].start
        mark = line[cells[0].start : cells[0].end]
        if cells[0].unit is None and (
            (parted and (cells[0].percent or _MARK.fullmatch(mark)))
            or (_YEAR.fullmatch(mark) and not cells[1].plain)
        ):
            # A number that is not separated from the label is a footnote, a rate, or the year of a
            # day: "Other (2) | 5 | 7", "Tax at 20 % | 110", "Balance at June 30, 2022 | 110".
            end = end if _MARK.fullmatch(mark) else cells[0].end
            del cells[0]
    return Row((min(start, end), end), tuple(cells))


def _cells(tokens: list[re.Match[str]], line: str, habit: Habit) -> list[Cell]:
    if not tokens:
        return []
    cells: list[Cell] = []
    sign: str | None = None
    behind = (
        not tokens[0]["sign"]
        and not tokens[0]["inner"]
        and bool(tokens[-1]["sign"])
        and "|" not in line[tokens[-2].end() : tokens[-1].start()]
    )
    for token in tokens:
        if token["sign"]:
            sign = unit_of(token["sign"])
            if behind and cells:
                # "1.100,0 €": the first cell has no sign before it, the last has one after it.
                cells[-1], sign = cells[-1]._replace(unit=sign), None
            continue
        cell = _cell(token, sign, habit)
        if cell is None:
            return []
        cells.append(cell)
        sign = None
    return cells


def _named_row(line: str, habit: Habit) -> Row | None:
    """Return the row of a line that repeats the names of columns: "Item: Rent | 2024: $ 9"."""
    label, cells = (0, 0), list[Cell]()
    start = 0
    while start <= len(line):
        bar = line.find(" | ", start)
        stop = bar if bar >= 0 else len(line)
        colon = line.rfind(": ", start, stop)
        name = line[start : max(start, colon)]
        value = colon + 2 if name else start
        run = _last_run(line, value, stop)
        own = [] if run and line[value : run[0].start()].strip() else _cells(run, line, habit)
        if len(own) == 1:
            cells.append(own[0]._replace(name=name))
        elif label[1] == 0 and all(cell.plain for cell in cells):
            # Plain numbers before the first words number the rows.
            label, cells = (value, stop), []
        start = stop + 3
    if cells and label[1] == 0 and _YEAR.fullmatch(line[cells[0].start : cells[0].end]):
        label = (cells[0].start, cells[0].end)
        del cells[0]
    named = sum(bool(cell.name) for cell in cells)
    return Row(label, tuple(cells)) if named and (label[1] or named == len(cells)) else None


def _between_words(line: str) -> list[re.Match[str]]:
    """Return the tokens of cells between those of words: "Swaps | $ 12 | Other assets | $ 3".

    Footnote marks alone ("Period | (1) | Programs (2) | (Millions)") are no cells.
    """
    if line.count("|") < _LEAST_BARS:
        return []
    cells: list[re.Match[str]] = []
    start = line.find("|") + 1
    while start > 0:
        bar = line.find("|", start)
        stop = bar if bar >= 0 else len(line)
        run = _last_run(line, start, stop)
        if run and not line[start : run[0].start()].strip():
            cells += run
        start = bar + 1
    is_marks = all(_BRACKETED_MARK.fullmatch(token[0].strip()) for token in cells)
    return [] if is_marks else cells


def _last_run(line: str, start: int, stop: int) -> list[re.Match[str]]:
    """Return the last tokens with no other text between two positions of a line."""
    run: list[re.Match[str]] = []
    last = start
    for token in _TOKEN.finditer(line, start, stop):
        if token.start() < last:
            continue
        between = _GAP.match(line, last)
        if run and (between is None or between.end() != token.start()):
            run = []
        before = line[token.start() - 1 : token.start()]
        if before and not (
            before.isspace() or before in f"|{MONEY_SIGNS}" or (run and token["sign"])
        ):
            run = []
            last = token.end()
            continue
        run.append(token)
        note = _NOTE.match(line, token.end()) if token["number"] else None
        last = note.end() if note else token.end()
    return run if not line[last:stop].strip(" |\t") else []


def _is_name(line: str, cells: list[Cell]) -> bool:
    first, second = cells[0], cells[1]
    written = line[first.start : first.end]
    is_year = _YEAR.fullmatch(written) is not None
    return is_year and (second.unit is not None or not second.plain)


def _cell(token: re.Match[str], sign: str | None, habit: Habit) -> Cell | None:
    if token["none"]:
        return Cell(token.start(), token.end(), None, sign, percent=False, decimals=0, plain=False)
    number = token["number"]
    read = read_value(number, habit) if number[0] != "." else (float(number), None)
    if read is None:
        return None
    opened = bool(token["open"] or token["open2"])
    if opened != bool(token["close"]):
        return None
    negative = opened or bool(token["minus"])
    value = -read[0] if negative and read[0] else read[0]
    unit = unit_of(token["inner"].strip()) if token["inner"] else sign
    ratio = bool(token["ratio"] or token["ratio2"])
    tail = re.search(r"[.,](\d+)$", number)
    decimals = (
        len(tail[1]) if tail and read[0] % 1 else (2 if number.endswith((".00", ",00")) else 0)
    )
    start = token.start("number") if not negative else token.start()
    return Cell(
        start, token.end("close") if opened else token.end("number"), value, unit,
        percent=ratio, decimals=decimals, plain=number.isdecimal() and not negative and not unit,
    )  # fmt: skip
