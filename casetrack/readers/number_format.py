"""Spreadsheet number formats: shows a value as its sheet does (ECMA-376 part 1, 18.8.30/31).

Formats such as ``#,##0.00;[Red](#,##0.00);"-"`` are parsed once and applied to numbers. Padding
(``_x``) and filling (``*x``) set widths on a screen; in text they become one space and nothing.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING

from casetrack.readers.date_format import DatePart, is_date_code, show_date

if TYPE_CHECKING:
    from collections.abc import Sequence

GENERAL = "General"

BUILT_IN: dict[int, str] = {
    0: GENERAL,
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    5: '"$"#,##0_);\\("$"#,##0\\)',
    6: '"$"#,##0_);[Red]\\("$"#,##0\\)',
    7: '"$"#,##0.00_);\\("$"#,##0.00\\)',
    8: '"$"#,##0.00_);[Red]\\("$"#,##0.00\\)',
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    12: "# ?/?",
    13: "# ??/??",
    14: "m/d/yyyy",
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    20: "h:mm",
    21: "h:mm:ss",
    22: "m/d/yyyy h:mm",
    37: "#,##0_);(#,##0)",
    38: "#,##0_);[Red](#,##0)",
    39: "#,##0.00_);(#,##0.00)",
    40: "#,##0.00_);[Red](#,##0.00)",
    41: '_(* #,##0_);_(* \\(#,##0\\);_(* "-"_);_(@_)',
    42: '_("$"* #,##0_);_("$"* \\(#,##0\\);_("$"* "-"_);_(@_)',
    43: '_(* #,##0.00_);_(* \\(#,##0.00\\);_(* "-"??_);_(@_)',
    44: '_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)',
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss.0",
    48: "##0.0E+0",
    49: "@",
} | dict.fromkeys((*range(27, 37), *range(50, 59)), "m/d/yyyy")
"""Formats that a file names by number only (ECMA-376 part 1, 18.8.30)."""

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?'
    r"|\\(?P<escaped>.)"
    r"|_(?P<pad>.)"
    r"|\*(?P<fill>.)"
    r"|\[(?P<bracket>[^\]]*)\]"
    r"|(?P<general>General)"
    r"|(?P<exponent>E[+-])(?=[0#?])"
    r"|(?P<digit>[0#?])"
    r"|(?P<sign>[.,%@/])"
    r"|(?P<date>AM/PM|A/P|[ymdhsegb]+)"
    r"|(?P<plain>.)",
    re.IGNORECASE | re.DOTALL,
)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?[\d.]+(?:E[+-]?\d+)?)$", re.IGNORECASE)
_CURRENCY = re.compile(r"\$([^-]*)(?:-([0-9A-Fa-f]+))?$")
_ELAPSED = re.compile(r"h+|m+|s+", re.IGNORECASE)
_FRACTION_LIMIT = 10**9


@dataclass(frozen=True, slots=True)
class Token:
    """A part of a format: its kind (``digit``, ``text``, ``date`` ...) and its characters."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class _Section:
    """One of the parts between semicolons."""

    tokens: tuple[Token, ...]
    condition: tuple[str, float] | None
    locale: int | None

    def has(self, kind: str) -> bool:
        return any(token.kind == kind for token in self.tokens)

    @property
    def is_date(self) -> bool:
        return is_date_code([DatePart(t.kind, t.text) for t in self.tokens])


def show(value: float, code: str, /, *, is_1904: bool = False) -> str:
    """Show a number (or a date's serial number) in a format.

    Parameters
    ----------
    value
        The stored number.
    code
        The format; what cannot be understood is shown as ``General``.
    is_1904
        Whether day 0 is 1 January 1904 (old Macintosh files) and not 31 December 1899.
    """
    sections = _parse(code)
    section, magnitude, auto_minus = _choose(sections, value)
    if section is None:
        return show_general(value)
    if section.is_date:
        parts = [DatePart(t.kind, t.text) for t in section.tokens]
        shown = show_date(magnitude, parts, is_1904=is_1904, locale=section.locale)
        return show_general(value) if shown is None else _tidy(shown)
    text = _number(section, magnitude)
    return _tidy(f"-{text}" if auto_minus and value < 0 else text)


def show_text(value: str, code: str, /) -> str:
    """Show a text in a format: only a section with ``@`` changes it."""
    sections = _parse(code)
    section = sections[3] if len(sections) > 3 else sections[-1]
    if not section.has("@"):
        return value
    return "".join(
        value if t.kind == "@" else t.text for t in section.tokens if t.kind in {"@", "text"}
    )


def is_date_format(code: str, /) -> bool:
    """Tell whether a format shows dates or times."""
    return any(section.is_date for section in _parse(code))


