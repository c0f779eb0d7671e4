"""License keys as text: ``TIER-XXXXXX-XXXXXX-XXXXXX-SIG``.

The three groups are 90 bits in Crockford's base32, whose letters cannot be mistaken for digits:
serial (40 bits), seats (12), day of issue (16), day of expiry (16, 0 for none), flags (6). Days
count from 2020-01-01 (UTC). ``SIG`` is the Ed25519 signature (64 bytes in base32) of the preceding
text without the last hyphen.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

from casetrack.base.dataclass import dataclass

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_VALUES = {letter: value for value, letter in enumerate(ALPHABET)} | {"O": 0, "I": 1, "L": 1}
EPOCH = date(2020, 1, 1)
GROUP = 6
GROUPS = 3
_FIELDS = (("serial", 40), ("seats", 12), ("issued", 16), ("expires", 16), ("flags", 6))
_BODY = GROUP * GROUPS
SIGNATURE_BYTES = 64
_SIGNATURE = -(-SIGNATURE_BYTES * 8 // 5)
_MAX_CHARS = 1000
_OFFLINE = 1


class MalformedKey(ValueError):
    """A text is not a license key; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Claims:
    """The content of a key."""

    tier: str  # name of a tier in capital letters
    serial: int  # below 2**40
    seats: int  # number of machines, 1 to 4,095
    # issued, expires: first and last day of validity; `None` means without end.
    issued: date
    expires: date | None
    offline: bool = False  # whether it needs no confirmation by the license server

    def signed_text(self) -> str:
        """Return the signed part of the key; raise ``ValueError`` if a value exceeds its field."""
        if not (self.tier.isascii() and self.tier.isalpha() and self.tier.isupper()):
            raise ValueError(f"{self.tier!r} is no name of a tier in capital letters")
        values = {
            "serial": self.serial,
            "seats": self.seats,
            "issued": (self.issued - EPOCH).days,
            "expires": (self.expires - EPOCH).days if self.expires else 0,
            "flags": _OFFLINE if self.offline else 0,
        }
        if self.seats < 1 or (self.expires is not None and self.expires <= EPOCH):
            raise ValueError("a key has at least one seat, and ends after 2020-01-01")
        number = 0
        for name, bits in _FIELDS:
            if not 0 <= values[name] < 1 << bits:
                raise ValueError(f"{name} {values[name]} does not fit into {bits} bits")
            number = number << bits | values[name]
        body = _letters(number, _BODY)
        return "-".join((self.tier, *(body[i : i + GROUP] for i in range(0, _BODY, GROUP))))


@dataclass(frozen=True, slots=True)
class LicenseKey:
    """A parsed key, not verified; *signature* has 64 bytes."""

    claims: Claims
    signature: bytes

    def signed_text(self) -> str:
        """Return the signed part, which identifies the key and is useless alone."""
        return self.claims.signed_text()

    def text(self) -> str:
        """Return the key in its canonical form."""
        number = int.from_bytes(self.signature, "big")
        padding = _SIGNATURE * 5 - SIGNATURE_BYTES * 8
        return f"{self.signed_text()}-{_letters(number << padding, _SIGNATURE)}"

    def masked(self) -> str:
        """Return a form for display: it distinguishes keys and cannot be used as one."""
        tier, first, *_ = self.signed_text().split("-")
        return f"{tier}-{first}-******-******-****"


def parse_key(text: str, /) -> LicenseKey:
    """Parse a key as users type and paste it.

    Letter case, spaces, line breaks and hyphens do not matter; O equals 0, I and L equal 1. Raises
    ``MalformedKey``: the text is not a key.
    """
    if len(text) > _MAX_CHARS:
        raise MalformedKey("it is too long for a license key")
    plain = "".join(c for c in text.upper() if c.isascii() and c.isalnum())
    tier = plain[: -_BODY - _SIGNATURE]
    if not tier:
        raise MalformedKey("it is too short; a part of it may be missing")
    tier = tier.replace("0", "O").replace("1", "I")
    if not tier.isalpha():
        raise MalformedKey("it does not begin with the name of a tier")
    body = _number(plain[len(tier) : len(tier) + _BODY])
    signature = _number(plain[len(tier) + _BODY :])
    padding = _SIGNATURE * 5 - SIGNATURE_BYTES * 8
    if signature & (1 << padding) - 1:
        raise MalformedKey("its last letter is wrong")
    values = {}
    for name, bits in reversed(_FIELDS):
        values[name] = body & (1 << bits) - 1
        body >>= bits
    if values["flags"] & ~_OFFLINE or not values["seats"]:
        raise MalformedKey("a part of it cannot be understood; it may be of a newer version")
    claims = Claims(
        tier=tier,
        serial=values["serial"],
        seats=values["seats"],
        issued=EPOCH + timedelta(days=values["issued"]),
        expires=EPOCH + timedelta(days=values["expires"]) if values["expires"] else None,
        offline=bool(values["flags"] & _OFFLINE),
    )
    return LicenseKey(claims, (signature >> padding).to_bytes(SIGNATURE_BYTES, "big"))


def _letters(number: int, count: int) -> str:
    return "".join(ALPHABET[number >> 5 * place & 31] for place in reversed(range(count)))


def _number(letters: str) -> int:
    number = 0
    for letter in letters:
        value = _VALUES.get(letter)
        if value is None:
            raise MalformedKey(f"the letter {letter} does not occur in license keys")
        number = number << 5 | value
    return number


def base32_bytes(text: str, /) -> bytes:
    """Return the bytes of a base32 text.

    Raises ``MalformedKey``: it has an unknown letter, or padding bits that are not 0.
    """
    size = len(text) * 5 // 8
    padding = len(text) * 5 - size * 8
    number = _number(text.upper())
    if number & (1 << padding) - 1:
        raise MalformedKey("its last letter is wrong")
    return (number >> padding).to_bytes(size, "big")


def base32_text(data: bytes, /) -> str:
    """Return bytes as base32; :func:`base32_bytes` reads them again."""
    count = -(-len(data) * 8 // 5)
    return _letters(int.from_bytes(data, "big") << count * 5 - len(data) * 8, count)
