"""Plausible English from patterns and a seed: text as contracts and reports have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

_SLOTS: dict[str, tuple[str, ...]] = {
    "party": (
        "the Supplier",
        "the Customer",
        "the Licensor",
        "the Distributor",
        "the Contractor",
        "the Lender",
        "the Tenant",
        "Halvern Instruments Ltd.",
        "Brookmere Logistics GmbH",
        "the Operating Company",
        "each Party",
        "the Steering Committee",
        "the Auditor",
    ),
    "thing": (
        "the quarterly statement",
        "the delivery schedule",
        "any defective unit",
        "the deposit",
        "the acceptance protocol",
        "the annual budget",
        "the maintenance plan",
        "the inventory",
        "all confidential material",
        "the insurance certificate",
        "the calibration report",
        "the revised drawings",
        "the service credits",
        "the purchase order",
        "the warranty claim",
        "the forecast of demand",
        "the shareholder loan",
        "the environmental survey",
    ),
    "verb": (
        "shall deliver",
        "may withhold",
        "shall review",
        "undertakes to replace",
        "must approve",
        "shall keep records of",
        "is entitled to inspect",
        "agrees to reimburse the cost of",
        "shall not disclose",
        "will archive",
        "shall return",
        "has reported on",
        "shall insure",
    ),
    "when": (
        "within {n} days of written notice",
        "no later than {day} {month} {year}",
        "before the end of the calendar quarter",
        "upon completion of phase {small}",
        "for a period of {small} years",
        "after consultation with the technical advisers",
        "unless the parties agree otherwise in writing",
        "in accordance with Section {small}.{small}",
        "subject to the limits set out in Schedule {small}",
        "at its own expense and risk",
    ),
    "opening": (
        "Notwithstanding the foregoing,",
        "For the avoidance of doubt,",
        "In the event of delay,",
        "Where the measured values differ by more than {small} percent,",
        "As of {month} {year},",
        "During the reporting period,",
        "Subject to prior approval,",
        "If a shortfall remains,",
        "On the basis of the survey of {n} sites,",
        "Following the meeting of {day} {month},",
    ),
    "close": (
        "and the amount of EUR {n},{n}00 falls due on the same day",
        "and revenue rose to {n}.{small} million from {n}.{small} million a year earlier",
        "while freight costs fell by {small}.{small} percent against the previous year",
        "and any dispute is referred to arbitration seated in the capital",
        "provided that the temperature in storage stays below {n} degrees",
        "which the board noted without further comment",
        "and the remaining staff of {n} move to the new site",
    ),
}
_PATTERNS = (
    "{party} {verb} {thing} {when}.",
    "{opening} {party} {verb} {thing} {when}.",
    "{party} {verb} {thing} and {thing} {when}, {close}.",
    "{opening} {thing} remains with {party} {when}, {close}.",
    "{party} informs {party} about {thing} {when}.",
)
_MONTHS = (
    "January February March April May June July August September October November December"
).split()


def sentence(rng: random.Random, /) -> str:
    """Return one sentence."""
    text = rng.choice(_PATTERNS)
    while "{" in text:
        name = text[text.index("{") + 1 : text.index("}")]
        text = text.replace("{" + name + "}", _fill(rng, name), 1)
    return text[0].upper() + text[1:]


def passage(rng: random.Random, characters: int, /) -> str:
    """Return whole sentences of about *characters* in all."""
    parts: list[str] = []
    length = 0
    while length < characters:
        parts.append(sentence(rng))
        length += len(parts[-1]) + 1
    return " ".join(parts)


def _fill(rng: random.Random, name: str) -> str:
    if name in _SLOTS:
        return rng.choice(_SLOTS[name])
    if name == "month":
        return rng.choice(_MONTHS)
    low, high = {"n": (10, 99), "small": (1, 9), "day": (1, 28), "year": (2019, 2026)}[name]
    return str(rng.randint(low, high))
