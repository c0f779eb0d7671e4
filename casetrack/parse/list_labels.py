"""Bullets and numbers that stand before the items of lists."""

from __future__ import annotations

BULLET = "\u2022"
_ROMAN = (
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
)


def number_text(value: int, form: str, /) -> str:
    """Write a number in a list's format: decimal, letters, Roman numerals, ordinals."""
    if form in {"lowerLetter", "upperLetter"} and value > 0:
        letter = chr(97 + (value - 1) % 26) * ((value - 1) // 26 + 1)
        return letter.upper() if form == "upperLetter" else letter
    if form in {"lowerRoman", "upperRoman"} and 0 < value < 4000:
        text = ""
        for worth, sign in _ROMAN:
            count, value = divmod(value, worth)
            text += sign * count
        return text.upper() if form == "upperRoman" else text
    if form == "decimalZero":
        return f"{value:02d}"
    if form == "ordinal":
        ending = {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
        return f"{value}{'th' if value % 100 in {11, 12, 13} else ending}"
    if form == "none":
        return ""
    return str(value)
