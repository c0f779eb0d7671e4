"""Tiers and license keys; all checks are local."""

from casetrack.base.license.entitlements import Entitlements, LicenseStatus
from casetrack.base.license.tiers import FREE, PRO, TEAM, TIERS, UNLIMITED, UNLIMITED_EDITIONS, Tier
