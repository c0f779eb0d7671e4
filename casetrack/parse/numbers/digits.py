"""Format a number in digits: placeholders, thousands, scaling, exponents, fractions, General.

Numbers are rounded half up on their 15 significant decimal digits, as in spreadsheet programs:
1.005 with two decimals is 1.01, although the stored double is slightly smaller.
"""

from __future__ import annotations

import decimal
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

# Divides a number format into sections and tokens.


class Token(NamedTuple):
    """A token of a section; *shown* is the output of a literal.

    *kind* is one of ``literal``, ``digit`` (``0 # ?``), ``point``, ``comma``, ``percent``,
    ``exponent``, ``slash``, ``general``, ``text`` (``@``), ``date``, ``elapsed``, ``half`` (AM/PM),
    ``fraction`` (of seconds), ``condition``, ``language``.
    """

    kind: str
    text: str
    shown: str = ""
    number: float = 0.0


_ELAPSED = re.compile(r"h+|m+|s+", re.IGNORECASE)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d*)?(?:E[+-]?\d+)?)", re.IGNORECASE)
_HALF = re.compile(r"AM/PM|A/P", re.IGNORECASE)
_DATE = re.compile(r"y+|m+|d+|h+|s+|e+|b+|g+|a{3,4}(?![a-z])", re.IGNORECASE)
_CURRENCY = re.compile(r"\$([^-]*)(?:-([0-9A-Fa-f]+))?", re.DOTALL)
_SIMPLE = {".": "point", ",": "comma", "%": "percent", "/": "slash", "@": "text"}


def split_sections(code: str, /) -> list[str]:
    """Split at semicolons outside quotes, brackets and escapes."""
    parts, start, at, end = [], 0, 0, len(code)
    while at < end:
        char = code[at]
        if char in "\\_*":
            at += 2
        elif char == '"':
            at = _after(code, at + 1, '"')
        elif char == "[":
            at = _after(code, at + 1, "]")
        else:
            if char == ";":
                parts.append(code[start:at])
                start = at + 1
            at += 1
    parts.append(code[start:])
    return parts


def _after(code: str, at: int, mark: str) -> int:
    end = code.find(mark, at)
    return len(code) if end < 0 else end + 1


def tokenize(section: str, /) -> list[Token]:
    """Return the tokens of one section; characters without a meaning are literals."""
    tokens: list[Token] = []
    at, end = 0, len(section)
    while at < end:
        at = _next(section, at, tokens)
    return tokens


def _next(section: str, at: int, tokens: list[Token]) -> int:
    char = section[at]
    if char == '"':
        end = _after(section, at + 1, '"')
        tokens.append(_literal(section[at + 1 : end].rstrip('"')))
    elif char == "\\":
        end = at + 2
        tokens.append(_literal(section[at + 1 : end]))
    elif char == "_":
        # As wide as the next character: a space.
        end = at + 2
        tokens.append(Token("literal", "_", " "))
    elif char == "*":
        # Fills the cell with the next character; without a width nothing is filled.
        end = at + 2
    elif char == "[":
        end = _after(section, at + 1, "]")
        tokens.extend(_bracket(section[at + 1 : end].removesuffix("]")))
    elif char in "0#?":
        end = at + 1
        tokens.append(Token("digit", char))
    elif section[at : at + 7].lower() == "general":
        end = at + 7
        tokens.append(Token("general", "General"))
    elif char in "Ee" and section[at + 1 : at + 2] in {"+", "-"}:
        end = at + 2
        tokens.append(Token("exponent", section[at + 1]))
    elif char == "." and _fraction_follows(section, at, tokens):
        end = at + 1
        while section[end : end + 1] == "0":
            end += 1
        tokens.append(Token("fraction", section[at:end]))
    elif char in _SIMPLE:
        end = at + 1
        tokens.append(Token(_SIMPLE[char], char, char))
    else:
        end = _letters(section, at, tokens)
    return end


