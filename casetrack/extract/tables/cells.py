"""The cells of a table's line: a label, and the numbers behind it, each with its exact place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from casetrack.extract.amounts.numerals import read_value
from casetrack.extract.tables.model import MONEY_SIGNS
from casetrack.extract.tables.scales import unit_of

if TYPE_CHECKING:
    from casetrack.extract.amounts.numerals import Habit


class Cell(NamedTuple):
    """A cell of a line.

    Attributes
    ----------
    start, end
        Its number in the line with sign and brackets, without the currency.
    value
        The number with its sign; ``None`` where the cell says that there is none (a dash, "N/A").
    unit
        Its own currency, which may stand at the end of the cell before; ``None`` without one.
    percent
        Whether it is a percentage, or another ratio ("2.5x").
    decimals
        How many figures stand behind its decimal sign.
    plain
        Whether it is figures alone, without groups, sign or brackets, as years and footnotes are.
    name
        The name of its column, where the line repeats it: "Item: Rent | 2024: 9".
    """

    start: int
    end: int
    value: float | None
    unit: str | None
    percent: bool
    decimals: int
    plain: bool
    name: str = ""


class Row(NamedTuple):
    """A line of a table: where its label stands, and its cells.

    Attributes
    ----------
    label
        Start and end of the label in the line; equal where there is none.
    """

    label: tuple[int, int]
    cells: tuple[Cell, ...]


_SIGN = rf"(?:[A-Z]{{1,3}}[$]|[{MONEY_SIGNS}]|Rs\.?(?=\s?[\d(])|\b[A-Z]{{3}}(?=\s?[\d(]))"
_TOKEN = re.compile(
    rf"""(?P<sign>{_SIGN})
      |(?P<open>\(\s?)?(?P<minus>[-−–]\s?)?(?P<inner>{_SIGN}\s?)?(?P<open2>\(\s?)?
       (?P<number>\d(?:[\d,.'’\u00a0\u202f]*\d)?|\.\d+)
       (?P<ratio>\s?(?:%|bps\b|pts?\b|x\b))?(?P<close>\s?\))?(?P<ratio2>\s?%)?
      |(?P<none>[-—–―]{{1,3}}|\bN/?[AM]\b|\bn/?[am]\b|\bnil\b|[*†]+(?=\s|$))""",
    re.VERBOSE,
)
_GAP = re.compile(r"[\s|]*")
_NOTE = re.compile(r"(?:\s?(?:\([a-z]\)|[*†‡§¹²³]+)|\(\d{1,2}\))+(?=\s(?!%)|\||$)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LEAST_BARS = 2
_MARK = re.compile(r"\(?\d{1,2}\)?")


def read_row(line: str, habit: Habit, /) -> Row | None:
    """Return a line's label and cells; ``None`` where it does not end in cells.

    Parameters
    ----------
    line
        One line of a table, its cells parted by bars or, after a label, by spaces.
    habit
        How the page writes its numbers.

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
        found = sum(not token["sign"] for token in tokens)
        if named is not None and len(named.cells) >= max(found, 1 + (not named.label[1])):
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
            # What is not parted from the label is a footnote's number, its rate, or the year of
            # its day: "Other (2) | 5 | 7", "Tax at 20 % | 110", "Balance at June 30, 2022 | 110".
            end = end if _MARK.fullmatch(mark) else cells[0].end
            del cells[0]
    return Row((min(start, end), end), tuple(cells))


def _cells(tokens: list[re.Match[str]], line: str, habit: Habit) -> list[Cell]:
    """Return the cells of tokens; none where one of them is no number."""
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
    """Return the tokens of cells between those of words: "Swaps | $ 12 | Other assets | $ 3"."""
    if line.count("|") < _LEAST_BARS:
        return []
    found: list[re.Match[str]] = []
    start = line.find("|") + 1
    while start > 0:
        bar = line.find("|", start)
        stop = bar if bar >= 0 else len(line)
        run = _last_run(line, start, stop)
        if run and not line[start : run[0].start()].strip():
            found += run
        start = bar + 1
    return found


def _last_run(line: str, start: int, stop: int) -> list[re.Match[str]]:
    """Return the tokens behind which nothing else stands between two places of a line."""
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
