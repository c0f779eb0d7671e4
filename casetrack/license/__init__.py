"""Tiers and license keys: what may be done, decided in one place and without a network."""

from casetrack.license.entitlements import Entitlements
from casetrack.license.status import LicenseStatus
from casetrack.license.tiers import FREE, PRO, TEAM, TIERS, UNLIMITED, UNLIMITED_EDITIONS, Tier

__all__ = [
    "FREE",
    "PRO",
    "TEAM",
    "TIERS",
    "UNLIMITED",
    "UNLIMITED_EDITIONS",
    "Entitlements",
    "LicenseStatus",
    "Tier",
]
