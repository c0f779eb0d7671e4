"""Code pages of RTF and MAPI: number or Windows font charset to a codec of the standard library."""

from __future__ import annotations

import codecs

SYMBOL = "symbol"
"""Stands for the encoding of symbol fonts, which no codec knows; see :func:`symbols`."""
DEFAULT = "cp1252"

_NAMED = {
    0: DEFAULT,
    42: SYMBOL,
    708: "iso8859_6",
    1200: "utf-16-le",
    1201: "utf-16-be",
    1361: "johab",
    10000: "mac_roman",
    10001: "shift_jis",
    10006: "mac_greek",
    10007: "mac_cyrillic",
    10029: "mac_latin2",
    10079: "mac_iceland",
    10081: "mac_turkish",
    20127: "ascii",
    20866: "koi8_r",
    20932: "euc_jp",
    20936: "gbk",
    20949: "cp949",
    21866: "koi8_u",
    50220: "iso2022_jp",
    50221: "iso2022_jp",
    50222: "iso2022_jp_ext",
    50225: "iso2022_kr",
    51932: "euc_jp",
    51936: "gb18030",
    51949: "euc_kr",
    52936: "hz",
    54936: "gb18030",
    65000: "utf-7",
    65001: "utf-8",
}
_ISO_FIRST, _ISO_LAST = 28591, 28606
_CHARSETS = {
    0: 1252,
    2: 42,
    77: 10000,
    78: 10001,
    81: 10008,
    83: 10005,
    85: 10006,
    86: 10081,
    89: 10007,
    88: 10029,
    128: 932,
    129: 949,
    130: 1361,
    134: 936,
    136: 950,
    161: 1253,
    162: 1254,
    163: 1258,
    177: 1255,
    178: 1256,
    186: 1257,
    204: 1251,
    222: 874,
    238: 1250,
    254: 437,
    255: 850,
}
_LANGUAGES = {
    1250: (0x05, 0x0E, 0x15, 0x18, 0x1A, 0x1B, 0x1C, 0x24),
    1251: (0x02, 0x19, 0x22, 0x23, 0x2F, 0x3F, 0x40, 0x44, 0x50),
    1253: (0x08,),
    1254: (0x1F, 0x2C, 0x43),
    1255: (0x0D,),
    1256: (0x01, 0x20, 0x29),
    1257: (0x25, 0x26, 0x27),
    1258: (0x2A,),
    874: (0x1E,),
    932: (0x11,),
    949: (0x12,),
}
_TRADITIONAL_CHINESE = (0x0404, 0x0C04, 0x1404)
_BULLET = "\u2022"
_GREEK = dict(
    zip(
        "ABGDEZHQIKLMNXOPRSTUFCYWabgdezhqiklmnxoprVstufcyw",
        "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρςστυφχψω",
        strict=True,
    )
)
_SIGNS = {
    0xA3: "\u2264",
    0xA5: "\u221e",
    0xAB: "\u2194",
    0xAC: "\u2190",
    0xAD: "\u2191",
    0xAE: "\u2192",
    0xAF: "\u2193",
    0xB0: "\u00b0",
    0xB1: "\u00b1",
    0xB3: "\u2265",
    0xB4: "\u00d7",
    0xB8: "\u00f7",
    0xB9: "\u2260",
    0xBA: "\u2261",
    0xBB: "\u2248",
    0xBC: "\u2026",
    0xD6: "\u221a",
    0xE5: "\u2211",
    0xF2: "\u222b",
}


def codec(page: int, /) -> str | None:
    """Return the codec of a Windows code page, or ``None`` for an unknown one."""
    if page in _NAMED:
        return _NAMED[page]
    is_iso = _ISO_FIRST <= page < _ISO_LAST
    name = f"iso8859_{page - _ISO_FIRST + 1}" if is_iso else f"cp{page}"
    try:
        return codecs.lookup(name).name
    except LookupError:
        return None


def charset_codec(charset: int, /) -> str | None:
    r"""Return the codec of a font charset (``\fcharset``), or ``None`` for an unknown one."""
    page = _CHARSETS.get(charset)
    return None if page is None else codec(page)


def locale_codec(locale: int, /) -> str | None:
    """Return the codec of Windows' ANSI code page for a locale (LCID), Western ones included."""
    if not 0 < locale <= 0xFFFFF:
        return None
    language = locale & 0x3FF
    if language == 0x04:
        return "cp950" if locale & 0xFFFF in _TRADITIONAL_CHINESE else "gbk"
    for page, languages in _LANGUAGES.items():
        if language in languages:
            return codec(page)
    return DEFAULT


def symbols(data: bytes, /, *, is_greek: bool) -> str:
    """Decode text in a symbol font.

    Parameters
    ----------
    data
        Its bytes.
    is_greek
        Whether the font is Symbol, with Greek letters and signs of mathematics; of other fonts
        (dingbats) only digits and white space are known, the rest is shown as a bullet.
    """
    parts = []
    for byte in data:
        char = chr(byte)
        if char.isspace() or (byte < 0x40 and is_greek):
            parts.append(char)
        elif is_greek and (char in _GREEK or byte in _SIGNS):
            parts.append(_GREEK.get(char) or _SIGNS[byte])
        else:
            parts.append(_BULLET)
    return "".join(parts)