def _letters(section: str, at: int, tokens: list[Token]) -> int:
    for pattern, kind in ((_HALF, "half"), (_DATE, "date")):
        match = pattern.match(section, at)
        if match:
            # AM/PM makes a section a date format, even without hours.
            tokens.append(Token("date", kind + match[0].lower() if kind == "half" else match[0]))
            return match.end()
    tokens.append(_literal(section[at]))
    return at + 1


def _fraction_follows(section: str, at: int, tokens: list[Token]) -> bool:
    """Return whether the point at *at* separates seconds from their fraction."""
    if section[at + 1 : at + 2] != "0" or not tokens:
        return False
    last = tokens[-1]
    return last.kind in {"date", "elapsed"} and last.text[0] in "sS"


def _literal(text: str) -> Token:
    return Token("literal", text, text)


def _bracket(content: str) -> list[Token]:
    if content.startswith("$"):
        match = _CURRENCY.match(content)
        tokens = []
        if match and match[1]:
            tokens.append(_literal(match[1]))
        if match and match[2]:
            tokens.append(Token("language", match[2], number=int(match[2], 16) & 0xFFFF))
        return tokens
    if _ELAPSED.fullmatch(content):
        return [Token("elapsed", content)]
    match = _CONDITION.fullmatch(content.strip())
    if match:
        return [Token("condition", match[1], number=float(match[2]))]
    # Colours, and the shapes of digits in other scripts.
    return []


_WIDE = decimal.Context(prec=700, rounding=decimal.ROUND_HALF_UP)
_GENERAL_CHARS = 11
_MAX_DENOMINATOR_DIGITS = 7


def general(value: float, /) -> str:
    """Format a number as General: at most 11 characters and a minus sign."""
    if value == 0:
        return "0"
    if isinstance(value, int) or value.is_integer():
        whole = f"{value:.0f}"
        if len(whole.lstrip("-")) <= _GENERAL_CHARS:
            return whole
    magnitude = abs(value)
    sign = "-" if value < 0 else ""
    exact = Decimal(f"{magnitude:.15g}")
    plain = _plain(exact)
    if len(plain) <= _GENERAL_CHARS:
        return sign + plain
    power = exact.adjusted()
    if -4 <= power < _GENERAL_CHARS:
        decimals = _GENERAL_CHARS - 2 - max(power, 0)
        rounded = _plain(_round(exact, max(decimals, 0)))
        if len(rounded) <= _GENERAL_CHARS:
            return sign + rounded
    mantissa, _, exponent = f"{exact:.5E}".partition("E")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{sign}{mantissa}E{exponent[0]}{exponent[1:]:0>2}"


