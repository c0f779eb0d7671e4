"""Characters of symbol fonts that Word keeps by their place in the font, not in Unicode."""

from __future__ import annotations

from casetrack.parse.list_labels import BULLET

_PRIVATE = 0xF000
_PRIVATE_END = 0xF0FF
# Letters stand at their Latin counterparts' places in the font Symbol.
_GREEK = dict(
    zip(
        "ABGDEZHQIKLMNXOPRSTUFCYWabgdezhqiklmnxoprstufcywVJj",
        "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρστυφχψωςϑϕ",
        strict=True,
    )
)
_SYMBOL = {ord(latin): greek for latin, greek in _GREEK.items()} | {
    0xA3: "≤",
    0xA5: "∞",
    0xAB: "↔",
    0xAC: "←",
    0xAD: "↑",
    0xAE: "→",
    0xAF: "↓",
    0xB0: "°",
    0xB1: "±",
    0xB3: "≥",
    0xB4: "×",
    0xB5: "∝",
    0xB6: "∂",
    0xB7: BULLET,
    0xB8: "÷",
    0xB9: "≠",
    0xBA: "≡",
    0xBB: "≈",
    0xC6: "∅",
    0xC7: "∩",
    0xC8: "∪",
    0xCE: "∈",
    0xD2: "®",
    0xD3: "©",
    0xD4: "™",
    0xD5: "∏",
    0xD6: "√",
    0xDE: "⇒",
    0xE2: "®",
    0xE3: "©",
    0xE4: "™",
    0xE5: "∑",
    0xF2: "∫",
}
_WINGDINGS = {
    0x6F: "☐",
    0x71: "☐",
    0x72: "☐",
    0xA8: "☐",
    0xDF: "←",
    0xE0: "→",
    0xE1: "↑",
    0xE2: "↓",
    0xFB: "✗",
    0xFC: "✓",
    0xFD: "☒",
    0xFE: "☑",
}
_FONTS = {"symbol": _SYMBOL, "wingdings": _WINGDINGS}


def symbol(font: str, code: str, /) -> str:
    """Return the character at a hexadecimal *code* of a font; a bullet where its look is unknown.

    Parameters
    ----------
    font
        Name of the font; only those in the private range of Unicode need it.
    """
    try:
        value = int(code, 16)
    except ValueError:
        return ""
    if not _PRIVATE <= value <= _PRIVATE_END:
        return chr(value) if 0x20 <= value <= 0xFFFF else ""
    return _FONTS.get(font.strip().lower(), {}).get(value - _PRIVATE, BULLET)