def show_general(value: float, /) -> str:
    """Show a number without a format: at most 11 characters, as in a cell of usual width."""
    if value == int(value) and abs(value) < 1e11:
        return str(int(value))
    number = Decimal(f"{value:.15g}")
    size = abs(number)
    if Decimal("1E-9") <= size < Decimal("1E11"):
        places = 9 if size < 1 else max(0, 10 - len(str(int(size))))
        plain = _strip(f"{number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP):f}")
        if size >= Decimal("1E-4") or Decimal(plain) == number:
            return plain
    mantissa, exponent = f"{value:.5E}".split("E")
    return f"{_strip(mantissa)}E{exponent[0]}{int(exponent[1:]):02d}"


def _strip(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _tidy(text: str) -> str:
    return " ".join(text.split())


@functools.lru_cache(maxsize=4096)
def _parse(code: str) -> tuple[_Section, ...]:
    sections: list[_Section] = []
    tokens: list[Token] = []
    condition: tuple[str, float] | None = None
    locale: int | None = None
    for match in _TOKEN.finditer(code or GENERAL):
        kind = match.lastgroup or "plain"
        text = match[kind]
        if kind == "plain" and text == ";":
            sections.append(_Section(tuple(tokens), condition, locale))
            tokens, condition, locale = [], None, None
        elif kind == "bracket":
            found = _CONDITION.match(text)
            currency = _CURRENCY.match(text)
            if found:
                condition = (found[1], float(found[2]))
            elif currency:
                tokens.append(Token("text", currency[1]))
                locale = int(currency[2], 16) if currency[2] else locale
            elif _ELAPSED.fullmatch(text):
                tokens.append(Token("elapsed", text.lower()))
            # Colours and the like are not text.
        elif kind == "fill":
            continue
        else:
            tokens.append(_token(kind, text))
    sections.append(_Section(tuple(tokens), condition, locale))
    return tuple(sections[:4])


def _token(kind: str, text: str) -> Token:
    if kind in {"quoted", "escaped", "plain"}:
        return Token("text", text)
    if kind == "pad":
        return Token("text", " ")
    if kind == "sign":
        return Token(text, text)
    if kind == "date":
        return Token("date", text)
    return Token(kind, text)


def _choose(sections: Sequence[_Section], value: float) -> tuple[_Section | None, float, bool]:
    """Return the section for a value, the number to show in it, and whether a minus is due."""
    numeric = list(sections[:3])
    if len(sections) == 1 and sections[0].has("@"):
        return None, value, False
    if any(section.condition for section in numeric):
        for i, section in enumerate(numeric):
            condition = section.condition
            if condition is None and i == 1 and len(numeric) > 2:
                condition = ("<", 0.0)
            if condition is None or _holds(value, condition):
                return section, value if section.is_date else abs(value), True
        return None, value, False
    if value < 0 and len(numeric) > 1:
        return numeric[1], -value, False
    if value == 0 and len(numeric) > 2:
        return numeric[2], 0.0, False
    return numeric[0], value if numeric[0].is_date else abs(value), True


def _holds(value: float, condition: tuple[str, float]) -> bool:
    sign, limit = condition
    return {
        "<": value < limit,
        "<=": value <= limit,
        ">": value > limit,
        ">=": value >= limit,
        "=": value == limit,
        "<>": value != limit,
    }[sign]


def _number(section: _Section, value: float) -> str:
    """Show a non-negative number in a section without date parts."""
    tokens = list(section.tokens)
    if not section.has("digit"):
        return "".join(
            show_general(value) if t.kind == "general" else t.text for t in tokens if t.kind != "@"
        )
    number = Decimal(f"{value:.15g}") * 100 ** sum(1 for t in tokens if t.kind == "%")
    if section.has("exponent"):
        return _scientific(tokens, number)
    slash = next((i for i, t in enumerate(tokens) if t.kind == "/"), None)
    if slash is not None and any(t.kind == "digit" for t in tokens[:slash]):
        return _fraction(tokens, slash, number)
    return _decimal(tokens, number)


def _split(tokens: Sequence[Token]) -> tuple[list[Token], list[Token], bool, int]:
    """Return the parts before and after the point, whether thousands are set apart, the scale.

    A comma between digits sets thousands apart; commas right after the last digit before the
    point, or after the last digit of all, divide by a thousand each.
    """
    point = next((i for i, t in enumerate(tokens) if t.kind == "."), len(tokens))
    digits = [i for i, t in enumerate(tokens) if t.kind == "digit"]
    before = [i for i in digits if i < point]
    ends = {digits[-1], before[-1]} if before else {digits[-1]}
    scale = sum(_commas_after(tokens, end) for end in ends)
    grouped = bool(before) and any(t.kind == "," for t in tokens[before[0] : before[-1]])
    whole = [t for t in tokens[:point] if t.kind != ","]
    return whole, [t for t in tokens[point:] if t.kind != ","], grouped, scale


def _commas_after(tokens: Sequence[Token], at: int) -> int:
    count = 0
    while at + 1 + count < len(tokens) and tokens[at + 1 + count].kind == ",":
        count += 1
    return count


def _decimal(tokens: Sequence[Token], number: Decimal) -> str:
    whole, rest, grouped, scale = _split(tokens)
    number = number.scaleb(-3 * scale) if scale else number
    places = sum(1 for t in rest if t.kind == "digit")
    rounded = number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    integer, _, fraction = f"{rounded:f}".partition(".")
    return _place_integer(whole, integer, grouped=grouped) + _place_fraction(rest, fraction)


def _place_integer(tokens: Sequence[Token], digits: str, *, grouped: bool) -> str:
    """Put digits into the places before the point, from the right; the first takes all that is
    left.
    """
    digits = digits.lstrip("0")
    places = sum(1 for t in tokens if t.kind == "digit")
    out: list[str] = []
    position = 0
    left = places
    for token in reversed(tokens):
        if token.kind != "digit":
            out.append("" if token.kind in {"@", "general"} else token.text)
            continue
        left -= 1
        take = len(digits) if left == 0 else min(1, len(digits))
        chars = digits[len(digits) - take :] if take else ""
        digits = digits[: len(digits) - take] if take else digits
        chars = chars or {"0": "0", "?": " "}.get(token.text, "")
        for char in reversed(chars):
            if grouped and position and position % 3 == 0 and char != " ":
                out.append(",")
            out.append(char)
            position += 1
    # Each element is one character or one literal, gathered from the right.
    return "".join(reversed(out))


def _place_fraction(tokens: Sequence[Token], digits: str) -> str:
    """Put digits into the places after the point; ``#`` shows no zeros at the end."""
    kept = digits.rstrip("0")
    out: list[str] = []
    at = 0
    for token in tokens:
        if token.kind == "digit":
            if at < len(kept):
                out.append(digits[at])
            else:
                out.append({"0": "0", "?": " "}.get(token.text, ""))
            at += 1
        elif token.kind not in {"@", "general"}:
            out.append(token.text)
    return "".join(out)


def _scientific(tokens: Sequence[Token], number: Decimal) -> str:
    mark = next(i for i, t in enumerate(tokens) if t.kind == "exponent")
    mantissa = list(tokens[:mark])
    whole_places = 0
    for token in mantissa:
        if token.kind == ".":
            break
        whole_places += token.kind == "digit"
    step = max(whole_places, 1)
    exponent = 0
    if number:
        exponent = number.adjusted()
        # With several places before the point the exponent is a multiple of their count.
        exponent = exponent // step * step if step > 1 else exponent
    places = sum(1 for t in _after_point(mantissa) if t.kind == "digit")
    scaled = number.scaleb(-exponent).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    if scaled >= 10**step:
        exponent += step
        scaled = number.scaleb(-exponent).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    integer, _, fraction = f"{scaled:f}".partition(".")
    point = next((i for i, t in enumerate(mantissa) if t.kind == "."), len(mantissa))
    shown = _place_integer(mantissa[:point], integer, grouped=False)
    shown += _place_fraction(mantissa[point:], fraction)
    sign = "-" if exponent < 0 else ("+" if tokens[mark].text[1] == "+" else "")
    power = _place_integer(tokens[mark + 1 :], str(abs(exponent)), grouped=False)
    return f"{shown}E{sign}{power}"


def _after_point(tokens: Sequence[Token]) -> Sequence[Token]:
    point = next((i for i, t in enumerate(tokens) if t.kind == "."), len(tokens))
    return tokens[point:]


def _fraction(tokens: Sequence[Token], slash: int, number: Decimal) -> str:
    """Show ``# ?/?``: whole part, numerator and denominator."""
    start = slash
    while start > 0 and tokens[start - 1].kind == "digit":
        start -= 1
    end = slash + 1
    while end < len(tokens) and (tokens[end].kind == "digit" or tokens[end].text.isdigit()):
        end += 1
    below = "".join(t.text for t in tokens[slash + 1 : end])
    whole_tokens = tokens[:start]
    has_whole = any(t.kind == "digit" for t in whole_tokens)
    whole = int(number) if has_whole else 0
    rest = number - whole
    if below.strip("0?#").isdigit() and any(c in "123456789" for c in below):
        denominator = int(re.sub(r"[?#]", "", below))
        numerator = int((rest * denominator).quantize(Decimal(1), ROUND_HALF_UP))
    else:
        numerator, denominator = _nearest(rest, min(10 ** len(below) - 1, _FRACTION_LIMIT))
    if has_whole and numerator == denominator:
        whole, numerator = whole + 1, 0
    before = ""
    if has_whole:
        shown_whole = str(whole) if whole or not numerator else ""
        before = _place_integer(whole_tokens, shown_whole, grouped=False)
        if not numerator:
            before = before if re.search(r"\d", before) else before + str(whole)
            return before + "".join(t.text for t in tokens[end:] if t.kind == "text")
    after = "".join(t.text for t in tokens[end:] if t.kind == "text")
    return f"{before}{numerator}/{denominator}{after}"


def _nearest(value: Decimal, limit: int) -> tuple[int, int]:
    from fractions import Fraction

    found = Fraction(value).limit_denominator(max(limit, 1))
    return found.numerator, found.denominator