def _plain(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _round(number: Decimal, decimals: int) -> Decimal:
    return _WIDE.quantize(number, Decimal(1).scaleb(-decimals))


@dataclass(frozen=True, slots=True)
class NumberSection:
    """A section that formats a number: the tokens before and after the decimal point."""

    whole: tuple[Token, ...]
    decimals: tuple[Token, ...]
    tail: tuple[Token, ...]
    shift: int
    thousands: bool
    has_point: bool
    exponent: str
    exponent_tokens: tuple[Token, ...]
    fraction: FractionPart | None
    pattern: str | None
    """``str.format`` pattern for the usual shapes such as ``#,##0.00``."""

    @classmethod
    def build(cls, tokens: Sequence[Token], /) -> NumberSection:
        """Analyse the tokens of a section."""
        fraction = FractionPart.find(tokens)
        shift = 2 * sum(t.kind == "percent" for t in tokens)
        exponent = next((i for i, t in enumerate(tokens) if t.kind == "exponent"), None)
        mantissa = list(tokens if exponent is None else tokens[:exponent])
        after = [] if exponent is None else list(tokens[exponent + 1 :])
        mantissa, thousands, scale = _take_commas(mantissa)
        point = next((i for i, t in enumerate(mantissa) if t.kind == "point"), None)
        whole = mantissa if point is None else mantissa[:point]
        rest = [] if point is None else mantissa[point + 1 :]
        last = max((i for i, t in enumerate(rest) if t.kind == "digit"), default=-1)
        if point is None:
            last_whole = max((i for i, t in enumerate(whole) if t.kind == "digit"), default=-1)
            whole, rest, last = whole[: last_whole + 1], whole[last_whole + 1 :], -1
        section = cls(
            tuple(whole),
            tuple(rest[: last + 1]),
            tuple(rest[last + 1 :]),
            shift - 3 * scale,
            thousands,
            point is not None,
            "" if exponent is None else tokens[exponent].text,
            tuple(after),
            fraction,
            None,
        )
        return section._with_pattern()

    def _with_pattern(self) -> NumberSection:
        prefix = [t for t in self.whole if t.kind != "digit"]
        digits = self.whole[len(prefix) :]
        shape = "".join(t.text for t in digits)
        usual = (
            re.fullmatch("#*0", shape) is not None
            and all(t.kind == "digit" for t in digits)
            and all(t.kind == "digit" and t.text == "0" for t in self.decimals)
            and not self.exponent
            and self.fraction is None
            and self.has_point == bool(self.decimals)
        )
        if not usual:
            return self
        before, after = (
            "".join(t.shown for t in part).replace("{", "{{").replace("}", "}}")
            for part in (prefix, self.tail)
        )
        spec = f"{{:{',' if self.thousands else ''}.{len(self.decimals)}f}}"
        fields = {name: getattr(self, name) for name in self.__slots__}
        return NumberSection(**fields | {"pattern": before + spec + after})

    def show(self, value: float, /) -> str:
        """Format the nonnegative *value*."""
        number = Decimal(f"{value:.15g}")
        if self.shift:
            number = number.scaleb(self.shift, _WIDE)
        if self.pattern is not None:
            return self.pattern.format(_round(number, len(self.decimals)))
        if self.fraction is not None:
            return self.fraction.show(number)
        if self.exponent:
            return self._scientific(number)
        return self._fixed(number) + _shown(self.tail)

    def _fixed(self, number: Decimal) -> str:
        places = sum(t.kind == "digit" for t in self.decimals)
        whole, _, decimals = f"{_round(number, places):f}".partition(".")
        text = _fill_whole(self.whole, whole.lstrip("0"), thousands=self.thousands)
        if self.has_point:
            if not any(t.kind == "digit" for t in self.whole):
                text += whole.lstrip("0")
            text += "." + _fill_decimals(self.decimals, decimals)
        return text

    def _scientific(self, number: Decimal) -> str:
        step = max(1, sum(t.kind == "digit" for t in self.whole))
        places = sum(t.kind == "digit" for t in self.decimals)
        power = 0
        if number:
            power = number.adjusted() // step * step
            if _round(number.scaleb(-power, _WIDE), places) >= Decimal(10) ** step:
                power += step
        mantissa = self._fixed(number.scaleb(-power, _WIDE))
        sign = "-" if power < 0 else "+" if self.exponent == "+" else ""
        count = sum(t.kind == "digit" for t in self.exponent_tokens)
        rest = [t for t in self.exponent_tokens if t.kind != "digit"]
        return f"{mantissa}{_shown(self.tail)}E{sign}{abs(power):0>{count}}{_shown(rest)}"


@dataclass(frozen=True, slots=True)
class FractionPart:
    """A section such as ``# ??/??`` or ``# ?/8``."""

    before: str
    after: str
    whole: str | None
    denominator: int
    limit: int

    @classmethod
    def find(cls, tokens: Sequence[Token], /) -> FractionPart | None:
        """Return the fraction of the tokens, or ``None``."""
        slash = next((i for i, t in enumerate(tokens) if t.kind == "slash"), None)
        if slash is None or not slash or tokens[slash - 1].kind != "digit":
            return None
        start = slash
        while start and tokens[start - 1].kind == "digit":
            start -= 1
        end, bottom = slash + 1, ""
        while end < len(tokens) and (tokens[end].kind == "digit" or tokens[end].text.isdecimal()):
            bottom += tokens[end].text
            end += 1
        if not bottom:
            return None
        fixed = int(re.sub(r"\D", "0", bottom)) if re.search("[1-9]", bottom) else 0
        limit = 10 ** min(len(bottom), _MAX_DENOMINATOR_DIGITS) - 1
        whole = [i for i in range(start) if tokens[i].kind == "digit"]
        first = whole[0] if whole else start
        shape = "".join(tokens[i].text for i in whole) if whole else None
        return cls(_shown(tokens[:first]), _shown(tokens[end:]), shape, fixed, limit)

    def show(self, number: Decimal) -> str:
        """Format a magnitude."""
        exact = Fraction(number)
        whole = int(exact) if self.whole is not None else 0
        part = exact - whole
        if self.denominator:
            top, bottom = int(part * self.denominator + Fraction(1, 2)), self.denominator
        else:
            top, bottom = _nearest(part, self.limit)
        if self.whole is not None and top == bottom:
            whole, top = whole + 1, 0
        pieces = []
        if self.whole is not None and (whole or not top or "0" in self.whole):
            pieces.append(f"{whole:0{max(1, self.whole.count('0'))}}")
        if top or self.whole is None:
            pieces.append(f"{top}/{bottom}")
        return self.before + " ".join(pieces) + self.after


def _nearest(part: Fraction, limit: int) -> tuple[int, int]:
    """Return the last convergent of the continued fraction within the limit, as programs do."""
    top, bottom, last_top, last_bottom = 1, 0, 0, 1
    above, below = part.numerator, part.denominator
    while below:
        whole, rest = divmod(above, below)
        if whole * bottom + last_bottom > limit:
            break
        top, last_top = whole * top + last_top, top
        bottom, last_bottom = whole * bottom + last_bottom, bottom
        above, below = below, rest
    return top, bottom


def _take_commas(tokens: list[Token]) -> tuple[list[Token], bool, int]:
    """Return the tokens without functional commas, whether they mark thousands, and the scale."""
    point = next((i for i, t in enumerate(tokens) if t.kind == "point"), len(tokens))
    digits = [i for i, t in enumerate(tokens) if t.kind == "digit"]
    if not digits:
        return tokens, False, 0
    last_whole = max((i for i in digits if i < point), default=-1)
    kept, thousands, scale = [], False, 0
    for i, token in enumerate(tokens):
        if token.kind != "comma" or i < digits[0]:
            kept.append(token)
        elif i < last_whole:
            thousands = True
        elif (last_whole < i < point or i > digits[-1]) and _reaches_digits(tokens, i):
            scale += 1
        else:
            kept.append(token)
    return kept, thousands, scale


def _reaches_digits(tokens: Sequence[Token], at: int) -> bool:
    """Return whether only commas are between the comma at *at* and a digit before it."""
    while at and tokens[at].kind == "comma":
        at -= 1
    return tokens[at].kind == "digit"


def _fill_whole(tokens: Sequence[Token], digits: str, *, thousands: bool) -> str:
    """Put digits into placeholders from the right; the first placeholder takes the rest."""
    out: list[str] = []
    left = sum(t.kind == "digit" for t in tokens)
    at, count = len(digits), 0
    for token in reversed(tokens):
        if token.kind != "digit":
            out.append(token.shown[::-1])
            continue
        left -= 1
        many = max(0, at if left == 0 else min(at, 1))
        if many == 0 and token.text != "0":
            out.append(" " if token.text == "?" else "")
            continue
        for char in reversed(digits[at - many : at]) if many else "0":
            if thousands and count and count % 3 == 0:
                out.append(",")
            out.append(char)
            count += 1
        at -= many
    return "".join(out)[::-1]


def _fill_decimals(tokens: Sequence[Token], digits: str) -> str:
    """Put digits into placeholders from the left; trailing zeros appear only for ``0``."""
    out: list[str] = []
    needed = len(digits.rstrip("0"))
    at = 0
    for token in tokens:
        if token.kind != "digit":
            out.append(token.shown)
            continue
        if at < needed or token.text == "0":
            out.append(digits[at])
        elif token.text == "?":
            out.append(" ")
        at += 1
    return "".join(out)


def _shown(tokens: Sequence[Token]) -> str:
    return "".join(t.shown for t in tokens)
