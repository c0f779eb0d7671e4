"""Errors about tiers and license keys."""

from __future__ import annotations

from casetrack.base.errors.base import CaseTrackError, UsageError

UPGRADE_URL = "https://casetrack.dev/upgrade"


class FreeTierLimit(CaseTrackError):
    """A tier does not go so far, or does not have the feature; nothing was done.

    Parameters
    ----------
    fact
        What the tier allows, and how much there is.
    step
        What to do about it.
    hint
        Why a key that is there does not count; empty where there is none.
    """

    code = "free_tier_limit"

    def __init__(self, fact: str, step: str, *, hint: str = "") -> None:
        self.fact = fact
        self.step = step
        super().__init__(f"{fact} {step}", hint=hint)

    @classmethod
    def of_collections(
        cls, tier: str, allowed: int, count: int, /, *, hint: str = ""
    ) -> FreeTierLimit:
        """Return the error for one collection too many: *count* are there."""
        error = cls(
            f"{tier} tier allows {allowed:,} collections (you have {count:,}).",
            f"Delete a collection or upgrade to Pro for unlimited collections: {UPGRADE_URL}",
            hint=hint,
        )
        return error._of_amounts("too_many_collections", tier, allowed, count)

    @classmethod
    def of_documents(
        cls, tier: str, allowed: int, count: int, /, *, hint: str = ""
    ) -> FreeTierLimit:
        """Return the error for one document too many in a collection that holds *count*."""
        error = cls(
            f"{tier} tier allows {allowed:,} documents per collection (you have {count:,}).",
            f"Delete a document or upgrade to Pro for unlimited documents: {UPGRADE_URL}",
            hint=hint,
        )
        return error._of_amounts("too_many_documents", tier, allowed, count)

    @classmethod
    def of_archive(cls, tier: str, allowed: int, count: int, /, *, hint: str = "") -> FreeTierLimit:
        """Return the error for an exported collection of *count* documents, which is too many."""
        return cls(
            f"{tier} tier allows {allowed:,} documents per collection (this one has {count:,}).",
            f"Upgrade to Pro for unlimited documents: {UPGRADE_URL}",
            hint=hint,
        )

    @classmethod
    def of_feature(
        cls, tier: str, title: str, /, *, instead: str = "", hint: str = ""
    ) -> FreeTierLimit:
        """Return the error for a feature, called *title*, that the tier does not have.

        *instead* is what the tier can do.
        """
        other = f" It can {instead}." if instead else ""
        return cls(
            f"{tier} tier does not include {title}.{other}",
            f"Upgrade to Pro for it: {UPGRADE_URL}",
            hint=hint,
        )

    def _of_amounts(self, wording: str, tier: str, allowed: int, count: int) -> FreeTierLimit:
        self.wording = wording
        self.facts = {
            "tier": tier,
            "allowed": f"{allowed:,}",
            "count": f"{count:,}",
            "url": UPGRADE_URL,
        }
        return self


class LicenseInvalid(UsageError):
    """A license key that was given cannot be used; the one in force stays as it is."""

    code = "license_invalid"


class LicenseRefused(CaseTrackError):
    """The license server does not accept a key."""

    code = "license_refused"


class LicenseServerUnreachable(CaseTrackError):
    """The license server gave no answer that could be understood; nothing was changed."""

    code = "license_server_unreachable"
